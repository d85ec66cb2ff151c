"""Groups are compared figure by figure: no verdict too early, none on groups that differ otherwise, harms by case."""

from typing import Any

import numpy as np
import pytest

from holloway.proof.comparison import (
    BETTER,
    NO_DIFFERENCE,
    NOT_ENOUGH,
    PRIMARY_METRICS,
    WORSE,
    MetricComparison,
    compare_groups,
    find_confounders,
    find_harms,
)
from holloway.proof.statistics import compare_ranks


def make_sessions(group: str, number: int, seed: int, **figures: Any) -> list[dict[str, Any]]:
    """Return sessions of a group: tool calls around 40, and what is given: a number to add, or a value."""
    calls = np.random.default_rng(seed).normal(40, 8, number)
    added = figures.pop("calls_added", 0)
    return [{"group": group, "agent": "codex", "tool_calls": float(value + added), **figures} for value in calls]


def find_metric(comparisons: list[MetricComparison], name: str) -> MetricComparison:
    return next(comparison for comparison in comparisons if comparison.metric == name)


def compare(calls_added: float, sessions: int = 200, **figures: Any) -> list[MetricComparison]:
    full = make_sessions("full", sessions, 1, calls_added=calls_added, **figures)
    return compare_groups([*full, *make_sessions("control", sessions, 2)], "full", "control")


def test_fewer_calls_are_better_and_more_are_worse() -> None:
    assert find_metric(compare(-6), "tool_calls").verdict == BETTER
    assert find_metric(compare(6), "tool_calls").verdict == WORSE
    assert find_metric(compare(0), "tool_calls").verdict == NO_DIFFERENCE


def test_a_check_that_passes_more_often_is_better() -> None:
    rows = [
        {"group": group, "qa_first_pass": float(number % 10 < passed)}
        for group, passed in (("full", 9), ("control", 4))
        for number in range(150)
    ]

    compared = find_metric(compare_groups(rows, "full", "control"), "qa_first_pass")

    assert (compared.verdict, compared.medians) == (BETTER, (0.9, 0.4))
    assert compared.difference is not None
    assert compared.difference.low > 0.3


@pytest.mark.promise("honest-figures")
def test_there_is_no_verdict_below_a_hundred_sessions_of_each_group() -> None:
    compared = find_metric(compare(-30, sessions=99), "tool_calls")

    assert (compared.verdict, compared.sessions_missing, compared.p) == (NOT_ENOUGH, 1, None)
    assert find_metric(compare(-30, sessions=100), "tool_calls").verdict == BETTER


def test_sessions_whose_figure_is_unknown_do_not_count_for_it() -> None:
    compared = find_metric(compare(0, tokens=None), "tokens")

    assert (compared.sessions, compared.medians, compared.verdict) == ((0, 0), None, NOT_ENOUGH)


def test_figures_that_cannot_be_tested_yet_count_in_the_correction() -> None:
    full = [row["tool_calls"] for row in make_sessions("full", 200, 1, calls_added=-4)]
    control = [row["tool_calls"] for row in make_sessions("control", 200, 2)]

    compared = find_metric(compare(-4), "tool_calls")

    assert compared.p == pytest.approx(compare_ranks(full, control).always_valid_p * len(PRIMARY_METRICS))
    assert compared.verdict == BETTER


def test_groups_that_differ_in_the_agent_are_flagged() -> None:
    rows = [*make_sessions("full", 150, 1), *make_sessions("control", 150, 2)]
    assert find_confounders(rows, "full", "control") == []
    for row in rows[:60]:
        row["agent"] = "claude-code"

    (confounder,) = find_confounders(rows, "full", "control")

    assert (confounder.name, confounder.shares["full"]) == ("agent", {"codex": 0.6, "claude-code": 0.4})


def test_each_harm_names_the_session_its_reason_and_the_memories() -> None:
    shown = [["m1", "prompt", 20, 3], ["m2", "step", 20, 9], ["m1", "step", 20, 12]]
    sessions: list[tuple[str, dict[str, Any]]] = [
        ("quiet", {"group": "full", "shown": shown, "outcome": "success"}),
        ("flagged", {"group": "full", "shown": shown, "flagged": 1, "outcome": "success"}),
        ("both", {"group": "passive", "shown": shown, "contradicted": ["m2"], "outcome": "failure"}),
        ("told nothing", {"group": "control", "shown": [], "outcome": "failure"}),
    ]

    harms = [(harm.session, harm.reason, harm.memories) for harm in find_harms(sessions, {"flagged": ["m2"]})]

    assert harms == [
        ("flagged", "flagged as wrong", ("m2",)),
        ("both", "contradicted by what the session learned", ("m2",)),
        ("both", "the session failed", ("m1", "m2")),
    ]
