"""Files of past sessions as evidence for the next task: those of sessions on similar tasks, and of the latest."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import TASK_CHARS_MAX
from holloway.text.identifiers import STOP_WORDS, expand_words

if TYPE_CHECKING:
    from collections.abc import Sequence

NEAREST_SESSIONS = 10
"""Sessions with the most similar tasks, whose files count. Several tasks that are a little alike say more than one."""
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


class SimilarSessions(NamedTuple):
    """The files of the sessions with the most similar tasks."""

    scores: dict[str, float]
    """The summed similarity of the tasks that opened each file."""
    tasks: dict[str, str]
    """The most similar task that opened each file."""
    similarity: float
    """The similarity of the most similar task, from 0 to 1."""


def score_similar_sessions(past: Sequence[PastSession], task: str) -> SimilarSessions:
    """Score files by the earlier tasks that opened them and are most similar to this one (TF-IDF cosine)."""
    similarities = _compare_tasks(past, task)
    nearest = sorted(range(len(past)), key=lambda number: (-similarities[number], -number))[:NEAREST_SESSIONS]
    scores: dict[str, float] = {}
    tasks: dict[str, str] = {}
    for number in nearest:
        for path, _ in past[number].files if similarities[number] > 0 else ():
            scores[path] = scores.get(path, 0.0) + similarities[number]
            tasks.setdefault(path, past[number].task)
    return SimilarSessions(scores, tasks, max(similarities, default=0.0))


def _compare_tasks(past: Sequence[PastSession], task: str) -> list[float]:
    """Return the similarity of each past task to this one."""
    task_words, words_by_session = _count_words(task), [_count_words(session.task) for session in past]
    counts = Counter(word for words in words_by_session for word in words)
    weight = {word: math.log(1 + len(past) / (1 + counts[word])) for word in {*task_words, *counts}}
    task_norm = _compute_norm(task_words, weight)
    return [
        _compute_dot_product(task_words, words, weight) / (task_norm * _compute_norm(words, weight))
        for words in words_by_session
    ]


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
