"""Signals in how a session looks for things: the lesson is always the query or place that worked in the end."""

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
"""A listing of fewer results than this cannot be ignored."""
IGNORED_ABOVE = 0.9
LOOK_AHEAD_DEEDS = 6
EDIT_WITHIN_STEPS = 10

_EMPTY = re.compile(
    r"\A\s*(?:No (?:files|matches)(?: were)? found.*|0 matches.*|Found 0 .*)?\s*\Z", re.IGNORECASE | re.DOTALL
)
_SPACE = re.compile(r"\s+")


def repeated_grep(activity: Account) -> Iterator[Signal]:
    """The same search again and again, or one that found nothing, and where the thing was found at last."""
    searches = [
        (place, entry) for place, entry in enumerate(activity.deeds) if entry.kind == "search" and entry.pattern
    ]
    places: dict[str, list[int]] = {}
    for place, entry in searches:
        places.setdefault(normal(entry.pattern), []).append(place)
    for pattern, found in places.items():
        if len(found) < REPEATED_FROM or not any(empty(activity.deeds[place]) for place in found):
            continue
        goal = _reached(activity, found[-1])
        if goal:
            worked = _worked(activity, found[-1], pattern)
            facts = {"pattern": pattern, "times": len(found), "found_in": goal, "worked": worked}
            key, step = f"{pattern}>{goal}", activity.deeds[found[-1]].step
            yield Signal(SignalName.REPEATED_GREP, key, step, (goal,), facts, (pattern,))


def glob_ignore(activity: Account) -> Iterator[Signal]:
    """A listing that returned much and of which almost nothing was opened, and where the work went instead."""
    for place, entry in enumerate(activity.deeds):
        listed = entry.action.files
        if entry.kind not in ("list", "search") or entry.action.count < RESULTS_FROM or not listed or not entry.pattern:
            continue
        opened = [path for path in listed if any(each.step > entry.step for each in activity.touched.get(path, ()))]
        ignored = 1 - len(opened) / entry.action.count
        goal = _reached(activity, place)
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
    """Something looked up outside of the project, after which a file was changed."""
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
    """A search as it is compared with others."""
    return _SPACE.sub(" ", pattern.strip().casefold())[:200]


def empty(entry: Deed) -> bool:
    """Whether a search found nothing."""
    return not entry.action.count and bool(_EMPTY.match(entry.action.text))


def _reached(activity: Account, place: int) -> str:
    """The first file that was changed, or else opened, soon after a search."""
    after = [entry for entry in activity.deeds[place + 1 : place + 1 + LOOK_AHEAD_DEEDS] if entry.path]
    changed = next((entry.path for entry in after if entry.changes), "")
    return changed or next((entry.path for entry in after if entry.kind == "read"), "")


def _worked(activity: Account, place: int, pattern: str) -> str:
    """The other search that found something in the end."""
    for entry in activity.deeds[place + 1 : place + 1 + LOOK_AHEAD_DEEDS]:
        if entry.kind == "search" and entry.pattern and normal(entry.pattern) != pattern and not empty(entry):
            return entry.pattern[:200]
    return ""
