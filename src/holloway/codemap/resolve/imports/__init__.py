"""The file behind an import: what each language's module names mean in a project, one file of rules each."""
