"""Estimates call flows: the modules that calls reach, step by step, from an entry point.

It is a heuristic on calls between files. An agent or a person who knows better adds a `flows_to` relation.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STEPS_MAX = 4
"""Steps from the entry point: further on, everything reaches everything."""
MODULES_SHOWN = 3
"""Modules that are named per step: those with the most calls."""

Calls = dict[str, dict[str, float]]
"""From a file to the files that it calls, with the weight of each."""


def trace_flow(entry: str, calls: Calls, module_of: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return the modules that an entry point reaches, step by step; each is named where it is first reached."""
    visited = {entry}
    seen_modules = {module_of[entry]} if entry in module_of else set()
    steps: list[tuple[str, ...]] = [tuple(seen_modules)]
    frontier = [entry]
    for _ in range(STEPS_MAX):
        weights: dict[str, float] = defaultdict(float)
        next_paths: set[str] = set()
        for path in frontier:
            for other, weight in calls.get(path, {}).items():
                if other not in visited:
                    next_paths.add(other)
                    if (module := module_of.get(other, "")) not in seen_modules | {""}:
                        weights[module] += weight
        ranked_modules = sorted(weights, key=lambda module: (-weights[module], module))
        seen_modules.update(ranked_modules)
        if ranked_modules:
            steps.append(tuple(ranked_modules[:MODULES_SHOWN]))
        visited |= next_paths
        frontier = sorted(next_paths)
    return tuple(steps) if len(steps) > 1 else ()


def render_flows(entries: Iterable[str], calls: Calls, module_of: Mapping[str, str]) -> tuple[str, ...]:
    """Render the flows of a module's entry points for people: `cli → service → store, codemap`."""
    rendered: dict[str, None] = {}
    for entry in entries:
        if steps := trace_flow(entry, calls, module_of):
            rendered[" → ".join(", ".join(step) for step in steps)] = None
    return tuple(rendered)


def group_by_caller(rows: Iterable[tuple[str, str, float]]) -> Calls:
    """Group rows of caller, callee and weight by caller."""
    calls: Calls = defaultdict(dict)
    for caller, callee, weight in rows:
        calls[caller][callee] = weight
    return calls
