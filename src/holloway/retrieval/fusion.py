"""Score fusion: combines several lists of candidates into one score between 0 and 1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from enum import StrEnum

from holloway.retrieval.query_intent import QueryKind

WEIGHTS: dict[QueryKind, dict[str, float]] = {
    QueryKind.IDENTIFIER: {"text": 0.7, "dense": 0.3, "graph": 0.3},
    QueryKind.SEMANTIC: {"text": 0.5, "dense": 0.5, "graph": 0.3},
}
"""Weight of each list, by kind of query; only the lists that exist count."""

LONG_LIST = 50
"""Candidates by vector: in a list of this length, the last ones are no better than chance."""
RANK_OFFSET = 60
"""Reciprocal rank fusion: a larger offset brings the first rank closer to the second."""


class Fusion(StrEnum):
    """The method that combines the lists."""

    SCORES = "scores"
    RANKS = "ranks"


Scores = Mapping[int, float]


def fuse_scores(
    lists: Mapping[str, Scores], kind: QueryKind, method: Fusion = Fusion.SCORES, *, related_from: float = 0.0
) -> dict[int, float]:
    """Return one score for each candidate, the best at 1. An empty list takes no weight from the others."""
    fused: dict[int, float] = defaultdict(float)
    for name, scores in lists.items():
        scaled = (
            _compute_reciprocal_ranks(scores) if method is Fusion.RANKS else _scale_scores(name, scores, related_from)
        )
        weight = WEIGHTS[kind][name]
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
