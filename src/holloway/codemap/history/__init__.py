"""Git history of a project: commits, files that often change together, and rewritten files."""
