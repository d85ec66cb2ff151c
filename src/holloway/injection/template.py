"""The lines that agents read, from the files in `templates`; a missing value fails. Light: hooks load this."""

from __future__ import annotations

import os
import re

_FOLDER = os.path.join(os.path.dirname(__file__), "templates")
_SLOT = re.compile(r"\{(\w+)\}")
_read: dict[str, dict[str, str]] = {}


def line(point: str, name: str, **values: str) -> str:
    """Render one line of a template; values are inserted as they are and never read as a template."""
    return _SLOT.sub(lambda slot: values[slot[1]], lines(point)[name])


def lines(point: str) -> dict[str, str]:
    """Read the named lines of `templates/POINT.txt`: each is a name, a colon and the text."""
    if point not in _read:
        with open(os.path.join(_FOLDER, f"{point}.txt"), encoding="utf-8") as file:
            pairs = (row.rstrip("\n").partition(": ") for row in file if row.strip())
            _read[point] = {name: text for name, _, text in pairs}
    return _read[point]
