"""Build commands: how a project is built, tested and linted, read from its manifests, task files and CI pipelines."""
