"""Where work goes that enters a project: from an entry point, call by call, through the modules that it reaches.

It is an estimate from calls between files. An agent or a person who knows better adds a `flows_to` relation.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STEPS_MAX = 4
"""Steps from the entry point: further on, everything reaches everything."""
MODULES_SHOWN = 3
"""Modules of one step that are named: those that most calls lead to."""

Calls = dict[str, dict[str, float]]
"""From a file to the files that it calls into, and how much."""


def flow(entry: str, calls: Calls, module_of: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """The modules that an entry point reaches, step by step; each is named where it is first reached."""
    reached = {entry}
    named = {module_of[entry]} if entry in module_of else set()
    steps: list[tuple[str, ...]] = [tuple(named)]
    edge = [entry]
    for _ in range(STEPS_MAX):
        counted: dict[str, float] = defaultdict(float)
        following: set[str] = set()
        for path in edge:
            for other, weight in calls.get(path, {}).items():
                if other not in reached:
                    following.add(other)
                    if (module := module_of.get(other, "")) not in named | {""}:
                        counted[module] += weight
        found = sorted(counted, key=lambda module: (-counted[module], module))
        named.update(found)
        if found:
            steps.append(tuple(found[:MODULES_SHOWN]))
        reached |= following
        edge = sorted(following)
    return tuple(steps) if len(steps) > 1 else ()


def flows(entries: Iterable[str], calls: Calls, module_of: Mapping[str, str]) -> tuple[str, ...]:
    """The flows of a module's entry points as a person reads them: `cli → service → store, codemap`."""
    written: dict[str, None] = {}
    for entry in entries:
        if steps := flow(entry, calls, module_of):
            written[" → ".join(", ".join(step) for step in steps)] = None
    return tuple(written)


def by_file(rows: Iterable[tuple[str, str, float]]) -> Calls:
    """Rows of caller, callee and weight, by caller."""
    found: Calls = defaultdict(dict)
    for caller, callee, weight in rows:
        found[caller][callee] = weight
    return found
