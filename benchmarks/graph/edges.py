"""Pairs of files and of functions, as every side of the comparison tells them."""

from __future__ import annotations

from typing import NamedTuple

Pair = tuple[str, str]


class Edges(NamedTuple):
    """The edges of a folder by one source: file pairs by import, file pairs by anything, pairs of dotted names."""

    imports: set[Pair]
    references: set[Pair]
    calls: set[Pair]
    external: set[Pair]


def module_name(path: str) -> str:
    """The dotted name of a module, as PyCG writes it."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
