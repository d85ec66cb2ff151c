"""Recall: a question in, the memories that answer it out.

question ─> understand ─> candidates: by words | by meaning | by place ─> fuse ─> neighbourhood
         ─> phase, trust, recency, confidence, staleness ─> rerank ─> say it once ─> results
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holloway.config import RESULTS_MAX
from holloway.domain import confidence
from holloway.errors import InvalidInput
from holloway.retrieval import candidates, rank
from holloway.retrieval.diversity import by_words, distinct, diverse
from holloway.retrieval.fusion import Fusion, fuse
from holloway.retrieval.neighbourhood import boosted
from holloway.retrieval.query import QueryKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.work import Phase
    from holloway.retrieval.candidates import Meaning
    from holloway.retrieval.query import Query
    from holloway.store.filter import Filter
    from holloway.store.store import Store

STAGES = frozenset(["kinds", "neighbourhood", "trust", "recency", "confidence", "staleness", "phase", "once"])
"""The stages that are on. "difference" is built and off: it moved the best ten about and found nothing more."""


@dataclass(frozen=True, slots=True)
class Result:
    """A memory that was found, how well it matches (1 is the best of its store), and its confidence today."""

    memory: Memory
    score: float
    confidence: float
    project: str
    stages: Mapping[str, float] = field(default_factory=dict)
    """What each stage said of it, in order."""


@dataclass(frozen=True, slots=True)
class Means:
    """What recall may use besides the words of a question. Whatever is missing is left out."""

    meaning: Meaning | None = None
    places: Mapping[str, float] = field(default_factory=dict)
    """Files that the question is about or that lie near them, and how near."""
    phase: Phase | None = None
    changed: Callable[[Sequence[Memory]], Mapping[str, Mapping[str, float]]] | None = None
    """How much of the files of memories was rewritten since they were learned, by id and path."""
    rerank: Callable[[str, list[str]], list[float] | None] | None = None
    """Scores for the best few texts, or None where that took too long."""
    fusion: Fusion = Fusion.SCORES
    stages: frozenset[str] = STAGES
    """Those that are on; for measuring what each of them brings."""


def recall(store: Store, query: Query, chosen: Filter, limit: int, means: Means | None = None) -> list[Result]:
    """The memories that answer a question, best first."""
    check(query.text, limit)
    means = means or Means()
    lists = candidates.collected(store, query, chosen, means.meaning, means.places)
    scores = _best(_fused(lists, query, means), max(candidates.POOL_MAX, limit))
    memories = store.memories.many(list(scores))
    scores = {seq: score for seq, score in scores.items() if seq in memories}
    trail = {seq: {name: found[seq] for name, found in lists.items() if seq in found} for seq in scores}
    _note(trail, "fused", scores)
    if "neighbourhood" in means.stages:
        scores = boosted(scores, memories)
        _note(trail, "neighbourhood", scores)
    scores = _weighed(store, scores, memories, means, trail)
    if means.rerank:
        scores = _reranked(query, scores, memories, means.rerank)
        _note(trail, "reranked", scores)
    order = _varied(scores, memories, limit, means.stages)
    return _results(store, order, scores, memories, trail)


def _fused(lists: Mapping[str, Mapping[int, float]], query: Query, means: Means) -> dict[int, float]:
    related_from = means.meaning.related_from if means.meaning else 0.0
    kind = query.kind if "kinds" in means.stages else QueryKind.SEMANTIC
    return fuse(lists, kind, means.fusion, related_from=related_from)


def check(query: str, limit: int) -> None:
    """Say what is wrong with a question that cannot be asked."""
    if not query.strip():
        raise InvalidInput("The question is empty.", "Say what you are looking for; `holloway list` shows everything.")
    if not 1 <= limit <= RESULTS_MAX:
        raise InvalidInput(f"The limit cannot be {limit}.", f"It lies between 1 and {RESULTS_MAX}.")


def _best(scores: Mapping[int, float], count: int) -> dict[int, float]:
    """The highest scores, the highest first; of equals the newer memory."""
    return {seq: scores[seq] for seq in sorted(scores, key=lambda seq: (-scores[seq], -seq))[:count]}


def _note(trail: dict[int, dict[str, float]], stage: str, scores: Mapping[int, float]) -> None:
    for seq, score in scores.items():
        trail[seq][stage] = round(score, 4)


def _weighed(
    store: Store,
    scores: dict[int, float],
    memories: Mapping[int, Memory],
    means: Means,
    trail: dict[int, dict[str, float]],
) -> dict[int, float]:
    """Scores times what phase, source, age, confidence and the state of the files make of them."""
    now = store.clock.now()
    asked = means.changed if "staleness" in means.stages else None
    changed = asked([memories[seq] for seq in scores]) if asked else {}
    weighed = {}
    for seq in scores:
        memory = memories[seq]
        score = scores[seq]
        for name, factor in rank.factors(memory, now, means.phase, changed.get(memory.id, {})).items():
            if name in means.stages:
                trail[seq][name] = round(factor, 3)
                score *= factor
        weighed[seq] = score
    return weighed


def _reranked(
    query: Query,
    scores: dict[int, float],
    memories: Mapping[int, Memory],
    rerank: Callable[[str, list[str]], list[float] | None],
) -> dict[int, float]:
    """The best few in the order of a closer look; the fused order stands where that look took too long."""
    top = list(_best(scores, candidates.RERANKED))
    looked = rerank(query.text, [memories[seq].content for seq in top]) if top else None
    if looked is None:
        return scores
    low, span = min(looked), (max(looked) - min(looked)) or 1.0
    closer = {seq: (value - low) / span for seq, value in zip(top, looked, strict=True)}
    best = scores[top[0]] or 1.0
    share = candidates.RERANK_SHARE
    first = {seq: 1.0 + share * closer[seq] + (1 - share) * scores[seq] / best for seq in top}
    return {seq: first.get(seq, score / best) for seq, score in scores.items()}


def _varied(
    scores: Mapping[int, float], memories: Mapping[int, Memory], limit: int, stages: frozenset[str]
) -> list[int]:
    """The best few, what says the same as a better one left out."""
    likeness = by_words(lambda seq: memories[seq].content)
    order = diverse(scores, likeness) if "difference" in stages else list(_best(scores, len(scores)))
    return distinct(order, likeness, limit) if "once" in stages else order[:limit]


def _results(
    store: Store,
    order: list[int],
    scores: Mapping[int, float],
    memories: Mapping[int, Memory],
    trail: Mapping[int, Mapping[str, float]],
) -> list[Result]:
    best = max(scores.values(), default=0.0)
    now = store.clock.now()
    return [
        Result(
            memories[seq],
            scores[seq] / best if best > 0 else 1.0,
            confidence.current(memories[seq], now),
            store.project.name,
            trail[seq],
        )
        for seq in order
    ]
