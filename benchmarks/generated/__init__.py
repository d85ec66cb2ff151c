"""Generated data, the same for the same seed: memories that read like real ones, sources, a graph."""

SEED = 7
