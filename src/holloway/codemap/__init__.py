"""Code map: one derived database per checkout with its files, definitions, dependencies, history and modules."""
