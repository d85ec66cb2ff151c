"""The systems to compare with: other memories, each in a separate environment, and simple programs."""
