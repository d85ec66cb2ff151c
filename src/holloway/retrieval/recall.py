"""Recall: a question in, the memories that answer it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import QUERY_CHARS_MAX, RESULTS_MAX
from holloway.domain import confidence
from holloway.errors import InvalidInput
from holloway.store.search import search

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.store.filter import Filter
    from holloway.store.store import Store


@dataclass(frozen=True, slots=True)
class Result:
    """A memory that was found, how well it matches (1 is the best of its store), and its confidence today."""

    memory: Memory
    score: float
    confidence: float
    project: str


def recall(store: Store, query: str, chosen: Filter, limit: int) -> list[Result]:
    """Memories that share words with the query, best first."""
    if not query.strip():
        raise InvalidInput("The question is empty.", "Say what you are looking for; `holloway list` shows everything.")
    if not 1 <= limit <= RESULTS_MAX:
        raise InvalidInput(f"The limit cannot be {limit}.", f"It lies between 1 and {RESULTS_MAX}.")
    hits = search(store.database, query[:QUERY_CHARS_MAX], chosen, limit)
    memories = store.memories.many([seq for seq, _ in hits])
    best = max((score for _, score in hits), default=0.0)
    now = store.clock.now()
    return [
        Result(memory, score / best if best > 0 else 1.0, confidence.current(memory, now), store.project.name)
        for seq, score in hits
        if (memory := memories.get(seq))
    ]
