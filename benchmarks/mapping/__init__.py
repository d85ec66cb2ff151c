"""The parts of B7 on the code map: indexing, following an edit, asking, and a peer for comparison."""
