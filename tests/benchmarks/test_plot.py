"""Charts are well-formed, keep within the page and do not cover each other's names."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchmarks.plot import COLOURS, HEIGHT, LEFT, RIGHT, WIDTH, Axis, Chart, Point, Series, svg

SPACE = "{http://www.w3.org/2000/svg}"


def drawn(*series: Series, x: Axis | None = None, y: Axis | None = None) -> ElementTree.Element:
    chart = Chart("A <title>", "A note & more", x or Axis("sessions"), y or Axis("recall"), series)
    return ElementTree.fromstring(svg(chart))  # noqa: S314  (our own text)


def test_every_point_is_inside_the_axes() -> None:
    line = Series("ours", [Point(0, 0.0), Point(50, 0.4, 0.3, 0.5), Point(190, 0.36)], strong=True)
    circles = drawn(line).findall(f"{SPACE}circle")
    assert len(circles) == 3
    assert all(LEFT <= float(one.attrib["cx"]) <= WIDTH - RIGHT for one in circles)
    assert all(0 < float(one.attrib["cy"]) < HEIGHT for one in circles)


def test_more_is_higher_and_later_is_further_right() -> None:
    low, high = drawn(Series("ours", [Point(1, 0.1), Point(2, 0.2)])).findall(f"{SPACE}circle")
    assert float(low.attrib["cy"]) > float(high.attrib["cy"])
    assert float(low.attrib["cx"]) < float(high.attrib["cx"])


def test_ten_times_as_much_is_the_same_step_on_a_logarithmic_axis() -> None:
    points = [Point(10.0**power, 1.0) for power in range(3)]
    places = [
        float(one.attrib["cx"]) for one in drawn(Series("a", points), x=Axis("n", log=True)).iter(f"{SPACE}circle")
    ]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.2)


def test_words_are_escaped_and_the_legend_names_every_line() -> None:
    page = drawn(Series("a < b", [Point(1, 1)]), Series("c & d", [Point(1, 2)]))
    words = [text.text for text in page.iter(f"{SPACE}text")]
    assert {"A <title>", "A note & more", "a < b", "c & d"} <= set(words)


def test_no_two_lines_look_the_same() -> None:
    page = drawn(*(Series(str(number), [Point(1, number), Point(2, number)]) for number in range(COLOURS + 2)))
    looks = [line.attrib["class"] for line in page.iter(f"{SPACE}polyline")]
    assert len(looks) == len(set(looks)) == COLOURS + 2
    legend = [line.attrib["class"] for line in page.iter(f"{SPACE}line") if "line" in line.attrib["class"].split()]
    assert legend == looks


def test_names_of_points_that_lie_together_do_not_cover_each_other() -> None:
    page = drawn(*(Series("", [Point(1, 0.5, name=f"system {number}")], joined=False) for number in range(4)))
    places = [
        (float(text.attrib["x"]), float(text.attrib["y"]))
        for text in page.iter(f"{SPACE}text")
        if (text.text or "").startswith("system")
    ]
    assert len(set(places)) == 4


def test_an_interval_is_a_band_around_a_strong_line_and_a_whisker_at_a_lone_point() -> None:
    points = [Point(1, 0.2, 0.1, 0.3), Point(2, 0.3, 0.2, 0.4)]
    page = drawn(Series("ours", points, strong=True), Series("", points, joined=False))
    assert len(page.findall(f"{SPACE}polygon")) == 1
    assert sum("whisker" in line.attrib["class"] for line in page.iter(f"{SPACE}line")) == 2
