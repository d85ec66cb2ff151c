"""Error handling per file: an error in one file skips that file, never the whole map, and is recorded as its reason."""

from __future__ import annotations

import sqlite3

from holloway.errors import HollowayError

FATAL_ERRORS = (HollowayError, sqlite3.Error, OSError)
"""Errors of the map's database or disk, which concern the whole map and are raised."""


def format_reason(stage: str, error: Exception) -> str:
    """Return the recorded reason why a file was skipped or only partly read."""
    return f"{stage} failed ({type(error).__name__})"
