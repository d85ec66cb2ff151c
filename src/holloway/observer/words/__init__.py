"""Statement parsers: find corrections, causal rules, dead ends, reasons and next steps in prose."""
