"""What an agent reads, rendered from templates within a budget: at the start, with a prompt, a result, a step."""
