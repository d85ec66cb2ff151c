"""Imports SCIP indexes: precise references from compiler-backed indexers."""
