"""The truth: one SQLite file per project, its migrations, backups and the hook's own reads."""
