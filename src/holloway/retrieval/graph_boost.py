"""Graph boost: raises memories on the same files as strong hits."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.ranking_fields import Sketch

BOOST = 0.2
"""Highest gain of a memory on the file of the best hit, on a scale where that hit has 1."""


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
