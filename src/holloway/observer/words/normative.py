"""Normative statements: how people say what should be, in several languages.

The words are in `data/prose_cues.toml`.
"""

from __future__ import annotations

import re
from functools import cache

from holloway.data import load_table

WORDS_MIN, WORDS_MAX = 6, 60


def is_normative(text: str) -> bool:
    """Return whether a typed passage says what should be, beyond the task at hand."""
    words = len(text.split())
    is_unspaced = words < WORDS_MIN and not text.isascii() and len(text) >= 2 * WORDS_MIN
    if not (WORDS_MIN <= words <= WORDS_MAX or is_unspaced) or "?" in text or "\uff1f" in text:
        return False
    return bool(_cue("should").search(text)) and not (
        _cue("task_only").search(text) or _cue("task_opening").match(text) or _cue("output").search(text)
    )


@cache
def _cue(name: str) -> re.Pattern[str]:
    return re.compile(load_table("prose_cues")["normative"][name])
