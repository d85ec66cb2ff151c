"""From names to what they name, across the files of a project."""
