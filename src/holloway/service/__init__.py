"""The facade that edges call: the memory of a project, its sessions, its code map and its background jobs."""
