"""What the project's history says: commits, what changes together, what was rewritten."""
