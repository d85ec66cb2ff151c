"""Recall: hybrid search (keywords, vectors and files) for the memories that answer a query, best first.

query ─> parse ─> candidates: text | vectors | files ─> fuse ─> graph boost
      ─> phase, trust, recency, confidence, staleness ─> rerank ─> deduplicate ─> results
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holloway.config import SEARCH_RESULTS_MAX
from holloway.domain import confidence
from holloway.errors import InvalidInput
from holloway.retrieval import candidates, rank
from holloway.retrieval.candidates import QueryKind
from holloway.retrieval.rank import (
    Fusion,
    boost_scores,
    diversify_ranking,
    drop_near_duplicates,
    fuse_scores,
    make_word_similarity,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.domain.memory import Memory, Sketch
    from holloway.domain.work import Phase
    from holloway.retrieval.candidates import Query, QueryVector
    from holloway.store.filter import Filter
    from holloway.store.memories import Memories
    from holloway.store.store import Store


STAGES = frozenset(["kinds", "neighbourhood", "trust", "recency", "confidence", "staleness", "phase", "once"])
"""The active stages. "difference" (maximal marginal relevance) exists but is off: it only reordered the best ten."""

RERANKED = 20
"""Number of best candidates that are reranked."""
RERANK_SHARE = 0.5
"""Weight of the reranker against the score before it."""

DIGITS = {
    **dict.fromkeys(["fused", "neighbourhood", "reranked"], 4),
    **dict.fromkeys(["trust", "recency", "confidence", "staleness", "phase"], 3),
}
"""Decimals of each stage's score in the output."""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """A recalled memory, its score (1 is the best of its store), and its current confidence."""

    memory: Memory
    score: float
    confidence: float
    project: str
    stages: Mapping[str, float] = field(default_factory=dict)
    """The score of each stage, in order."""


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """Optional inputs of recall besides the query text. A missing input turns its stage off."""

    meaning: QueryVector | None = None
    places: Mapping[str, float] = field(default_factory=dict)
    """Files that the query concerns or that are near them, with a weight."""
    phase: Phase | None = None
    changed: Callable[[Sequence[Sketch]], Mapping[str, Mapping[str, float]]] | None = None
    """Returns how much of the memories' files was rewritten since they were learned, by id and path."""
    rerank: Callable[[str, list[str]], list[float] | None] | None = None
    """Scores the best few texts, or returns None on timeout."""
    fusion: Fusion = Fusion.SCORES
    stages: frozenset[str] = STAGES
    """The active stages, for measuring the effect of each."""


def recall_memories(
    store: Store, query: Query, memory_filter: Filter, limit: int, options: RecallOptions | None = None
) -> list[RecallResult]:
    """Return the memories that answer a query, best first. Raises InvalidInput for an empty query or a bad limit."""
    check_query(query.text, limit)
    options = options or RecallOptions()
    lists = candidates.collect_candidates(store, query, memory_filter, options.meaning, options.places)
    scores = _take_best(_fuse_lists(lists, query, options), max(candidates.FUSED_CANDIDATES_MAX, limit))
    sketches = store.memories.get_sketches(list(scores))
    scores = {seq: score for seq, score in scores.items() if seq in sketches}
    stage_scores: dict[str, Mapping[int, float]] = {**lists, "fused": scores}
    if "neighbourhood" in options.stages:
        scores = stage_scores["neighbourhood"] = boost_scores(scores, sketches)
    factors = _compute_factors(store, scores, sketches, options)
    for name, factor in factors.items():
        scores = {seq: score * factor[seq] for seq, score in scores.items()}
        stage_scores[name] = factor
    if options.rerank:
        scores = stage_scores["reranked"] = _rerank_scores(store, query, scores, options.rerank)
    full_memories = LazyMemories(store.memories, list(_take_best(scores, len(scores))), limit)
    order = _drop_duplicates(scores, full_memories, limit, options.stages)
    return _build_results(store, order, scores, full_memories, stage_scores)


def _fuse_lists(lists: Mapping[str, Mapping[int, float]], query: Query, options: RecallOptions) -> dict[int, float]:
    related_from = options.meaning.related_from if options.meaning else 0.0
    kind = query.kind if "kinds" in options.stages else QueryKind.SEMANTIC
    return fuse_scores(lists, kind, options.fusion, related_from=related_from)


def check_query(query: str, limit: int) -> None:
    """Raise InvalidInput if the query is empty or the limit is out of range."""
    if not query.strip():
        raise InvalidInput("The question is empty.", "Say what you are looking for; `holloway list` shows everything.")
    if not 1 <= limit <= SEARCH_RESULTS_MAX:
        raise InvalidInput(f"The limit cannot be {limit}.", f"It must be between 1 and {SEARCH_RESULTS_MAX}.")


def _take_best(scores: Mapping[int, float], count: int) -> dict[int, float]:
    """Return the highest scores in descending order; of equal ones, the newer memory comes first."""
    newest_first = sorted(scores, reverse=True)
    return {seq: scores[seq] for seq in sorted(newest_first, key=scores.__getitem__, reverse=True)[:count]}


def _compute_factors(
    store: Store, scores: Mapping[int, float], sketches: Mapping[int, Sketch], options: RecallOptions
) -> dict[str, dict[int, float]]:
    """Return the factors of phase, source, age, confidence and file changes for each score, by name."""
    now = store.clock.now()
    measure_changes = options.changed if "staleness" in options.stages else None
    changed = measure_changes([sketches[seq] for seq in scores]) if measure_changes else {}
    factors = {
        seq: rank.compute_factors(sketches[seq], now, options.phase, changed.get(sketches[seq].id, {}))
        for seq in scores
    }
    names = [name for name in next(iter(factors.values()), {}) if name in options.stages]
    return {name: {seq: by_name[name] for seq, by_name in factors.items()} for name in names}


def _rerank_scores(
    store: Store,
    query: Query,
    scores: dict[int, float],
    rerank: Callable[[str, list[str]], list[float] | None],
) -> dict[int, float]:
    """Return scores with the best few reranked; unchanged if the reranker timed out."""
    best_few = list(_take_best(scores, RERANKED))
    memories = store.memories.get_by_seqs(best_few)
    top = [seq for seq in best_few if seq in memories]
    rerank_scores = rerank(query.text, [memories[seq].content for seq in top]) if top else None
    if rerank_scores is None:
        return scores
    low, span = min(rerank_scores), (max(rerank_scores) - min(rerank_scores)) or 1.0
    normalised = {seq: (value - low) / span for seq, value in zip(top, rerank_scores, strict=True)}
    best = scores[top[0]] or 1.0
    reranked = {seq: 1.0 + RERANK_SHARE * normalised[seq] + (1 - RERANK_SHARE) * scores[seq] / best for seq in top}
    return {seq: reranked.get(seq, score / best) for seq, score in scores.items()}


def _drop_duplicates(
    scores: Mapping[int, float], full_memories: LazyMemories, limit: int, stages: frozenset[str]
) -> list[int]:
    """Return the best few row numbers without near-duplicates."""
    likeness = make_word_similarity(full_memories.load_text)
    order = diversify_ranking(scores, likeness) if "difference" in stages else list(_take_best(scores, len(scores)))
    return drop_near_duplicates(order, likeness, limit) if "once" in stages else order[:limit]


def _build_results(
    store: Store,
    order: list[int],
    scores: Mapping[int, float],
    full_memories: LazyMemories,
    stage_scores: Mapping[str, Mapping[int, float]],
) -> list[RecallResult]:
    best = max(scores.values(), default=0.0)
    now = store.clock.now()
    return [
        RecallResult(
            memory,
            scores[seq] / best if best > 0 else 1.0,
            confidence.current_confidence(memory, now),
            store.project.name,
            _collect_stage_scores(seq, stage_scores),
        )
        for seq in order
        if (memory := full_memories.load_memory(seq)) is not None
    ]


def _collect_stage_scores(seq: int, stage_scores: Mapping[str, Mapping[int, float]]) -> dict[str, float]:
    """Return the score of each stage for a memory, in order; scores of candidate lists are not rounded."""
    return {
        name: round(values[seq], DIGITS[name]) if name in DIGITS else values[seq]
        for name, values in stage_scores.items()
        if seq in values
    }


class LazyMemories:
    """The full memories of a ranking, loaded in portions from its beginning."""

    def __init__(self, memories: Memories, ranked: Sequence[int], portion: int) -> None:
        self._memories = memories
        self._ranked = ranked
        self._portion = portion
        self._loaded: dict[int, Memory | None] = {}

    def load_memory(self, seq: int) -> Memory | None:
        """Return a memory, or None if it was deleted since it was ranked."""
        if seq not in self._loaded:
            start = self._ranked.index(seq)
            portion = self._ranked[start : start + self._portion]
            memories = self._memories.get_by_seqs(portion)
            self._loaded |= {other_seq: memories.get(other_seq) for other_seq in portion}
        return self._loaded[seq]

    def load_text(self, seq: int) -> str:
        """Return the content of a memory; empty if it was deleted."""
        memory = self.load_memory(seq)
        return memory.content if memory else ""
