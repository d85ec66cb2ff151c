"""The parts of a codebase, as its developers would draw them."""
