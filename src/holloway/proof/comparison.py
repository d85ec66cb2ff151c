"""Comparison of experiment groups: for each figure of the sessions, whether memory changed it, and how surely."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holloway.injection.experiment import CONTROL, FULL, GROUPS, PASSIVE
from holloway.proof.session_figures import CONDITIONS
from holloway.proof.statistics import Interval, compare_ranks, correct_holm, estimate_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.proof.session_figures import Figures

GROUP_SESSIONS_MIN = 100
"""Sessions of each group with a known figure below which there is no verdict on it."""
SIGNIFICANCE = 0.05
COMPARED_PAIRS = ((FULL, CONTROL), (PASSIVE, CONTROL))
CONFOUNDER_SIGNIFICANCE = 0.01
CURVE_SESSIONS, CURVE_SESSIONS_MIN, CURVE_POINTS_MAX = 15, 3, 60
"""A point of a curve is the median of that many sessions, of fewer at its beginning; about so many points are drawn."""
PERMUTATIONS = 2_000
PERMUTATION_SEED = 20260101

NOT_ENOUGH = "not enough yet"
NO_DIFFERENCE = "no difference shown"
BETTER = "better"
WORSE = "worse"


class Metric(NamedTuple):
    """A figure on which groups are compared."""

    name: str
    label: str
    is_share: bool = False
    """Whether it is yes or no for each session."""
    is_more_better: bool = False
    target: float | None = None
    """Relative change that is aimed at; for a share, the change of the share itself."""


PRIMARY_METRICS = (
    Metric("tool_calls", "tool calls", target=-0.20),
    Metric("known_files_read_again", "re-reads of known files", target=-0.50),
    Metric("discovery_calls", "discovery calls"),
    Metric("steps_until_green", "steps until an error is gone"),
    Metric("qa_first_pass", "first check passed", is_share=True, is_more_better=True, target=0.15),
    Metric("tokens", "tokens", target=-0.10),
)
"""The figures that are tested, corrected for being tested together."""


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One figure, compared between two groups."""

    metric: str
    label: str
    is_share: bool
    sessions: tuple[int, int]
    """Sessions of each group in which the figure is known."""
    medians: tuple[float, float] | None
    """Median of each group; for a yes-or-no figure its share of yes. None if a group has no session."""
    difference: Interval | None
    p_once: float | None
    """Two-sided p-value of the rank test, for a reader who looks once."""
    p: float | None
    """p-value that allows looking at any time, corrected for the number of figures."""
    verdict: str
    sessions_missing: int
    """Sessions that the smaller group still needs."""
    target: float | None


@dataclass(frozen=True, slots=True)
class Confounder:
    """Something besides memory in which two groups differ."""

    name: str
    p: float
    shares: dict[str, dict[str, float]]
    """Share of each value, by group."""


@dataclass(frozen=True, slots=True)
class Harm:
    """A session in which memory may have done harm, with the reason."""

    session: str
    group: str
    reason: str
    memories: tuple[str, ...]


def compare_groups(rows: Sequence[Figures], first: str, second: str) -> list[MetricComparison]:
    """Compare two groups in every primary metric, the first minus the second."""
    values = {
        metric.name: (_read_values(rows, first, metric), _read_values(rows, second, metric))
        for metric in PRIMARY_METRICS
    }
    tests = {name: compare_ranks(*pair) for name, pair in values.items() if min(map(len, pair)) >= GROUP_SESSIONS_MIN}
    # A figure that cannot be tested yet counts, so that the correction does not depend on when it can.
    untested = dict.fromkeys(values, 1.0)
    corrected = correct_holm(untested | {name: test.always_valid_p for name, test in tests.items()})
    comparisons = []
    for metric in PRIMARY_METRICS:
        pair, test = values[metric.name], tests.get(metric.name)
        comparisons.append(
            MetricComparison(
                metric=metric.name,
                label=metric.label,
                is_share=metric.is_share,
                sessions=(len(pair[0]), len(pair[1])),
                medians=_find_centers(*pair, metric) if all(pair) else None,
                difference=estimate_difference(*pair, is_share=metric.is_share) if all(pair) else None,
                p_once=test.p if test else None,
                p=corrected[metric.name] if test else None,
                verdict=_judge(metric, test.superiority, corrected[metric.name]) if test else NOT_ENOUGH,
                sessions_missing=max(0, GROUP_SESSIONS_MIN - min(map(len, pair))),
                target=metric.target,
            )
        )
    return comparisons


def trace_medians(rows: Sequence[Figures], metric_name: str) -> dict[str, list[tuple[float, float]]]:
    """Return the running median of a figure for each group, `rows` being in order of time.

    A point is the share of all sessions that came before, and the median of the latest sessions until then.
    """
    metric = next((metric for metric in PRIMARY_METRICS if metric.name == metric_name), PRIMARY_METRICS[0])
    curves = {}
    for group in GROUPS:
        known = [
            (place / max(len(rows) - 1, 1), float(row[metric.name]))
            for place, row in enumerate(rows)
            if row.get("group") == group and row.get(metric.name) is not None
        ]
        step = max(1, len(known) // CURVE_POINTS_MAX)
        ends = range(len(known), CURVE_SESSIONS_MIN - 1, -step)
        curves[group] = [
            (known[end - 1][0], _find_center([value for _, value in known[max(0, end - CURVE_SESSIONS) : end]], metric))
            for end in reversed(ends)
        ]
    return curves


def _read_values(rows: Sequence[Figures], group: str, metric: Metric) -> list[float]:
    members = [row for row in rows if row.get("group") == group]
    return [float(value) for row in members if (value := row.get(metric.name)) is not None]


def _find_centers(first: Sequence[float], second: Sequence[float], metric: Metric) -> tuple[float, float]:
    return _find_center(first, metric), _find_center(second, metric)


def _find_center(values: Sequence[float], metric: Metric) -> float:
    return float(np.mean(values) if metric.is_share else np.median(values))


def _judge(metric: Metric, superiority: float, p: float) -> str:
    if p > SIGNIFICANCE:
        return NO_DIFFERENCE
    return BETTER if (superiority > 0.5) == metric.is_more_better else WORSE


def find_confounders(rows: Sequence[Figures], first: str, second: str) -> list[Confounder]:
    """Return the properties in which two groups differ by more than chance."""
    confounders = []
    for name in CONDITIONS:
        counts = {group: _count_values(rows, group, name) for group in (first, second)}
        if all(counts.values()) and (p := _test_homogeneity(counts[first], counts[second])) < CONFOUNDER_SIGNIFICANCE:
            shares = {
                group: {value: count / counter.total() for value, count in counter.most_common()}
                for group, counter in counts.items()
            }
            confounders.append(Confounder(name, p, shares))
    return confounders


def _count_values(rows: Sequence[Figures], group: str, name: str) -> Counter[str]:
    return Counter(str(row.get(name)) for row in rows if row.get("group") == group)


def _test_homogeneity(first: Counter[str], second: Counter[str]) -> float:
    """Return the p-value of a permutation test on the distance between two distributions of values."""
    names = sorted(set(first) | set(second))
    if len(names) == 1:
        return 1.0
    labels = np.repeat(np.arange(len(names)), [first[name] + second[name] for name in names])
    sizes = first.total(), second.total()

    def measure_distance(members: Any) -> float:
        member_shares = np.bincount(members, minlength=len(names)) / sizes[0]
        other_shares = (np.bincount(labels, minlength=len(names)) - member_shares * sizes[0]) / sizes[1]
        return float(np.abs(member_shares - other_shares).sum())

    observed = measure_distance(np.repeat(np.arange(len(names)), [first[name] for name in names]))
    generator = np.random.default_rng(PERMUTATION_SEED)
    draws = (measure_distance(generator.permutation(labels)[: sizes[0]]) for _ in range(PERMUTATIONS))
    reached = sum(distance >= observed - 1e-12 for distance in draws)
    return (reached + 1) / (PERMUTATIONS + 1)


def find_harms(
    sessions: Sequence[tuple[str, Mapping[str, Any]]], flagged_by_session: Mapping[str, Sequence[str]]
) -> list[Harm]:
    """Return the sessions whose injected memories were flagged or contradicted, or after which the work failed."""
    harms = []
    for session, record in sessions:
        injected = tuple(dict.fromkeys(str(injection[0]) for injection in record.get("shown") or ()))
        contradicted = tuple(record.get("contradicted") or ()) if injected else ()
        flagged = tuple(flagged_by_session.get(session, ()))
        reasons = (
            ("flagged as wrong", flagged),
            ("contradicted by what the session learned", contradicted),
            ("the session failed", injected if record.get("outcome") == "failure" else ()),
        )
        group = str(record.get("group") or "")
        harms += [Harm(session, group, reason, memories) for reason, memories in reasons if memories]
    return harms
