"""Where an import leads."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A file, a directory (its path ends in a slash), or an external package."""

    path: str = ""
    package: str = ""


NOWHERE = Place()
