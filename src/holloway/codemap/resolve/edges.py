"""Result types of name resolution: the dependency edges of one file, its unresolved names and consulted files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

SURE = 0.95
BY_NAME = 0.8
ONE_OF_SEVERAL = 0.7


class Edge(NamedTuple):
    """A dependency from a definition of the file (or the file itself) to a definition, a file or a package."""

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
"""An `Edge` as a plain tuple."""


class Resolution(NamedTuple):
    """Everything that resolving one file gave."""

    edges: Sequence[EdgeRow]
    unresolved: list[tuple[str, str, int]]
    consulted: set[str]
