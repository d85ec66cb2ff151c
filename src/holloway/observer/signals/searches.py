"""Search signals: repeated or useless searches, and the query or file that worked in the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.observer.signals.signal import Signal, SignalName
from holloway.text.arguments import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import ActivityEntry, SessionActivity

REPEATED_FROM = 2
RESULTS_FROM = 10
"""Minimum number of results of a listing that can count as ignored."""
IGNORED_ABOVE = 0.9
LOOK_AHEAD_ENTRIES = 6
EDIT_WITHIN_STEPS = 10

_EMPTY_RESULT = re.compile(
    r"\A\s*(?:No (?:files|matches)(?: were)? found.*|0 matches.*|Found 0 .*)?\s*\Z", re.IGNORECASE | re.DOTALL
)
_SPACE = re.compile(r"\s+")


def detect_repeated_grep(activity: SessionActivity) -> Iterator[Signal]:
    """Detect a search that was repeated without results, with the file where the session found its target."""
    searches = [
        (index, entry) for index, entry in enumerate(activity.entries) if entry.kind == "search" and entry.pattern
    ]
    indexes_by_pattern: dict[str, list[int]] = {}
    for index, entry in searches:
        indexes_by_pattern.setdefault(normalise_pattern(entry.pattern), []).append(index)
    for pattern, indexes in indexes_by_pattern.items():
        if len(indexes) < REPEATED_FROM or not any(is_empty_result(activity.entries[index]) for index in indexes):
            continue
        goal = _find_target_file(activity, indexes[-1])
        if goal:
            working_query = _find_working_query(activity, indexes[-1], pattern)
            facts = {"pattern": pattern, "times": len(indexes), "found_in": goal, "worked": working_query}
            key, step = f"{pattern}>{goal}", activity.entries[indexes[-1]].step
            yield Signal(SignalName.REPEATED_GREP, key, step, (goal,), facts, (pattern,))


def detect_glob_ignore(activity: SessionActivity) -> Iterator[Signal]:
    """Detect a listing with many results of which almost none was opened, with the file that was used instead."""
    for index, entry in enumerate(activity.entries):
        listed = entry.action.files
        if entry.kind not in ("list", "search") or entry.action.count < RESULTS_FROM or not listed or not entry.pattern:
            continue
        opened = [
            path for path in listed if any(access.step > entry.step for access in activity.touched_files.get(path, ()))
        ]
        ignored = 1 - len(opened) / entry.action.count
        goal = _find_target_file(activity, index)
        if ignored > IGNORED_ABOVE and goal and goal not in listed:
            facts = {
                "pattern": normalise_pattern(entry.pattern),
                "returned": entry.action.count,
                "opened": len(opened),
                "instead": goal,
            }
            key = f"{normalise_pattern(entry.pattern)}>{goal}"
            yield Signal(SignalName.GLOB_IGNORE, key, entry.step, (goal,), facts, (entry.pattern,))


def detect_external_reference(activity: SessionActivity) -> Iterator[Signal]:
    """Detect a web lookup that was followed by an edit."""
    for entry in activity.filter_kinds("fetch"):
        site = host_of(entry.action.url)
        query = normalise_pattern(entry.pattern)
        later = (
            edit
            for edit in activity.successful_edits
            if entry.step < edit.step <= entry.step + EDIT_WITHIN_STEPS and edit.path
        )
        edit = next(later, None)
        if edit is not None and (site or query):
            facts = {"query": query, "site": site, "edited": edit.path}
            yield Signal(SignalName.EXTERNAL_REFERENCE, site or query, entry.step, (edit.path,), facts, (query, site))


def normalise_pattern(pattern: str) -> str:
    """Normalise a search pattern for comparison."""
    return _SPACE.sub(" ", pattern.strip().casefold())[:200]


def is_empty_result(entry: ActivityEntry) -> bool:
    """Whether a search returned no results."""
    return not entry.action.count and bool(_EMPTY_RESULT.match(entry.action.text))


def _find_target_file(activity: SessionActivity, index: int) -> str:
    """Return the first file that was changed, or else opened, soon after a search, or an empty string."""
    next_entries = [entry for entry in activity.entries[index + 1 : index + 1 + LOOK_AHEAD_ENTRIES] if entry.path]
    changed = next((entry.path for entry in next_entries if entry.is_change), "")
    return changed or next((entry.path for entry in next_entries if entry.kind == "read"), "")


def _find_working_query(activity: SessionActivity, index: int, pattern: str) -> str:
    """Return the next search with another pattern that had results, or an empty string."""
    for entry in activity.entries[index + 1 : index + 1 + LOOK_AHEAD_ENTRIES]:
        if (
            entry.kind == "search"
            and entry.pattern
            and normalise_pattern(entry.pattern) != pattern
            and not is_empty_result(entry)
        ):
            return entry.pattern[:200]
    return ""
