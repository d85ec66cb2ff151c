"""What must not get in or out: secrets, instructions, paths that leave the project."""
