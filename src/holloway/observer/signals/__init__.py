"""The signals: one detector each, grouped by what they watch."""
