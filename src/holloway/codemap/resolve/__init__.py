"""Name resolution: finds the definitions that names refer to, across the files of a project."""
