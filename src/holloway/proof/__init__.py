"""Session metrics: what each session cost, and what memory saved it."""
