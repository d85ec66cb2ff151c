"""Retrieval: candidates, fusion, ranking and packing of memories for a query, and the files that a task concerns."""
