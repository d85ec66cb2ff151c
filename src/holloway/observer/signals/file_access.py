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


def file_access(account: Account) -> Iterator[Signal]:
    """Every file that was opened: how much it mattered, and how early."""
    for path, deeds in account.touched.items():
        weight = max(ACCESS_WEIGHT[deed.kind] for deed in deeds)
        facts = {"weight": weight, "times": len(deeds), "first": deeds[0].step, "edited": path in account.edited}
        yield Signal(SignalName.FILE_ACCESS, path, deeds[0].step, (path,), facts)


def co_access(account: Account) -> Iterator[Signal]:
    """Files opened close to each other, and files changed in the same session."""
    pairs: dict[tuple[str, str], int] = {}
    recent: deque[str] = deque(maxlen=NEIGHBOURS)
    for deed in account.deeds:
        if not deed.path or deed.kind not in ACCESS_WEIGHT:
            continue
        for other in recent:
            if other != deed.path:
                pairs.setdefault((min(other, deed.path), max(other, deed.path)), deed.step)
        recent.append(deed.path)
    edited = list(account.edited)
    if len(edited) <= EDITED_TOGETHER_MAX:
        for one, other in combinations(sorted(edited), 2):
            pairs.setdefault((one, other), account.edited[other][0].step)
    ranked = sorted(pairs, key=lambda pair: -sum(path in account.edited for path in pair))
    for one, other in ranked[:PAIRS_MAX]:
        both = one in account.edited and other in account.edited and len(edited) <= EDITED_TOGETHER_MAX
        order = account.touched[one][0].step < account.touched[other][0].step
        facts = {"edited": both, "first": one if order else other}
        yield Signal(SignalName.CO_ACCESS, f"{one}|{other}", pairs[(one, other)], (one, other), facts)


def import_chase(account: Account) -> Iterator[Signal]:
    """A file that was found by searching right after another one was read."""
    seen: set[str] = set()
    last: Deed | None = None
    searched = 0
    for place, deed in enumerate(account.deeds):
        if deed.kind == "search":
            searched = place
        if deed.kind != "read" or not deed.path:
            continue
        near = last is not None and place - searched <= CHASE_DEEDS and last.step < account.deeds[searched].step
        if near and last is not None and searched and deed.path not in seen and deed.path != last.path:
            facts = {"parent": last.path, "child": deed.path}
            yield Signal(SignalName.IMPORT_CHASE, f"{last.path}>{deed.path}", deed.step, (last.path, deed.path), facts)
        seen.add(deed.path)
        last = deed


def config_touch(account: Account) -> Iterator[Signal]:
    """A configuration file that had to change together with the code of some folder."""
    sources = [path for path in account.edited if not is_project_config(path) and not is_test(path)]
    if not sources:
        return
    folder = Counter(posixpath.dirname(path) or "." for path in sources).most_common(1)[0][0]
    for path in account.edited:
        if is_project_config(path):
            facts = {"config": path, "folder": folder, "edited": sources[:EDITED_TOGETHER_MAX]}
            yield Signal(SignalName.CONFIG_TOUCH, f"{path}|{folder}", account.edited[path][0].step, (path,), facts)


def read_abandon(account: Account) -> Iterator[Signal]:
    """The wrong turn: a file opened first and left for a namesake, where the work then was."""
    if not account.edits:
        return
    goal = next((deed for deed in account.edits if deed.path and not is_test(deed.path)), None)
    if goal is None:
        return
    for deed in account.first_reads[:OPENED_FIRST]:
        wrong = deed.path
        later = [each.step for each in account.touched[wrong]]
        if wrong == goal.path or wrong in account.edited or is_test(wrong) or max(later) > goal.step:
            continue
        if namesakes(wrong, goal.path):
            facts = {"first": wrong, "final": goal.path}
            yield Signal(SignalName.READ_ABANDON, f"{wrong}>{goal.path}", deed.step, (goal.path, wrong), facts)


def namesakes(one: str, other: str) -> bool:
    """Whether two files have a word of their names in common, so that one may be taken for the other."""
    return bool(_stem_words(one) & _stem_words(other)) and posixpath.splitext(one)[1] == posixpath.splitext(other)[1]


def _stem_words(path: str) -> frozenset[str]:
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return frozenset(word.lower() for word in _WORD.findall(stem) if len(word) > 2)
