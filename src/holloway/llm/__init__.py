"""A language model where the user chose one, counted and capped."""
