"""Where things are, how they connect and what moves together: one derived database per checkout."""
