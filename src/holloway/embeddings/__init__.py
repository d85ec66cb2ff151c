"""Vectors of memories: the model inside the package or a server that the user chose, and the nearest ones."""
