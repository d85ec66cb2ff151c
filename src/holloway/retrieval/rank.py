"""Ranking: combines the results of keyword, vector and file search (fusion), graph boost, factors, deduplication.

Every factor is close to 1, so that none can rank an irrelevant memory above a relevant one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from holloway.domain import confidence
from holloway.domain.memory import Memory, Source, State
from holloway.domain.phase_weights import PHASE_WEIGHTS
from holloway.domain.ports import parse_stamp
from holloway.retrieval.candidates import QueryKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory, Sketch
    from holloway.domain.work import Phase


SOURCE_TRUST = {
    Source.USER_TAUGHT: 1.4,
    Source.USER_CORRECTION: 1.4,
    Source.RULES_FILE: 1.2,
    Source.AGENT_EXPLICIT: 1.2,
    Source.ERROR_FIX: 1.1,
    Source.QA_AUTO: 1.1,
    Source.MCP_AUTO: 1.0,
    Source.COMMIT_AUTO: 1.0,
    Source.AGENT_NOTE: 1.0,
    Source.AGENT_CONCLUDED: 0.9,
    Source.SYNTHESIS: 1.0,
    Source.OBSERVER_INFERRED: 0.85,
    Source.FOREIGN_FILE: 0.7,
    Source.COLLEAGUE: 1.0,
}
"""Prior trust in each source."""

PRIOR_SHARE = 0.25
"""Damping of both tables: how much of a weight's distance from 1 counts, so that priors only break near ties."""

RECENCY_SHARE = 0.10
"""Highest loss of an old memory by age alone."""
RECENCY_DAYS = 180.0
VOLATILE_DAYS = {
    ".md": 365.0,
    ".rst": 365.0,
    ".txt": 365.0,
    ".toml": 120.0,
    ".json": 120.0,
    ".yaml": 120.0,
    ".yml": 120.0,
}
"""Half-life of recency in days, by the extension of a memory's files."""

CONFIDENCE_SHARE = 0.20
"""Loss of a memory with confidence 0."""
STALE_FACTOR = 0.6
"""Factor of a memory that was marked as stale."""
CHANGED_SHARE = 0.3
"""Loss of a memory when all lines of its files have changed since it was learned."""
BOOST = 0.2
"""Highest gain of a memory on the file of the best hit, on a scale where that hit has 1."""
LIST_WEIGHTS: dict[QueryKind, dict[str, float]] = {
    QueryKind.IDENTIFIER: {"text": 0.7, "dense": 0.3, "graph": 0.3},
    QueryKind.SEMANTIC: {"text": 0.5, "dense": 0.5, "graph": 0.3},
}
"""Weight of each list, by kind of query; only the lists that exist count."""

LONG_LIST = 50
"""Candidates by vector: in a list of this length, the last ones are no better than chance."""
RANK_OFFSET = 60
"""Reciprocal rank fusion: a larger offset brings the first rank closer to the second."""
RELEVANCE_SHARE = 0.8
"""Maximal marginal relevance: weight of relevance against difference."""
DUPLICATE_SIMILARITY = 0.85
"""Similarity from which two memories say the same; a list has the better one only, the store has both."""
COMPARED_CANDIDATES_MAX = 30
"""Candidates that are compared with each other."""


def compute_factors(
    memory: Memory | Sketch, now: datetime, phase: Phase | None, changed: Mapping[str, float]
) -> dict[str, float]:
    """Return the factors on a memory's score by name. `changed` is the rewritten share of each of its files."""
    by_name = {
        "trust": compute_trust(memory),
        "recency": compute_recency(memory, now),
        "confidence": 1.0 - CONFIDENCE_SHARE * (1.0 - min(confidence.current_confidence(memory, now), 1.0)),
        "staleness": compute_staleness(memory, changed),
    }
    if phase is not None:
        by_name["phase"] = _dampen_weight(PHASE_WEIGHTS[phase].get(memory.type, 1.0))
    return by_name


def compute_trust(memory: Memory | Sketch) -> float:
    """Return slightly more than 1 for what a person said, slightly less for inferred or imported memories."""
    return _dampen_weight(SOURCE_TRUST[memory.source])


def _dampen_weight(weight: float) -> float:
    return 1.0 + PRIOR_SHARE * (weight - 1.0)


def compute_recency(memory: Memory | Sketch, now: datetime) -> float:
    """Return about 1 for fresh or pinned memories, less with age; the file types decide how fast."""
    if memory.pinned:
        return 1.0
    days = max(0.0, (now - parse_stamp(max(memory.last_used_at, memory.updated_at))).total_seconds() / 86_400)
    half_lives = [VOLATILE_DAYS.get("." + path.rpartition(".")[2], RECENCY_DAYS) for path in memory.files]
    half_life_days = sum(half_lives) / len(half_lives) if half_lives else RECENCY_DAYS
    return 1.0 - RECENCY_SHARE * (1.0 - math.pow(0.5, days / half_life_days))


def compute_staleness(memory: Memory | Sketch, changed: Mapping[str, float]) -> float:
    """Return less than 1 for memories that are marked stale, or whose files changed."""
    factor = STALE_FACTOR if memory.state is State.STALE or memory.stale_at else 1.0
    if changed and memory.files and not memory.pinned:
        share = sum(min(changed.get(path, 0.0), 1.0) for path in memory.files) / len(memory.files)
        factor *= 1.0 - CHANGED_SHARE * share
    return factor


def boost_scores(scores: Mapping[int, float], memories: Mapping[int, Memory | Sketch]) -> dict[int, float]:
    """Return scores, each raised in proportion to the best other candidate on one of the memory's files."""
    seqs_by_path: defaultdict[str, list[int]] = defaultdict(list)
    for seq in sorted(scores, key=scores.__getitem__, reverse=True):
        for path in memories[seq].files:
            seqs_by_path[path].append(seq)
    return {
        seq: score + BOOST * _find_best_neighbour(seq, memories[seq], seqs_by_path, scores)
        for seq, score in scores.items()
    }


def _find_best_neighbour(
    seq: int, memory: Memory | Sketch, seqs_by_path: Mapping[str, Sequence[int]], scores: Mapping[int, float]
) -> float:
    """Return the best other score on a memory's files; on each file, the first or the second entry has it."""
    return max(
        (scores[other] for path in memory.files for other in seqs_by_path[path][:2] if other != seq), default=0.0
    )


class Fusion(StrEnum):
    """How the result lists are fused: by normalised scores, or by reciprocal ranks (RRF)."""

    SCORES = "scores"
    RANKS = "ranks"


Scores = Mapping[int, float]


def fuse_scores(
    lists: Mapping[str, Scores], kind: QueryKind, method: Fusion = Fusion.SCORES, *, related_from: float = 0.0
) -> dict[int, float]:
    """Fuse the results of keyword, vector and file search into one score for each memory, the best at 1.

    An empty list takes no weight from the others.
    """
    fused: dict[int, float] = defaultdict(float)
    for name, scores in lists.items():
        scaled = (
            _compute_reciprocal_ranks(scores) if method is Fusion.RANKS else _scale_scores(name, scores, related_from)
        )
        weight = LIST_WEIGHTS[kind][name]
        for seq, value in scaled.items():
            fused[seq] += weight * value
    best = max(fused.values(), default=0.0)
    return {seq: value / best for seq, value in fused.items()} if best > 0 else dict.fromkeys(fused, 0.0)


def _scale_scores(name: str, scores: Scores, related_from: float) -> Scores:
    """Scale a list to 0..1. Scores of the graph already are: being near a file counts the same without a better hit."""
    if name == "graph":
        return scores
    return _normalise_scores(scores, _find_floor(scores, related_from) if name == "dense" else 0.0)


def _compute_reciprocal_ranks(scores: Scores) -> dict[int, float]:
    ordered = sorted(scores, key=lambda seq: (-scores[seq], seq))
    return {seq: 1.0 / (RANK_OFFSET + position) for position, seq in enumerate(ordered, start=1)}


def _find_floor(cosines: Scores, related_from: float) -> float:
    """Return the cosine that counts as 0: the lowest of a long list, else the threshold of related texts."""
    return min(cosines.values()) if len(cosines) >= LONG_LIST or (cosines and not related_from) else related_from


def _normalise_scores(scores: Scores, floor: float) -> dict[int, float]:
    """Normalise scores to the range between the floor and the best."""
    span = max(scores.values(), default=0.0) - floor
    if span <= 0:
        return dict.fromkeys(scores, 1.0)
    return {seq: (value - floor) / span for seq, value in scores.items()}


class SimilarityFunction(Protocol):
    """A function that measures the similarity of two candidates, from 0 to 1."""

    def __call__(self, first_seq: int, second_seq: int) -> float:
        """Return the similarity of two candidates."""


def drop_near_duplicates(ranked: Sequence[int], similarity: SimilarityFunction, limit: int) -> list[int]:
    """Return the first entries of a ranking, without near-duplicates of better ones."""
    chosen: list[int] = []
    for seq in ranked:
        if len(chosen) == limit:
            break
        if all(similarity(better, seq) < DUPLICATE_SIMILARITY for better in chosen):
            chosen.append(seq)
    return chosen


def diversify_ranking(scores: Mapping[int, float], similarity: SimilarityFunction) -> list[int]:
    """Order the best candidates so that each adds as much as possible to those before it."""
    pool = sorted(scores, key=lambda seq: (-scores[seq], -seq))[:COMPARED_CANDIDATES_MAX]
    chosen: list[int] = []
    nearest = dict.fromkeys(pool, 0.0)
    while pool:
        best = max(pool, key=lambda seq: (_score_marginal_relevance(scores[seq], nearest[seq]), seq))
        pool.remove(best)
        chosen.append(best)
        for seq in pool:
            nearest[seq] = max(nearest[seq], similarity(best, seq))
    return chosen


def _score_marginal_relevance(score: float, similarity: float) -> float:
    return RELEVANCE_SHARE * score - (1.0 - RELEVANCE_SHARE) * similarity


def make_word_similarity(text_of: Callable[[int], str]) -> SimilarityFunction:
    """Build a similarity function: the share of words that two texts have in common, for when vectors are missing."""
    words_by_seq: dict[int, frozenset[str]] = {}

    def get_words(seq: int) -> frozenset[str]:
        if seq not in words_by_seq:
            words_by_seq[seq] = frozenset(text_of(seq).casefold().split())
        return words_by_seq[seq]

    def compute_similarity(first_seq: int, second_seq: int) -> float:
        first, second = get_words(first_seq), get_words(second_seq)
        shared = len(first & second)
        return shared / (len(first) + len(second) - shared) if first or second else 1.0

    return compute_similarity
