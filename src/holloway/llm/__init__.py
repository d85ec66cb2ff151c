"""The language model that the user configured, with metered and capped usage."""
