"""The target of an import: a file, a folder or an external package."""

from __future__ import annotations

from typing import NamedTuple


class ImportTarget(NamedTuple):
    """A file, a folder (its path ends in a slash), or an external package."""

    path: str = ""
    package: str = ""


NO_TARGET = ImportTarget()
