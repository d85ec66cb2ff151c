"""Signals in which files a session opens and changes, and in what company."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, deque
from itertools import combinations
from typing import TYPE_CHECKING

from holloway.observer.signals.signal import Signal, SignalName
from holloway.text.file_roles import is_project_config, is_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import Account, Deed

ACCESS_WEIGHT = {"read": 1, "edit": 2, "write": 3}
NEIGHBOURS = 5
"""Files opened within this many others count as opened together."""
EDITED_TOGETHER_MAX = 12
"""A change of more files than this is a sweep; its pairs say nothing."""
PAIRS_MAX = 400
CHASE_DEEDS = 3
"""A file found within this many deeds of its neighbour, with a search in between, was chased."""
OPENED_FIRST = 3
"""Among so many first files the wrong turn is looked for."""

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+")


def file_access(activity: Account) -> Iterator[Signal]:
    """Every file that was opened: how much it mattered, and how early."""
    for path, entries in activity.touched.items():
        weight = max(ACCESS_WEIGHT[entry.kind] for entry in entries)
        facts = {"weight": weight, "times": len(entries), "first": entries[0].step, "edited": path in activity.edited}
        yield Signal(SignalName.FILE_ACCESS, path, entries[0].step, (path,), facts)


def co_access(activity: Account) -> Iterator[Signal]:
    """Files opened close to each other, and files changed in the same session."""
    pairs: dict[tuple[str, str], int] = {}
    recent: deque[str] = deque(maxlen=NEIGHBOURS)
    for entry in activity.deeds:
        if not entry.path or entry.kind not in ACCESS_WEIGHT:
            continue
        for other in recent:
            if other != entry.path:
                pairs.setdefault((min(other, entry.path), max(other, entry.path)), entry.step)
        recent.append(entry.path)
    edited = list(activity.edited)
    if len(edited) <= EDITED_TOGETHER_MAX:
        for one, other in combinations(sorted(edited), 2):
            pairs.setdefault((one, other), activity.edited[other][0].step)
    ranked = sorted(pairs, key=lambda pair: -sum(path in activity.edited for path in pair))
    for one, other in ranked[:PAIRS_MAX]:
        both = one in activity.edited and other in activity.edited and len(edited) <= EDITED_TOGETHER_MAX
        order = activity.touched[one][0].step < activity.touched[other][0].step
        facts = {"edited": both, "first": one if order else other}
        yield Signal(SignalName.CO_ACCESS, f"{one}|{other}", pairs[(one, other)], (one, other), facts)


def import_chase(activity: Account) -> Iterator[Signal]:
    """A file that was found by searching right after another one was read."""
    seen: set[str] = set()
    last: Deed | None = None
    searched = 0
    for place, entry in enumerate(activity.deeds):
        if entry.kind == "search":
            searched = place
        if entry.kind != "read" or not entry.path:
            continue
        near = last is not None and place - searched <= CHASE_DEEDS and last.step < activity.deeds[searched].step
        if near and last is not None and searched and entry.path not in seen and entry.path != last.path:
            facts = {"parent": last.path, "child": entry.path}
            yield Signal(
                SignalName.IMPORT_CHASE, f"{last.path}>{entry.path}", entry.step, (last.path, entry.path), facts
            )
        seen.add(entry.path)
        last = entry


def config_touch(activity: Account) -> Iterator[Signal]:
    """A configuration file that had to change together with the code of some folder."""
    sources = [path for path in activity.edited if not is_project_config(path) and not is_test(path)]
    if not sources:
        return
    folder = Counter(posixpath.dirname(path) or "." for path in sources).most_common(1)[0][0]
    for path in activity.edited:
        if is_project_config(path):
            facts = {"config": path, "folder": folder, "edited": sources[:EDITED_TOGETHER_MAX]}
            yield Signal(SignalName.CONFIG_TOUCH, f"{path}|{folder}", activity.edited[path][0].step, (path,), facts)


def read_abandon(activity: Account) -> Iterator[Signal]:
    """The wrong turn: a file opened first and left for a namesake, where the work then was."""
    if not activity.edits:
        return
    goal = next((entry for entry in activity.edits if entry.path and not is_test(entry.path)), None)
    if goal is None:
        return
    for entry in activity.first_reads[:OPENED_FIRST]:
        wrong = entry.path
        later = [each.step for each in activity.touched[wrong]]
        if wrong == goal.path or wrong in activity.edited or is_test(wrong) or max(later) > goal.step:
            continue
        if namesakes(wrong, goal.path):
            facts = {"first": wrong, "final": goal.path}
            yield Signal(SignalName.READ_ABANDON, f"{wrong}>{goal.path}", entry.step, (goal.path, wrong), facts)


def namesakes(one: str, other: str) -> bool:
    """Whether two files have a word of their names in common, so that one may be taken for the other."""
    return bool(_stem_words(one) & _stem_words(other)) and posixpath.splitext(one)[1] == posixpath.splitext(other)[1]


def _stem_words(path: str) -> frozenset[str]:
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return frozenset(word.lower() for word in _WORD.findall(stem) if len(word) > 2)
