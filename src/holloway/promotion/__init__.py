"""From what was observed to what is believed: gates, the pipeline of promotion, what is held, and synthesis."""
