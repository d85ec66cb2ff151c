"""Targets of name resolution: an expression refers to one thing nearly always, sometimes to one of a few."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.facts import MODULE_SCOPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TARGETS_MAX = 6
"""Targets that one name may have before it counts as unknown."""


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
