"""Precision, recall and F1 of pairs."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.scoring import SEED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.graph.edges import Pair

RESAMPLES = 1_000


class Counts(NamedTuple):
    """The counts of one file or case: correct pairs found, pairs found, pairs wanted."""

    right: int
    found: int
    wanted: int


class Score(NamedTuple):
    """Precision, recall and F1 over all pairs, with the middle 95 % of F1 when files or cases are resampled."""

    precision: float
    recall: float
    f1: float
    low: float
    high: float
    wanted: int

    def row(self) -> list[Any]:
        """The cells of a table."""
        return [self.precision, self.recall, self.f1, f"{self.low:.2f} to {self.high:.2f}", self.wanted]


def score(counts: list[Counts]) -> Score:
    """Micro-averaged, so that a file with many imports counts as many."""
    chance = random.Random(SEED)
    drawn = sorted(_rates(chance.choices(counts, k=len(counts)))[2] for _ in range(RESAMPLES)) if counts else [0.0]
    low, high = drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn))]
    return Score(*_rates(counts), low, high, sum(count.wanted for count in counts))


def _rates(counts: list[Counts]) -> tuple[float, float, float]:
    right, found_count, wanted_count = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
    return right / (found_count or 1), right / (wanted_count or 1), 2 * right / (found_count + wanted_count or 1)


def count_pairs(edges: set[Pair], wanted: set[Pair], neither: Iterable[Pair] = ()) -> list[Counts]:
    """The counts of each source of a pair."""
    edges = edges - (set(neither) - wanted)
    sources = sorted({source for source, _ in edges | wanted})
    sides = [defaultdict[str, set[str]](set) for _ in range(2)]
    for side, pairs in zip(sides, (edges, wanted), strict=True):
        for source, target in pairs:
            side[source].add(target)
    return [
        Counts(len(sides[0][source] & sides[1][source]), len(sides[0][source]), len(sides[1][source]))
        for source in sources
    ]
