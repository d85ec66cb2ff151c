"""Guards on what comes in and goes out: secrets, prompt injection, path traversal."""
