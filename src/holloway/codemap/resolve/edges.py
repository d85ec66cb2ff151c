"""What was found out about one file, as it is handed to whoever writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

SURE = 0.95
BY_NAME = 0.8
ONE_OF_SEVERAL = 0.7


class Edge(NamedTuple):
    """From a definition of the file (or the file itself) to a definition, a file or a package."""

    kind: str
    source: int
    path: str
    """The target's file, or the name of an external package."""
    target: int
    is_package: bool
    confidence: float
    line: int
    reverse: bool = False
    """Whether the edge runs the other way: from the target to this file."""


EdgeRow = tuple[str, int, str, int, bool, float, int, bool]
"""An `Edge` without its names."""


class Resolution(NamedTuple):
    """All that was found out about one file."""

    edges: Sequence[EdgeRow]
    unresolved: list[tuple[str, str, int]]
    consulted: set[str]
