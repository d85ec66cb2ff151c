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
from holloway.retrieval.full_memories import Whole
from holloway.retrieval.fusion import Fusion, fuse
from holloway.retrieval.graph_boost import boosted
from holloway.retrieval.query_intent import QueryKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.ranking_fields import Sketch
    from holloway.domain.work import Phase
    from holloway.retrieval.candidates import Meaning
    from holloway.retrieval.query_intent import Query
    from holloway.store.filter import Filter
    from holloway.store.store import Store

STAGES = frozenset(["kinds", "neighbourhood", "trust", "recency", "confidence", "staleness", "phase", "once"])
"""The stages that are on. "difference" is built and off: it moved the best ten about and found nothing more."""

RERANKED = 20
"""Of the candidates, the best few that a closer look is taken at."""
RERANK_SHARE = 0.5
"""How much that look counts against the score before it."""

DIGITS = {
    **dict.fromkeys(["fused", "neighbourhood", "reranked"], 4),
    **dict.fromkeys(["trust", "recency", "confidence", "staleness", "phase"], 3),
}
"""Of what a stage said, the decimals that are told."""


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
    changed: Callable[[Sequence[Sketch]], Mapping[str, Mapping[str, float]]] | None = None
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
    sketches = store.memories.sketches(list(scores))
    scores = {seq: score for seq, score in scores.items() if seq in sketches}
    said: dict[str, Mapping[int, float]] = {**lists, "fused": scores}
    if "neighbourhood" in means.stages:
        scores = said["neighbourhood"] = boosted(scores, sketches)
    factors = _factors(store, scores, sketches, means)
    for name, factor in factors.items():
        scores = {seq: score * factor[seq] for seq, score in scores.items()}
        said[name] = factor
    if means.rerank:
        scores = said["reranked"] = _reranked(store, query, scores, means.rerank)
    whole = Whole(store.memories, list(_best(scores, len(scores))), limit)
    order = _varied(scores, whole, limit, means.stages)
    return _results(store, order, scores, whole, said)


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
    newest_first = sorted(scores, reverse=True)
    return {seq: scores[seq] for seq in sorted(newest_first, key=scores.__getitem__, reverse=True)[:count]}


def _factors(
    store: Store, scores: Mapping[int, float], sketches: Mapping[int, Sketch], means: Means
) -> dict[str, dict[int, float]]:
    """What phase, source, age, confidence and the state of the files make of each score, by name."""
    now = store.clock.now()
    asked = means.changed if "staleness" in means.stages else None
    changed = asked([sketches[seq] for seq in scores]) if asked else {}
    factors = {seq: rank.factors(sketches[seq], now, means.phase, changed.get(sketches[seq].id, {})) for seq in scores}
    names = [name for name in next(iter(factors.values()), {}) if name in means.stages]
    return {name: {seq: found[name] for seq, found in factors.items()} for name in names}


def _reranked(
    store: Store,
    query: Query,
    scores: dict[int, float],
    rerank: Callable[[str, list[str]], list[float] | None],
) -> dict[int, float]:
    """The best few in the order of a closer look; the fused order stands where that look took too long."""
    best_few = list(_best(scores, RERANKED))
    memories = store.memories.many(best_few)
    top = [seq for seq in best_few if seq in memories]
    looked = rerank(query.text, [memories[seq].content for seq in top]) if top else None
    if looked is None:
        return scores
    low, span = min(looked), (max(looked) - min(looked)) or 1.0
    closer = {seq: (value - low) / span for seq, value in zip(top, looked, strict=True)}
    best = scores[top[0]] or 1.0
    first = {seq: 1.0 + RERANK_SHARE * closer[seq] + (1 - RERANK_SHARE) * scores[seq] / best for seq in top}
    return {seq: first.get(seq, score / best) for seq, score in scores.items()}


def _varied(scores: Mapping[int, float], whole: Whole, limit: int, stages: frozenset[str]) -> list[int]:
    """The best few, what says the same as a better one left out."""
    likeness = by_words(whole.text)
    order = diverse(scores, likeness) if "difference" in stages else list(_best(scores, len(scores)))
    return distinct(order, likeness, limit) if "once" in stages else order[:limit]


def _results(
    store: Store,
    order: list[int],
    scores: Mapping[int, float],
    whole: Whole,
    said: Mapping[str, Mapping[int, float]],
) -> list[Result]:
    best = max(scores.values(), default=0.0)
    now = store.clock.now()
    return [
        Result(
            memory,
            scores[seq] / best if best > 0 else 1.0,
            confidence.current(memory, now),
            store.project.name,
            _trail(seq, said),
        )
        for seq in order
        if (memory := whole.get(seq)) is not None
    ]


def _trail(seq: int, said: Mapping[str, Mapping[int, float]]) -> dict[str, float]:
    """What each stage said of a memory, in their order; candidates' own scores as they are."""
    return {
        name: round(values[seq], DIGITS[name]) if name in DIGITS else values[seq]
        for name, values in said.items()
        if seq in values
    }
