"""What somebody meant who named a file that is not there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def closest_path(given: str, paths: Sequence[str]) -> str:
    """Of the files whose name is like the one that was given, the path most like it; empty where none is.

    Names are compared without their endings, or every `.py` would be half like every other.
    """
    names = get_close_matches(_name(given), {_name(path) for path in paths})
    alike = [path for path in paths if _name(path) in names]
    return next(iter(get_close_matches(given, alike, n=1, cutoff=0.0)), "")


def _name(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]
