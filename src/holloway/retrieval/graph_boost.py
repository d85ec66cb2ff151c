"""A memory on the file of a strong hit is likelier to matter: what was learned in one place hangs together."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.ranking_fields import Sketch

BOOST = 0.2
"""What a memory beside the best hit gains, on a scale where that hit has 1."""


def boosted(scores: Mapping[int, float], memories: Mapping[int, Memory | Sketch]) -> dict[int, float]:
    """Scores with what the strongest other candidate on one of a memory's files gives, in proportion to its own."""
    on: defaultdict[str, list[int]] = defaultdict(list)
    for seq in sorted(scores, key=scores.__getitem__, reverse=True):
        for path in memories[seq].files:
            on[path].append(seq)
    return {seq: score + BOOST * _beside(seq, memories[seq], on, scores) for seq, score in scores.items()}


def _beside(seq: int, memory: Memory | Sketch, on: Mapping[str, Sequence[int]], scores: Mapping[int, float]) -> float:
    """The strongest other score on a memory's files; on each, the first or the second has it."""
    return max((scores[other] for path in memory.files for other in on[path][:2] if other != seq), default=0.0)
