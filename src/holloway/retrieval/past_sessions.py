"""Files of past sessions as evidence for the next task: those of sessions on similar tasks, and of the latest."""

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
"""Number of most similar sessions that count."""
HALVED_AFTER = 3
"""Number of sessions after which the weight of a session's files halves."""
EDITED = 1.5
"""Weight of a changed file relative to one that was only read."""
SAME_BRANCH = 6.0
"""Weight of a session on the same branch relative to others: work on a branch continues in the same files."""
TASK_CHARS_MAX = 4_000
"""Characters of a task that are compared."""


@dataclass(frozen=True, slots=True)
class PastSession:
    """A finished session: its task, and the files it opened with their weight (read 1, changed more)."""

    task: str
    files: tuple[tuple[str, int], ...]
    branch: str = ""


def similar(past: Sequence[PastSession], task: str) -> dict[str, tuple[float, str]]:
    """Score files of sessions with similar tasks (TF-IDF cosine); each with the most similar task."""
    task_words, words_by_session = _words(task), [_words(session.task) for session in past]
    counts = Counter(word for words in words_by_session for word in words)
    weight = {word: math.log(1 + len(past) / (1 + counts[word])) for word in {*task_words, *counts}}
    task_norm = _length(task_words, weight)
    ranked = [
        (_product(task_words, words, weight) / (task_norm * _length(words, weight)), index)
        for index, words in enumerate(words_by_session)
    ]
    scores: dict[str, tuple[float, str]] = {}
    for similarity, index in sorted(ranked, key=lambda entry: (-entry[0], -entry[1]))[:ALIKE]:
        for path, _ in past[index].files if similarity > 0 else ():
            earlier_score, most_similar = scores.get(path, (0.0, past[index].task))
            scores[path] = (earlier_score + similarity, most_similar)
    return scores


def recent(past: Sequence[PastSession], branch: str = "") -> dict[str, float]:
    """Score files of the latest sessions, `past` being oldest first; changed files and this branch count more."""
    scores: dict[str, float] = {}
    for age, session in enumerate(reversed(past)):
        branch_weight = SAME_BRANCH if branch and session.branch == branch else 1.0
        for path, weight in session.files:
            share = branch_weight * 0.5 ** (age / HALVED_AFTER) * (EDITED if weight > 1 else 1.0)
            scores[path] = scores.get(path, 0.0) + share
    return scores


def _words(text: str) -> Counter[str]:
    return Counter(word for word in expanded(text[:TASK_CHARS_MAX]) if len(word) > 1 and word not in STOP_WORDS)


def _product(one: Counter[str], other: Counter[str], weight: dict[str, float]) -> float:
    shared = one.keys() & other.keys()
    return sum((1 + math.log(one[word])) * (1 + math.log(other[word])) * weight[word] ** 2 for word in sorted(shared))


def _length(words: Counter[str], weight: dict[str, float]) -> float:
    return math.sqrt(sum(((1 + math.log(count)) * weight[word]) ** 2 for word, count in words.items())) or 1.0
