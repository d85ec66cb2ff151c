"""Explaining words: whether a passage names code, states a cause or a constraint, or reports work that was done.

The words are in `data/prose_cues.toml`; they are English, as the passages are that the ranker reads.
"""

from __future__ import annotations

import re
from functools import cache

from holloway.data import load_table


def names_code(text: str) -> bool:
    """Return whether a text has a name that only code has: an identifier, a file, an option."""
    return bool(_cue("identifier").search(text))


def states_reason(text: str) -> bool:
    """Return whether a text states a cause or a constraint."""
    return bool(_cue("reason").search(text))


def is_report(text: str) -> bool:
    """Return whether a text reports what was done, goes on or is planned, or a bug that may be fixed since."""
    return bool(_cue("report").search(text) or _cue("open_bug").search(text))


def is_change_summary(text: str) -> bool:
    """Return whether the words of a commit say what it changed, or what was wrong before it."""
    return bool(_cue("change").search(text))


@cache
def _cue(name: str) -> re.Pattern[str]:
    return re.compile(load_table("prose_cues")["explanation"][name])
