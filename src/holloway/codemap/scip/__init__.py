"""Precise indexes, as compiler-backed indexers make them."""
