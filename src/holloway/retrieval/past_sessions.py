"""Files of past sessions as evidence for the next task: those of sessions on similar tasks, and of the latest."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import TASK_CHARS_MAX
from holloway.text.identifiers import STOP_WORDS, expand_words

if TYPE_CHECKING:
    from collections.abc import Sequence

SIMILARITY_MIN = 0.25
"""Similarity of a task from which on its files count; below it, two tasks only share common words."""
HALF_LIFE_SESSIONS = 3
"""Number of sessions after which the weight of a session's files halves."""
HABIT_HALF_LIFE_SESSIONS = 10
"""Number of sessions after which a session says half as much about which files every session opens."""
HABIT_SESSIONS_MIN = 3
"""Sessions that are assumed to have opened nothing, so that the first ones make no habit."""
SAME_BRANCH_WEIGHT = 6.0
"""Weight of a session on the same branch relative to others: work on a branch continues in the same files."""


@dataclass(frozen=True, slots=True)
class PastSession:
    """A finished session: its task, and the files it opened with their weight (read 1, changed more)."""

    task: str
    files: tuple[tuple[str, int], ...]
    branch: str = ""


def score_similar_sessions(past: Sequence[PastSession], task: str) -> dict[str, tuple[float, str]]:
    """Score files by the most similar earlier task that opened them (TF-IDF cosine), and return that task with each."""
    task_words, words_by_session = _count_words(task), [_count_words(session.task) for session in past]
    counts = Counter(word for words in words_by_session for word in words)
    weight = {word: math.log(1 + len(past) / (1 + counts[word])) for word in {*task_words, *counts}}
    task_norm = _compute_norm(task_words, weight)
    scores: dict[str, tuple[float, str]] = {}
    for session, words in zip(past, words_by_session, strict=True):
        similarity = _compute_dot_product(task_words, words, weight) / (task_norm * _compute_norm(words, weight))
        for path, _ in session.files if similarity >= SIMILARITY_MIN else ():
            scores[path] = max(scores.get(path, (0.0, "")), (similarity, session.task))
    return scores


def score_recent_sessions(past: Sequence[PastSession], branch: str = "") -> dict[str, float]:
    """Score files of the latest sessions, `past` being oldest first; those on this branch count more."""
    scores: dict[str, float] = {}
    for age, session in enumerate(reversed(past)):
        branch_weight = SAME_BRANCH_WEIGHT if branch and session.branch == branch else 1.0
        for path, _ in session.files:
            scores[path] = scores.get(path, 0.0) + branch_weight * 0.5 ** (age / HALF_LIFE_SESSIONS)
    return scores


def measure_habits(past: Sequence[PastSession]) -> dict[str, float]:
    """Return the share of sessions that opened each file, `past` being oldest first; later sessions count more."""
    total = float(HABIT_SESSIONS_MIN)
    counts: dict[str, float] = {}
    for age, session in enumerate(reversed(past)):
        weight = 0.5 ** (age / HABIT_HALF_LIFE_SESSIONS)
        total += weight
        for path in {path for path, _ in session.files}:
            counts[path] = counts.get(path, 0.0) + weight
    return {path: count / total for path, count in counts.items()}


def _count_words(text: str) -> Counter[str]:
    return Counter(word for word in expand_words(text[:TASK_CHARS_MAX]) if len(word) > 1 and word not in STOP_WORDS)


def _compute_dot_product(first: Counter[str], second: Counter[str], weight: dict[str, float]) -> float:
    shared = first.keys() & second.keys()
    return sum(
        (1 + math.log(first[word])) * (1 + math.log(second[word])) * weight[word] ** 2 for word in sorted(shared)
    )


def _compute_norm(words: Counter[str], weight: dict[str, float]) -> float:
    return math.sqrt(sum(((1 + math.log(count)) * weight[word]) ** 2 for word, count in words.items())) or 1.0
