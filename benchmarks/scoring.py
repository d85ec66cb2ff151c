"""How answers are scored: recall, and every figure with its interval and the probability of chance."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

SEED = 20260208
RESAMPLES = 2_000
PERMUTATIONS = 10_000
Z_95 = 1.96

Recalls = dict[int, list[float]]
"""Category or repository, then the recall of each of its questions, in the order of the data."""


def recall_at(limit: int, ranked: Sequence[str], gold: Iterable[str]) -> float:
    """Return the share of the wanted files among the first `limit`."""
    wanted = set(gold)
    return len(wanted & set(ranked[:limit])) / len(wanted)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and the middle 95 % of the means of resampled cases."""

    mean: float
    low: float
    high: float
    cases: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of cases with its bootstrap interval."""
    return macro({0: list(values)})


def macro(recalls: Recalls) -> Estimate:
    """The macro mean with its interval, the questions of each category resampled."""
    chance = random.Random(SEED)
    means = sorted(
        mean_of({category: chance.choices(values, k=len(values)) for category, values in recalls.items()})
        for _ in range(RESAMPLES)
    )
    cut = round(0.025 * RESAMPLES)
    return Estimate(mean_of(recalls), means[cut], means[-1 - cut], sum(map(len, recalls.values())))


def mean_of(recalls: Recalls) -> float:
    """The macro mean: every category counts alike."""
    return statistics.fmean(statistics.fmean(values) for values in recalls.values())


def difference(ours: Recalls, theirs: Recalls) -> Recalls:
    """How much more of each question's answer one system found than the other."""
    return {
        category: [
            our_recall - their_recall for our_recall, their_recall in zip(ours[category], theirs[category], strict=True)
        ]
        for category in ours
    }


def chance_of(differences: Recalls, flips: int = PERMUTATIONS) -> float:
    """The p value of a macro mean of paired differences, two-sided: how often random signs give as much."""
    shares = [value / (len(values) * len(differences)) for values in differences.values() for value in values if value]
    observed, chance = abs(sum(shares)), random.Random(SEED)
    as_much = sum(
        abs(sum(share if chance.random() < 0.5 else -share for share in shares)) >= observed - 1e-12
        for _ in range(flips)
    )
    return (1 + as_much) / (1 + flips)


def compute_paired_chance(ours: Sequence[float], other: Sequence[float]) -> float:
    """How often chance alone makes two methods differ as much on the same cases."""
    return chance_of(difference({0: list(ours)}, {0: list(other)}), RESAMPLES)


class Share(NamedTuple):
    """A share of counted cases, with its Wilson interval of 95 %."""

    value: float
    low: float
    high: float
    hits: float
    of: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})" if self.of else "no hits"


def share(hits: float, of: float) -> Share:
    """A share with its counts; without any case its interval is the whole range."""
    if not of:
        return Share(0.0, 0.0, 1.0, 0, 0)
    value, z2 = hits / of, Z_95**2
    middle = (value + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 * math.sqrt(value * (1 - value) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return Share(value, max(0.0, middle - half), min(1.0, middle + half), hits, of)
