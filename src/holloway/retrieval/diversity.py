"""A short list that says each thing once; and, where asked for, what repeats a better one further back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RELEVANCE_SHARE = 0.8
"""Maximal marginal relevance: how much fitting counts against differing."""
SAME_FROM = 0.85
"""Likeness from which two memories say the same; the better one is kept in a list, both in the store."""
POOL_MAX = 30
"""Candidates that are compared with each other."""


class Likeness(Protocol):
    """How alike two candidates are, from 0 to 1."""

    def __call__(self, one: int, other: int) -> float:
        """Compare them."""


def distinct(ranked: Sequence[int], likeness: Likeness, limit: int) -> list[int]:
    """The first few, without those that say the same as one before them."""
    chosen: list[int] = []
    for seq in ranked:
        if len(chosen) == limit:
            break
        if all(likeness(better, seq) < SAME_FROM for better in chosen):
            chosen.append(seq)
    return chosen


def diverse(scores: Mapping[int, float], likeness: Likeness) -> list[int]:
    """The best candidates, each new one as little as possible what was said before."""
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
    """Likeness as the share of words that two texts have in common; for when there are no vectors."""
    known: dict[int, frozenset[str]] = {}

    def words(seq: int) -> frozenset[str]:
        if seq not in known:
            known[seq] = frozenset(text_of(seq).casefold().split())
        return known[seq]

    def likeness(one: int, other: int) -> float:
        first, second = words(one), words(other)
        shared = len(first & second)
        return shared / (len(first) + len(second) - shared) if first or second else 1.0

    return likeness
