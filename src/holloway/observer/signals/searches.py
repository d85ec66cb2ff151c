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


def repeated_grep(account: Account) -> Iterator[Signal]:
    """The same search again and again, or one that found nothing, and where the thing was found at last."""
    searches = [(place, deed) for place, deed in enumerate(account.deeds) if deed.kind == "search" and deed.pattern]
    places: dict[str, list[int]] = {}
    for place, deed in searches:
        places.setdefault(normal(deed.pattern), []).append(place)
    for pattern, found in places.items():
        if len(found) < REPEATED_FROM or not any(empty(account.deeds[place]) for place in found):
            continue
        goal = _reached(account, found[-1])
        if goal:
            worked = _worked(account, found[-1], pattern)
            facts = {"pattern": pattern, "times": len(found), "found_in": goal, "worked": worked}
            key, step = f"{pattern}>{goal}", account.deeds[found[-1]].step
            yield Signal(SignalName.REPEATED_GREP, key, step, (goal,), facts, (pattern,))


def glob_ignore(account: Account) -> Iterator[Signal]:
    """A listing that returned much and of which almost nothing was opened, and where the work went instead."""
    for place, deed in enumerate(account.deeds):
        listed = deed.action.files
        if deed.kind not in ("list", "search") or deed.action.count < RESULTS_FROM or not listed or not deed.pattern:
            continue
        opened = [path for path in listed if any(each.step > deed.step for each in account.touched.get(path, ()))]
        ignored = 1 - len(opened) / deed.action.count
        goal = _reached(account, place)
        if ignored > IGNORED_ABOVE and goal and goal not in listed:
            facts = {
                "pattern": normal(deed.pattern),
                "returned": deed.action.count,
                "opened": len(opened),
                "instead": goal,
            }
            key = f"{normal(deed.pattern)}>{goal}"
            yield Signal(SignalName.GLOB_IGNORE, key, deed.step, (goal,), facts, (deed.pattern,))


def external_reference(account: Account) -> Iterator[Signal]:
    """Something looked up outside of the project, after which a file was changed."""
    for deed in account.of("fetch"):
        site = host_of(deed.action.url)
        query = normal(deed.pattern)
        later = (edit for edit in account.edits if deed.step < edit.step <= deed.step + EDIT_WITHIN_STEPS and edit.path)
        edit = next(later, None)
        if edit is not None and (site or query):
            facts = {"query": query, "site": site, "edited": edit.path}
            yield Signal(SignalName.EXTERNAL_REFERENCE, site or query, deed.step, (edit.path,), facts, (query, site))


def normal(pattern: str) -> str:
    """A search as it is compared with others."""
    return _SPACE.sub(" ", pattern.strip().casefold())[:200]


def empty(deed: Deed) -> bool:
    """Whether a search found nothing."""
    return not deed.action.count and bool(_EMPTY.match(deed.action.text))


def _reached(account: Account, place: int) -> str:
    """The first file that was changed, or else opened, soon after a search."""
    after = [deed for deed in account.deeds[place + 1 : place + 1 + LOOK_AHEAD_DEEDS] if deed.path]
    changed = next((deed.path for deed in after if deed.changes), "")
    return changed or next((deed.path for deed in after if deed.kind == "read"), "")


def _worked(account: Account, place: int, pattern: str) -> str:
    """The other search that found something in the end."""
    for deed in account.deeds[place + 1 : place + 1 + LOOK_AHEAD_DEEDS]:
        if deed.kind == "search" and deed.pattern and normal(deed.pattern) != pattern and not empty(deed):
            return deed.pattern[:200]
    return ""
