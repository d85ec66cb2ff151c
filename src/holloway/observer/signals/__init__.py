"""Signal detectors: one function for each signal, grouped by the evidence that they read."""
