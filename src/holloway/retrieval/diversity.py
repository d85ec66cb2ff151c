"""Deduplicate and diversify a ranking: drop near-duplicates, or move them back by maximal marginal relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RELEVANCE_SHARE = 0.8
"""Maximal marginal relevance: weight of relevance against difference."""
SAME_FROM = 0.85
"""Similarity from which two memories say the same; a list has the better one only, the store has both."""
POOL_MAX = 30
"""Candidates that are compared with each other."""


class Likeness(Protocol):
    """A function that measures the similarity of two candidates, from 0 to 1."""

    def __call__(self, one: int, other: int) -> float:
        """Return the similarity of two candidates."""


def distinct(ranked: Sequence[int], likeness: Likeness, limit: int) -> list[int]:
    """Return the first entries of a ranking, without near-duplicates of better ones."""
    chosen: list[int] = []
    for seq in ranked:
        if len(chosen) == limit:
            break
        if all(likeness(better, seq) < SAME_FROM for better in chosen):
            chosen.append(seq)
    return chosen


def diverse(scores: Mapping[int, float], likeness: Likeness) -> list[int]:
    """Order the best candidates so that each adds as much as possible to those before it."""
    pool = sorted(scores, key=lambda seq: (-scores[seq], -seq))[:POOL_MAX]
    chosen: list[int] = []
    nearest = dict.fromkeys(pool, 0.0)
    while pool:
        best = max(pool, key=lambda seq: (_marginal(scores[seq], nearest[seq]), seq))
        pool.remove(best)
        chosen.append(best)
        for seq in pool:
            nearest[seq] = max(nearest[seq], likeness(best, seq))
    return chosen


def _marginal(score: float, likeness: float) -> float:
    return RELEVANCE_SHARE * score - (1.0 - RELEVANCE_SHARE) * likeness


def by_words(text_of: Callable[[int], str]) -> Likeness:
    """Build a similarity function: the share of words that two texts have in common, for when vectors are missing."""
    words_by_seq: dict[int, frozenset[str]] = {}

    def words(seq: int) -> frozenset[str]:
        if seq not in words_by_seq:
            words_by_seq[seq] = frozenset(text_of(seq).casefold().split())
        return words_by_seq[seq]

    def likeness(one: int, other: int) -> float:
        first, second = words(one), words(other)
        shared = len(first & second)
        return shared / (len(first) + len(second) - shared) if first or second else 1.0

    return likeness
