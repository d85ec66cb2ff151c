"""Targets of name resolution, and its result: the dependency edges of one file and its unresolved names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.facts import MODULE_SCOPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


TARGETS_MAX = 6
"""Targets that one name may have before it counts as unknown."""
SURE = 0.95
BY_NAME = 0.8
ONE_OF_SEVERAL = 0.7


class Target(NamedTuple):
    """One thing that an expression may refer to."""

    kind: str
    """definition, instance (of a class), super (the bases of a class), module, or package (outside the project)."""
    path: str
    at: int = MODULE_SCOPE


Targets = tuple[Target, ...]


def deduplicate_targets(targets: Iterable[Target]) -> Targets:
    """Deduplicate targets; more than the maximum count as unknown and give none."""
    unique = tuple(targets)
    if len(unique) > 1:
        unique = tuple(dict.fromkeys(unique))
    return unique if len(unique) <= TARGETS_MAX else ()


def follow_targets(targets: Targets, step: Callable[..., Targets], *arguments: str) -> Targets:
    """Apply a step to all targets and combine the results; nearly always there is one target."""
    if len(targets) == 1:
        return step(targets[0], *arguments)
    return deduplicate_targets(result for target in targets for result in step(target, *arguments))


def first_in_project(choices: Iterable[Targets]) -> Targets:
    """Return the first result that is in the project; otherwise the first external one, which may have any member."""
    external: Targets = ()
    for choice in choices:
        if any(target.kind != "package" for target in choice):
            return choice
        external = external or choice
    return external


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
