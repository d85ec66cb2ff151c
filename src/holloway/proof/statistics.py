"""Statistics of the experiment: p-values of a rank test between treatment and control group, valid at any time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

EFFECT_SCALE = 0.1
"""Standard deviation of the effects that the always-valid test expects, as a distance of the superiority from 1/2.

The test is valid with any value; this one makes it most sensitive to effects of about that size."""
RESAMPLES = 2_000
INTERVAL = (2.5, 97.5)
"""Percentiles of the bootstrap interval."""
BOOTSTRAP_SEED = 20260101


class RankTest(NamedTuple):
    """Result of a two-sided Mann-Whitney U test."""

    superiority: float
    """Probability that a value of the first group is larger than one of the second; a tie counts half."""
    variance: float
    """Variance of the superiority if both groups come from the same distribution."""

    @property
    def p(self) -> float:
        """Return the two-sided p-value of a test that is looked at once, with as many sessions as planned before."""
        if self.variance <= 0:
            return 1.0
        return math.erfc(abs(self.superiority - 0.5) / math.sqrt(2 * self.variance))

    @property
    def always_valid_p(self) -> float:
        """Return the p-value that stays valid however often, and whenever, the result is looked at."""
        return float(compute_always_valid_p(self.superiority, self.variance)) if self.variance > 0 else 1.0


def compute_always_valid_p(superiority: float | Numbers, variance: float | Numbers) -> Numbers:
    """Return always-valid p-values of rank tests; the variances must be above zero.

    Each is the inverse of a mixture likelihood ratio: under no effect it falls below a level with at most that
    probability over all looks together.
    """
    total = np.asarray(variance) + EFFECT_SCALE**2
    exponent = (np.asarray(superiority) - 0.5) ** 2 * EFFECT_SCALE**2 / (2 * np.asarray(variance) * total)
    log_ratio = 0.5 * np.log(variance / total) + exponent
    return np.asarray(np.exp(-np.maximum(log_ratio, 0.0)))


def compare_ranks(first: Sequence[float], second: Sequence[float]) -> RankTest:
    """Compare two groups by the ranks of their values. Both must have a value."""
    first_values, second_values = np.sort(np.asarray(first, float)), np.sort(np.asarray(second, float))
    below = np.searchsorted(second_values, first_values, "left").sum()
    not_above = np.searchsorted(second_values, first_values, "right").sum()
    superiority = float(below + not_above) / 2 / (len(first_values) * len(second_values))
    return RankTest(superiority, _compute_variance(first_values, second_values))


def _compute_variance(first: Numbers, second: Numbers) -> float:
    """Return the variance of the superiority under no effect, corrected for ties."""
    total = len(first) + len(second)
    ties = np.unique(np.concatenate([first, second]), return_counts=True)[1].astype(float)
    tied = float((ties**3 - ties).sum()) / (total * (total - 1)) if total > 1 else 0.0
    return (total + 1 - tied) / (12 * len(first) * len(second))


class Interval(NamedTuple):
    """An estimate with its 95 % interval."""

    estimate: float
    low: float
    high: float


def estimate_difference(first: Sequence[float], second: Sequence[float], *, is_share: bool = False) -> Interval:
    """Return the median of the first group minus that of the second, with its bootstrap interval.

    A yes-or-no figure has no useful median: with `is_share`, means are compared.
    """
    first_values, second_values = np.sort(np.asarray(first, float)), np.sort(np.asarray(second, float))
    center, resample = (np.mean, _resample_shares) if is_share else (np.median, _resample_medians)
    generator = np.random.default_rng(BOOTSTRAP_SEED)
    differences = resample(first_values, generator) - resample(second_values, generator)
    low, high = np.percentile(differences, INTERVAL)
    return Interval(float(center(first_values) - center(second_values)), float(low), float(high))


def _resample_shares(values: Numbers, generator: np.random.Generator) -> Numbers:
    return np.asarray(generator.binomial(len(values), values.mean(), RESAMPLES) / len(values), float)


def _resample_medians(values: Numbers, generator: np.random.Generator) -> Numbers:
    """Return the medians of resamples of sorted values.

    The places of the two middle values of a resample are order statistics of uniform numbers, so that they are drawn
    without the resample: the lower one is beta distributed, and so is the gap to the upper one.
    """
    number = len(values)
    lower_rank = (number + 1) // 2
    lower = generator.beta(lower_rank, number - lower_rank + 1, RESAMPLES)
    is_odd = number % 2
    upper = lower if is_odd else lower + (1 - lower) * generator.beta(1, number - lower_rank, RESAMPLES)
    places = [np.minimum((place * number).astype(int), number - 1) for place in (lower, upper)]
    return np.asarray((values[places[0]] + values[places[1]]) / 2, float)


def correct_holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return the p-values of several metrics, corrected by Holm's method for being tested together."""
    corrected: dict[str, float] = {}
    highest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[name]))
        corrected[name] = highest
    return corrected
