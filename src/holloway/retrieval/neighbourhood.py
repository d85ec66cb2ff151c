"""A memory next to a strong hit is likelier to matter: on its file, or on one that code or history tie to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.domain.memory import Memory

HITS = 10
"""The best hits whose neighbours gain."""
BOOST = 0.1
"""What the closest neighbour of the best hit gains, on a scale where the best hit has 1."""


class Around(Protocol):
    """What lies near a file, and how near (0 to 1); the file itself at 1."""

    def __call__(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
        """For each path, its neighbours."""


def boosted(scores: dict[int, float], memories: Mapping[int, Memory], around: Around) -> dict[int, float]:
    """Scores with what strong hits give to those beside them, in proportion to their own strength."""
    hits = sorted(scores, key=lambda seq: (-scores[seq], -seq))[:HITS]
    near = around(sorted({path for seq in hits for path in memories[seq].files}))
    given: dict[str, list[tuple[int, float]]] = {}
    for hit in hits:
        for path in memories[hit].files:
            for other, weight in near.get(path, {}).items():
                given.setdefault(other, []).append((hit, scores[hit] * weight))
    return {
        seq: score
        + BOOST
        * max((gift for path in memories[seq].files for hit, gift in given.get(path, ()) if hit != seq), default=0.0)
        for seq, score in scores.items()
    }
