"""Embeddings: vectors of memories from the built-in model or a chosen server, and nearest-neighbour search."""
