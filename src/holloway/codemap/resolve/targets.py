"""What an expression stands for: one thing nearly always, sometimes one of a few."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.facts import MODULE_SCOPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TARGETS_MAX = 6
"""Things that one name may stand for before it is taken for unknown."""


class Target(NamedTuple):
    """One of them."""

    kind: str
    """definition, instance (of a class), super (the bases of a class), module, or package (outside the project)."""
    path: str
    at: int = MODULE_SCOPE


Targets = tuple[Target, ...]


def few(targets: Iterable[Target]) -> Targets:
    """The targets without repetition; a name that may be anything is nothing."""
    found = tuple(targets)
    if len(found) > 1:
        found = tuple(dict.fromkeys(found))
    return found if len(found) <= TARGETS_MAX else ()


def each(targets: Targets, step: Callable[..., Targets], *of: str) -> Targets:
    """Where a step leads from these targets; nearly always there is one."""
    if len(targets) == 1:
        return step(targets[0], *of)
    return few(found for target in targets for found in step(target, *of))


def first(choices: Iterable[Targets]) -> Targets:
    """The first answer that lies in the project; where none does, the first from outside, which may know anything."""
    outside: Targets = ()
    for choice in choices:
        if any(target.kind != "package" for target in choice):
            return choice
        outside = outside or choice
    return outside
