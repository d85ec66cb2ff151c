"""Export and import of memories: our archive format, and files of other tools."""
