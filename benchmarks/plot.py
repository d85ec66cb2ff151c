"""Charts as SVG, written by hand: axes, lines with intervals, named points, a legend; legible in light and in dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH = 760
HEIGHT = 420
LEFT, RIGHT, TOP, BOTTOM = 64, 40, 66, 56
LEGEND_ROW = 20
LEGEND_COLUMNS = 3
CHAR_PX = 6.6
"""About how wide a letter of the small text is, to keep labels apart."""
LABEL_PX = 13
"""How high a line of labels is."""

STYLE = """
svg { font: 12px system-ui, sans-serif }
.paper { fill: #ffffff } .ink { fill: #1f2328 } .quiet { fill: #59636e }
.rule { stroke: #d1d9e0 } .axis { stroke: #59636e }
.c0 { color: #0b62c4 } .c1 { color: #b35900 } .c2 { color: #1a7f37 } .c3 { color: #8250df }
.c4 { color: #a40e26 } .c5 { color: #59636e } .c6 { color: #0f766e }
.line { fill: none; stroke: currentColor; stroke-width: 1.6 } .strong { stroke-width: 3 }
.line.again { stroke-dasharray: 5 4 }
.band { fill: currentColor; opacity: .16 } .dot { fill: currentColor } .whisker { stroke: currentColor; opacity: .55 }
.name { fill: currentColor }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117 } .ink { fill: #e6edf3 } .quiet { fill: #9198a1 }
.rule { stroke: #30363d } .axis { stroke: #9198a1 }
.c0 { color: #58a6ff } .c1 { color: #f0a35e } .c2 { color: #56d364 } .c3 { color: #bc8cff }
.c4 { color: #ff7b72 } .c5 { color: #9198a1 } .c6 { color: #39c5bb }
}
"""
COLOURS = 7


@dataclass(frozen=True, slots=True)
class Point:
    """A value at a place, with the interval around it where there is one, and its own name where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one kind: joined by a line, or each for itself."""

    name: str
    points: Sequence[Point]
    joined: bool = True
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """The scale of one axis; `ticks` are chosen if none are set."""

    label: str
    log: bool = False
    ticks: Sequence[tuple[float, str]] = field(default=())


@dataclass(frozen=True, slots=True)
class Chart:
    """One picture."""

    title: str
    note: str
    x: Axis
    y: Axis
    series: Sequence[Series]


class _Scale:
    """Values of an axis as places on the page."""

    def __init__(self, values: Sequence[float], axis: Axis, start: float, end: float) -> None:
        self._log = axis.log
        self.ticks = list(axis.ticks) or (_decades(values) if axis.log else _steps(max(values)))
        low = min([*values, *(at for at, _ in self.ticks)]) if axis.log else 0.0
        high = max([*values, *(at for at, _ in self.ticks)])
        self._low, self._high = self._of(low), self._of(high)
        self._start, self._end = start, end

    def _of(self, value: float) -> float:
        return math.log10(value) if self._log else value

    def at(self, value: float) -> float:
        share = (self._of(value) - self._low) / ((self._high - self._low) or 1.0)
        return round(self._start + share * (self._end - self._start), 1)


def _decades(values: Sequence[float]) -> list[tuple[float, str]]:
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [(10.0**power, f"{10.0**power:,g}") for power in range(first, last + 1)]


def _steps(largest: float) -> list[tuple[float, str]]:
    """About five round steps from nothing to the largest value."""
    rough = largest / 5
    size = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= rough)
    return [(step * number, f"{step * number:,.10g}") for number in range(math.ceil(largest / step) + 1)]


def svg(chart: Chart) -> str:
    """Return the picture as a standalone file."""
    rows = math.ceil(sum(bool(line.name) for line in chart.series) / LEGEND_COLUMNS)
    height = HEIGHT + rows * LEGEND_ROW
    points = [point for line in chart.series for point in line.points]
    x = _Scale([point.x for point in points], chart.x, LEFT, WIDTH - RIGHT)
    tops = [value for point in points for value in (point.y, point.low, point.high) if value is not None]
    y = _Scale(tops, chart.y, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(chart.title)}</title><desc>{escape(chart.note)}</desc><style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
        f'<text class="ink" x="{LEFT}" y="26" font-size="16" font-weight="600">{escape(chart.title)}</text>',
        f'<text class="quiet" x="{LEFT}" y="46">{escape(chart.note)}</text>',
        *_axes(chart, x, y),
    ]
    for number, line in enumerate(chart.series):
        parts += _draw_series(line, _colour(number), x, y)
    return "\n".join([*parts, *_names(chart.series, x, y), *_legend(chart.series), "</svg>"]) + "\n"


def _axes(chart: Chart, x: _Scale, y: _Scale) -> list[str]:
    floor = HEIGHT - BOTTOM
    parts = []
    for value, label in y.ticks:
        at = y.at(value)
        parts.append(f'<line class="rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text class="quiet" x="{LEFT - 8}" y="{at + 4}" text-anchor="end">{escape(label)}</text>')
    for value, label in x.ticks:
        at = x.at(value)
        parts.append(f'<line class="axis" x1="{at}" x2="{at}" y1="{floor}" y2="{floor + 4}"/>')
        parts.append(f'<text class="quiet" x="{at}" y="{floor + 18}" text-anchor="middle">{escape(label)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{floor}" y2="{floor}"/>')
    parts.append(f'<text class="ink" x="{middle}" y="{floor + 40}" text-anchor="middle">{escape(chart.x.label)}</text>')
    turned = f"translate(16 {(TOP + floor) / 2}) rotate(-90)"
    parts.append(f'<text class="ink" transform="{turned}" text-anchor="middle">{escape(chart.y.label)}</text>')
    return parts


def _colour(number: int) -> str:
    """The colour of a line; where colours come again, the line is dashed."""
    return f"c{number % COLOURS}{' again' if number >= COLOURS else ''}"


def _draw_series(series: Series, colour: str, x: _Scale, y: _Scale) -> list[str]:
    places = [(x.at(point.x), y.at(point.y)) for point in series.points]
    parts = []
    if series.joined:
        path = " ".join(f"{left},{top}" for left, top in places)
        if series.strong:
            parts.append(_band(series.points, colour, x, y))
        parts.append(f'<polyline class="line {colour}{" strong" if series.strong else ""}" points="{path}"/>')
    for point, (left, top) in zip(series.points, places, strict=True):
        if not series.joined and point.low is not None and point.high is not None:
            ends = f'y1="{y.at(point.low)}" y2="{y.at(point.high)}"'
            parts.append(f'<line class="whisker {colour}" x1="{left}" x2="{left}" {ends}/>')
        size = 4.5 if series.strong else 3
        parts.append(f'<circle class="dot {colour}" cx="{left}" cy="{top}" r="{size}"/>')
    return parts


def _band(points: Sequence[Point], colour: str, x: _Scale, y: _Scale) -> str:
    with_interval = [
        (point.x, point.low, point.high) for point in points if point.low is not None and point.high is not None
    ]
    around = [(x.at(at), y.at(high)) for at, _, high in with_interval] + [
        (x.at(at), y.at(low)) for at, low, _ in with_interval[::-1]
    ]
    return f'<polygon class="band {colour}" points="{" ".join(f"{left},{top}" for left, top in around)}"/>'


_Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def _names(series: Sequence[Series], x: _Scale, y: _Scale) -> list[str]:
    """The names of points that have one: next to the point, where neither another name nor another point is."""
    taken_boxes = [_mark(point, x, y) for line in series for point in line.points]
    parts = []
    for number, line in enumerate(series):
        for point in line.points:
            if point.name:
                left, top, right, bottom = _place(point, taken_boxes, x, y)
                taken_boxes.append((left, top, right, bottom))
                text = f'<text class="name {_colour(number)}" x="{left:.1f}" y="{bottom - 3:.1f}">'
                parts.append(f"{text}{escape(point.name)}</text>")
    return parts


def _mark(point: Point, x: _Scale, y: _Scale) -> _Box:
    """The room that a point takes with its interval."""
    left, top = x.at(point.x), y.at(point.y)
    high = y.at(point.high) if point.high is not None else top
    low = y.at(point.low) if point.low is not None else top
    return left - 5, min(high, top - 5), left + 5, max(low, top + 5)


def _place(point: Point, taken_boxes: Sequence[_Box], x: _Scale, y: _Scale) -> _Box:
    """The first room around a point that is free: right, left, above and below, then ever further down."""
    left, top, right, bottom = _mark(point, x, y)
    wide, middle = CHAR_PX * len(point.name), y.at(point.y)
    lefts = [at for at in (right + 2, left - 2 - wide) if LEFT < at < WIDTH - 4 - wide] or [left - 2 - wide]
    tops = [middle - LABEL_PX / 2, middle - 1.4 * LABEL_PX, middle + 0.4 * LABEL_PX]
    tops += [top - LABEL_PX - 2, *(bottom + 2 + LABEL_PX * step for step in range(10))]
    boxes = [(at, high, at + wide, high + LABEL_PX) for high in tops for at in lefts]
    return next((box for box in boxes if not any(_overlap(box, other) for other in taken_boxes)), boxes[0])


def _overlap(box: _Box, other: _Box) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _legend(series: Sequence[Series]) -> list[str]:
    parts = []
    wide = (WIDTH - LEFT - RIGHT) / LEGEND_COLUMNS
    named = [(number, line) for number, line in enumerate(series) if line.name]
    for place, (number, line) in enumerate(named):
        left = LEFT + wide * (place % LEGEND_COLUMNS)
        top = HEIGHT + LEGEND_ROW * (place // LEGEND_COLUMNS) + 4
        strong = " strong" if line.strong else ""
        ends = f'x1="{left:.0f}" x2="{left + 22:.0f}" y1="{top - 4}" y2="{top - 4}"'
        parts.append(f'<line class="line {_colour(number)}{strong}" {ends}/>')
        parts.append(f'<text class="ink" x="{left + 28:.0f}" y="{top}">{escape(line.name)}</text>')
    return parts
