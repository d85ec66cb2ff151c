"""What earlier sessions opened, as evidence for where the next one works: those on similar tasks, and the latest."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.text.fts_query import STOP_WORDS
from holloway.text.identifiers import expanded

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIKE = 20
"""The most similar sessions that are asked."""
HALVED_AFTER = 3
"""So many sessions later, what a session opened counts half."""
EDITED = 1.5
"""What a file that was changed counts beside one that was read."""
SAME_BRANCH = 6.0
"""What a session on the same branch counts beside another: work on a branch goes on where it was."""
TASK_CHARS_MAX = 4_000
"""So much of a task is compared."""


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session that is over: what it was asked, and the files it opened with their weight (read 1, changed more)."""

    task: str
    files: tuple[tuple[str, int], ...]
    branch: str = ""


def similar(past: Sequence[PastSession], task: str) -> dict[str, tuple[float, str]]:
    """Score files of sessions with similar tasks; with each comes the most similar task."""
    asked, told = _words(task), [_words(session.task) for session in past]
    counts = Counter(word for words in told for word in words)
    weight = {word: math.log(1 + len(past) / (1 + counts[word])) for word in {*asked, *counts}}
    own = _length(asked, weight)
    alike = [(_product(asked, words, weight) / (own * _length(words, weight)), at) for at, words in enumerate(told)]
    found: dict[str, tuple[float, str]] = {}
    for likeness, at in sorted(alike, key=lambda each: (-each[0], -each[1]))[:ALIKE]:
        for path, _ in past[at].files if likeness > 0 else ():
            before, most_similar = found.get(path, (0.0, past[at].task))
            found[path] = (before + likeness, most_similar)
    return found


def recent(past: Sequence[PastSession], branch: str = "") -> dict[str, float]:
    """Files of the latest sessions, `past` being in order of time; more for what was changed, and on this branch."""
    found: dict[str, float] = {}
    for age, session in enumerate(reversed(past)):
        here = SAME_BRANCH if branch and session.branch == branch else 1.0
        for path, weight in session.files:
            share = here * 0.5 ** (age / HALVED_AFTER) * (EDITED if weight > 1 else 1.0)
            found[path] = found.get(path, 0.0) + share
    return found


def _words(text: str) -> Counter[str]:
    return Counter(word for word in expanded(text[:TASK_CHARS_MAX]) if len(word) > 1 and word not in STOP_WORDS)


def _product(one: Counter[str], other: Counter[str], weight: dict[str, float]) -> float:
    shared = one.keys() & other.keys()
    return sum((1 + math.log(one[word])) * (1 + math.log(other[word])) * weight[word] ** 2 for word in sorted(shared))


def _length(words: Counter[str], weight: dict[str, float]) -> float:
    return math.sqrt(sum(((1 + math.log(count)) * weight[word]) ** 2 for word, count in words.items())) or 1.0
