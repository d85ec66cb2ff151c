"""Injection of memories into an agent's context: one module per point, for hooks and sessions in Python alike."""
