"""Persistent storage: one SQLite database per project, with migrations, backups and the light reads of hooks."""
