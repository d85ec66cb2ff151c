"""The target of an import: a file, a folder or an external package."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A file, a folder (its path ends in a slash), or an external package."""

    path: str = ""
    package: str = ""


NOWHERE = Place()
