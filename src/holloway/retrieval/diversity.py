"""Deduplicate and diversify a ranking: drop near-duplicates, or move them back by maximal marginal relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RELEVANCE_SHARE = 0.8
"""Maximal marginal relevance: weight of relevance against difference."""
DUPLICATE_SIMILARITY = 0.85
"""Similarity from which two memories say the same; a list has the better one only, the store has both."""
POOL_MAX = 30
"""Candidates that are compared with each other."""


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
    pool = sorted(scores, key=lambda seq: (-scores[seq], -seq))[:POOL_MAX]
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
