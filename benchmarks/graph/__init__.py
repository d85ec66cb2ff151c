"""The parts of B6: what is wanted of a code graph, what the map and simple programs find, and how that is scored."""
