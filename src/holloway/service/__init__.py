"""All that the edges may call: the memory of a project, its sessions, and the chores that keep it."""
