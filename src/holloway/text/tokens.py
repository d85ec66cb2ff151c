"""How many tokens a text costs, estimated without a tokenizer."""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]+|\d{1,3}|\s+|[^\w\s]|_+|[^\W\d_A-Za-z]")
_LETTERS_PER_TOKEN = 6.0
MARGIN = 1.1
"""Budgets are kept with this margin, because the estimate may be off by a few per cent."""


def estimate(text: str) -> int:
    """Tokens of the text: words by length, digits in groups of three, each mark, runs of white space."""
    total = 0.0
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece[0].isalpha() and piece.isascii():
            total += max(1.0, len(piece) / _LETTERS_PER_TOKEN)
        elif piece[0] == " " and len(piece) == 1:
            continue
        else:
            total += 1.0
    return int(total + 0.5)
