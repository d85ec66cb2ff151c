"""File access signals: files that a session opens, changes and uses together; conflicts of parallel agents."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, deque
from itertools import combinations
from typing import TYPE_CHECKING

from holloway.observer.signals.signal import Signal, SignalName
from holloway.text.file_roles import is_project_config, is_test

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from holloway.observer.activity import ActivityEntry, SessionActivity


ACCESS_WEIGHT = {"read": 1, "edit": 2, "write": 3}
CO_ACCESS_WINDOW = 5
"""Window, in file accesses, within which two files count as opened together."""
EDITED_TOGETHER_MAX = 12
"""Limit of edited files for pairs to be meaningful; a larger change is a sweep."""
PAIRS_MAX = 400
CHASE_ENTRIES = 3
"""Window, in entries, after a search within which an opened file counts as found by it."""
OPENED_FIRST = 3
"""Number of first opened files in which a wrong turn is looked for."""

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+")


def detect_file_access(activity: SessionActivity) -> Iterator[Signal]:
    """Report every opened file, with the weight and the time of its access."""
    for path, entries in activity.touched_files.items():
        weight = max(ACCESS_WEIGHT[entry.kind] for entry in entries)
        facts = {
            "weight": weight,
            "times": len(entries),
            "first": entries[0].step,
            "edited": path in activity.edited_files,
        }
        yield Signal(SignalName.FILE_ACCESS, path, entries[0].step, (path,), facts)


def detect_co_access(activity: SessionActivity) -> Iterator[Signal]:
    """Report pairs of files that were opened close to each other or changed in the same session."""
    pairs: dict[tuple[str, str], int] = {}
    recent: deque[str] = deque(maxlen=CO_ACCESS_WINDOW)
    for entry in activity.entries:
        if not entry.path or entry.kind not in ACCESS_WEIGHT:
            continue
        for recent_path in recent:
            if recent_path != entry.path:
                pairs.setdefault((min(recent_path, entry.path), max(recent_path, entry.path)), entry.step)
        recent.append(entry.path)
    edited = list(activity.edited_files)
    if len(edited) <= EDITED_TOGETHER_MAX:
        for left, right in combinations(sorted(edited), 2):
            pairs.setdefault((left, right), activity.edited_files[right][0].step)
    ranked = sorted(pairs, key=lambda pair: -sum(path in activity.edited_files for path in pair))
    for left, right in ranked[:PAIRS_MAX]:
        both_edited = (
            left in activity.edited_files and right in activity.edited_files and len(edited) <= EDITED_TOGETHER_MAX
        )
        is_in_order = activity.touched_files[left][0].step < activity.touched_files[right][0].step
        facts = {"edited": both_edited, "first": left if is_in_order else right}
        yield Signal(SignalName.CO_ACCESS, f"{left}|{right}", pairs[(left, right)], (left, right), facts)


def detect_import_chase(activity: SessionActivity) -> Iterator[Signal]:
    """Detect files that were found by a search right after another file was read."""
    seen_paths: set[str] = set()
    last_read: ActivityEntry | None = None
    search_index = 0
    for index, entry in enumerate(activity.entries):
        if entry.kind == "search":
            search_index = index
        if entry.kind != "read" or not entry.path:
            continue
        is_near_search = (
            last_read is not None
            and index - search_index <= CHASE_ENTRIES
            and last_read.step < activity.entries[search_index].step
        )
        if (
            is_near_search
            and last_read is not None
            and search_index
            and entry.path not in seen_paths
            and entry.path != last_read.path
        ):
            facts = {"parent": last_read.path, "child": entry.path}
            yield Signal(
                SignalName.IMPORT_CHASE,
                f"{last_read.path}>{entry.path}",
                entry.step,
                (last_read.path, entry.path),
                facts,
            )
        seen_paths.add(entry.path)
        last_read = entry


def detect_config_touch(activity: SessionActivity) -> Iterator[Signal]:
    """Detect configuration files that changed together with the code of a folder."""
    sources = [path for path in activity.edited_files if not is_project_config(path) and not is_test(path)]
    if not sources:
        return
    folder = Counter(posixpath.dirname(path) or "." for path in sources).most_common(1)[0][0]
    for path in activity.edited_files:
        if is_project_config(path):
            facts = {"config": path, "folder": folder, "edited": sources[:EDITED_TOGETHER_MAX]}
            yield Signal(
                SignalName.CONFIG_TOUCH, f"{path}|{folder}", activity.edited_files[path][0].step, (path,), facts
            )


def detect_read_abandon(activity: SessionActivity) -> Iterator[Signal]:
    """Detect wrong turns: a file opened first and abandoned for one of a similar name, which was then edited."""
    if not activity.successful_edits:
        return
    goal = next((entry for entry in activity.successful_edits if entry.path and not is_test(entry.path)), None)
    if goal is None:
        return
    for entry in activity.first_reads[:OPENED_FIRST]:
        wrong_path = entry.path
        access_steps = [access.step for access in activity.touched_files[wrong_path]]
        if (
            wrong_path == goal.path
            or wrong_path in activity.edited_files
            or is_test(wrong_path)
            or max(access_steps) > goal.step
        ):
            continue
        if is_namesake(wrong_path, goal.path):
            facts = {"first": wrong_path, "final": goal.path}
            yield Signal(
                SignalName.READ_ABANDON, f"{wrong_path}>{goal.path}", entry.step, (goal.path, wrong_path), facts
            )


def is_namesake(path: str, other_path: str) -> bool:
    """Whether two files share a word of their names and their suffix, so that one can be mistaken for the other."""
    return (
        bool(_split_stem(path) & _split_stem(other_path))
        and posixpath.splitext(path)[1] == posixpath.splitext(other_path)[1]
    )


def _split_stem(path: str) -> frozenset[str]:
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return frozenset(word.lower() for word in _WORD.findall(stem) if len(word) > 2)


def detect_parallel_conflict(activity: SessionActivity) -> Iterator[Signal]:
    """Detect files that two or more agents worked on at the same time, and changed."""
    for path, edits in activity.edited_files.items():
        spans = _list_work_spans(activity, path, {entry.action.actor for entry in edits})
        if any(
            start <= other_end and other_start <= end
            for (start, end), (other_start, other_end) in combinations(spans.values(), 2)
        ):
            facts = {"agents": sorted(spans)[:8]}
            yield Signal(SignalName.PARALLEL_CONFLICT, path, edits[-1].step, (path,), facts)


def _list_work_spans(activity: SessionActivity, path: str, actors: Collection[str]) -> dict[str, tuple[float, float]]:
    """Return, for each of these agents, the time from its first look at a file to its last change of it."""
    spans: dict[str, tuple[float, float]] = {}
    for entry in activity.touched_files[path]:
        actor = entry.action.actor
        if actor not in actors:
            continue
        start, end = spans.get(actor, (entry.action.at, entry.action.at))
        spans[actor] = (start, (entry.action.ended_at or entry.action.at) if entry.is_change else end)
    return spans
