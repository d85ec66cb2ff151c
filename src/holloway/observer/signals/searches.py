"""Search signals: repeated or useless searches, and the query or file that worked in the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.observer.signals.signal import Signal, SignalName
from holloway.text.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import Account, Deed

REPEATED_FROM = 2
RESULTS_FROM = 10
"""Minimum number of results of a listing that can count as ignored."""
IGNORED_ABOVE = 0.9
LOOK_AHEAD_DEEDS = 6
EDIT_WITHIN_STEPS = 10

_EMPTY = re.compile(
    r"\A\s*(?:No (?:files|matches)(?: were)? found.*|0 matches.*|Found 0 .*)?\s*\Z", re.IGNORECASE | re.DOTALL
)
_SPACE = re.compile(r"\s+")


def repeated_grep(activity: Account) -> Iterator[Signal]:
    """Detect a search that was repeated without results, with the file where the session found its target."""
    searches = [
        (index, entry) for index, entry in enumerate(activity.deeds) if entry.kind == "search" and entry.pattern
    ]
    indexes_by_pattern: dict[str, list[int]] = {}
    for index, entry in searches:
        indexes_by_pattern.setdefault(normal(entry.pattern), []).append(index)
    for pattern, indexes in indexes_by_pattern.items():
        if len(indexes) < REPEATED_FROM or not any(empty(activity.deeds[index]) for index in indexes):
            continue
        goal = _reached(activity, indexes[-1])
        if goal:
            working_query = _worked(activity, indexes[-1], pattern)
            facts = {"pattern": pattern, "times": len(indexes), "found_in": goal, "worked": working_query}
            key, step = f"{pattern}>{goal}", activity.deeds[indexes[-1]].step
            yield Signal(SignalName.REPEATED_GREP, key, step, (goal,), facts, (pattern,))


def glob_ignore(activity: Account) -> Iterator[Signal]:
    """Detect a listing with many results of which almost none was opened, with the file that was used instead."""
    for index, entry in enumerate(activity.deeds):
        listed = entry.action.files
        if entry.kind not in ("list", "search") or entry.action.count < RESULTS_FROM or not listed or not entry.pattern:
            continue
        opened = [path for path in listed if any(access.step > entry.step for access in activity.touched.get(path, ()))]
        ignored = 1 - len(opened) / entry.action.count
        goal = _reached(activity, index)
        if ignored > IGNORED_ABOVE and goal and goal not in listed:
            facts = {
                "pattern": normal(entry.pattern),
                "returned": entry.action.count,
                "opened": len(opened),
                "instead": goal,
            }
            key = f"{normal(entry.pattern)}>{goal}"
            yield Signal(SignalName.GLOB_IGNORE, key, entry.step, (goal,), facts, (entry.pattern,))


def external_reference(activity: Account) -> Iterator[Signal]:
    """Detect a web lookup that was followed by an edit."""
    for entry in activity.of("fetch"):
        site = host_of(entry.action.url)
        query = normal(entry.pattern)
        later = (
            edit for edit in activity.edits if entry.step < edit.step <= entry.step + EDIT_WITHIN_STEPS and edit.path
        )
        edit = next(later, None)
        if edit is not None and (site or query):
            facts = {"query": query, "site": site, "edited": edit.path}
            yield Signal(SignalName.EXTERNAL_REFERENCE, site or query, entry.step, (edit.path,), facts, (query, site))


def normal(pattern: str) -> str:
    """Normalise a search pattern for comparison."""
    return _SPACE.sub(" ", pattern.strip().casefold())[:200]


def empty(entry: Deed) -> bool:
    """Whether a search returned no results."""
    return not entry.action.count and bool(_EMPTY.match(entry.action.text))


def _reached(activity: Account, place: int) -> str:
    """Return the first file that was changed, or else opened, soon after a search, or an empty string."""
    next_entries = [entry for entry in activity.deeds[place + 1 : place + 1 + LOOK_AHEAD_DEEDS] if entry.path]
    changed = next((entry.path for entry in next_entries if entry.changes), "")
    return changed or next((entry.path for entry in next_entries if entry.kind == "read"), "")


def _worked(activity: Account, place: int, pattern: str) -> str:
    """Return the next search with another pattern that had results, or an empty string."""
    for entry in activity.deeds[place + 1 : place + 1 + LOOK_AHEAD_DEEDS]:
        if entry.kind == "search" and entry.pattern and normal(entry.pattern) != pattern and not empty(entry):
            return entry.pattern[:200]
    return ""
