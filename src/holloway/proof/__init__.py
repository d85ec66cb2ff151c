"""Session metrics: usage statistics of each session, what it cost, and the tokens that memory saved it."""
