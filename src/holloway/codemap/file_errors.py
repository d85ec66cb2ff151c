"""Mistakes of our own: a file that trips the map costs that file, never the map, and is said."""

from __future__ import annotations

import sqlite3

from holloway.errors import HollowayError

NOT_OURS = (HollowayError, sqlite3.Error, OSError)
"""What happens to the map's own file, and concerns the whole of it."""


def reason(stage: str, error: Exception) -> str:
    """Why a file is left out, or half read."""
    return f"{stage} failed ({type(error).__name__})"
