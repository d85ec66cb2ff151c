"""Plots of the page Proof: where intervals and curves are drawn."""

from __future__ import annotations

from typing import Any

import pytest

from holloway.panel.proof_plots import IntervalBar, draw_curves, find_top, scale_interval


def compared(estimate: float, low: float, high: float, **changes: Any) -> dict[str, Any]:
    difference = {"estimate": estimate, "low": low, "high": high}
    return {"difference": difference, "medians": (0.0, 20.0), "is_share": False, "target": None} | changes


def test_an_interval_is_drawn_in_percent_of_the_second_group() -> None:
    assert scale_interval(compared(-5, -10, 0, target=-0.2)) == IntervalBar(50.0, 100.0, 75.0, 80.0)


def test_a_share_is_drawn_in_points_also_if_the_second_group_has_none() -> None:
    bar = scale_interval(compared(0.5, 0.25, 0.75, medians=(0.5, 0.0), is_share=True))
    assert bar == IntervalBar(125.0, 175.0, 150.0, None)


def test_what_is_beyond_the_scale_is_drawn_at_its_end() -> None:
    assert scale_interval(compared(100, -100, 200)) == IntervalBar(0.0, 200.0, 200.0, None)


@pytest.mark.parametrize(
    "changes", [{"difference": None}, {"medians": None}, {"medians": (3.0, 0.0)}, {"medians": (3.0, -1.0)}]
)
def test_without_a_whole_to_compare_with_nothing_is_drawn(changes: dict[str, Any]) -> None:
    assert scale_interval(compared(1, 0, 2, **changes)) is None


def test_curves_share_a_scale_and_empty_groups_have_none() -> None:
    medians = {"full": [(0.0, 5.0), (1.0, 10.0)], "passive": [], "control": [(0.5, 0.0)]}
    full, control = draw_curves(medians)
    assert (full.group, full.points, full.last) == ("full", "0.0,80.0 600.0,0.0", 10.0)
    assert (control.group, control.points, control.last) == ("control", "300.0,160.0", 0.0)
    assert find_top(medians) == 10.0
    assert find_top({}) == 0.0


def test_a_figure_that_is_always_zero_is_a_line_at_the_bottom() -> None:
    (curve,) = draw_curves({"full": [(0.0, 0.0), (1.0, 0.0)]})
    assert curve.points == "0.0,160.0 600.0,160.0"
