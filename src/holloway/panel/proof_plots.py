"""Geometry of the plots on the page Proof: intervals on a common scale, and running medians over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCALE_WIDTH = 200.0
"""Width of the scale of an interval: minus 100 percent at its left end, plus 100 at its right."""
MIDDLE = SCALE_WIDTH / 2
CURVE_WIDTH, CURVE_HEIGHT = 600.0, 160.0


class IntervalBar(NamedTuple):
    """A difference with its interval, on the scale; what is beyond an end is drawn at it."""

    low: float
    high: float
    estimate: float
    target: float | None


class Curve(NamedTuple):
    """The running median of a group: the points of a line, and its last value."""

    group: str
    points: str
    last: float


def scale_interval(metric: Mapping[str, Any]) -> IntervalBar | None:
    """Return the interval of a compared figure, in percent of the second group; None if there is no such percentage.

    A share is compared in percentage points.
    """
    difference, medians = metric["difference"], metric["medians"]
    if difference is None or medians is None:
        return None
    whole = 1.0 if metric["is_share"] else medians[1]
    if whole <= 0:
        return None
    low, high, estimate = (_place(difference[name] / whole) for name in ("low", "high", "estimate"))
    return IntervalBar(low, high, estimate, None if metric["target"] is None else _place(metric["target"]))


def _place(change: float) -> float:
    return round(MIDDLE + MIDDLE * max(-1.0, min(1.0, change)), 1)


def draw_curves(medians: Mapping[str, Sequence[tuple[float, float]]]) -> list[Curve]:
    """Return the curves of groups whose points are a share of the time and a value; a group without points has none."""
    top = max((value for points in medians.values() for _, value in points), default=0.0) or 1.0
    return [
        Curve(
            group,
            " ".join(f"{CURVE_WIDTH * at:.1f},{CURVE_HEIGHT * (1 - value / top):.1f}" for at, value in points),
            points[-1][1],
        )
        for group, points in medians.items()
        if points
    ]


def find_top(medians: Mapping[str, Sequence[tuple[float, float]]]) -> float:
    """Return the value at the top of the curves."""
    return max((value for points in medians.values() for _, value in points), default=0.0)
