"""Import resolution: the file that an import refers to, with one module of rules per language."""
