"""SDK adapters for agent frameworks: one module each, with the framework as an optional package (extra)."""
