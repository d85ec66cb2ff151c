"""The pictures of the page, drawn from the results: learning, recall against cost, time against size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks import learning_result
from benchmarks.plot import Axis, Chart, Point, Series, svg

FOLDER = Path(__file__).parents[1] / "docs" / "plots"

Result = Mapping[str, Any]


def learning(result: Result) -> Chart:
    """Recall as the project went on."""
    windows = result["figures"]["windows"]
    return Chart(
        "Files that the next sessions need, as the project goes on",
        "Mean of 20 sessions to a point; the band is holloway's 95 % interval. Tasks and code change on the way.",
        Axis("sessions learned from"),
        Axis("recall@10"),
        [
            Series(
                name,
                [Point(window["learned"], *window["recall"][name]) for window in windows],
                strong=name == learning_result.OURS,
            )
            for name in learning_result.METHODS
        ],
    )


def same_sessions(result: Result) -> Chart:
    """Recall on the same later sessions, by how much was learned before them."""
    depths = {int(depth): curve for depth, curve in result["figures"]["same_sessions"].items()}
    # There is no place for zero on a logarithmic axis; half a session is left of one.
    places = {depth: depth or 0.5 for depth in depths}
    return Chart(
        "The same later sessions, with ever more sessions learned before",
        "Only what is known differs from point to point; the band is holloway's 95 % interval.",
        Axis("sessions learned from", log=True, ticks=[(places[depth], f"{depth:,}") for depth in depths]),
        Axis("recall@10"),
        [
            Series(
                name,
                [Point(places[depth], *curve[name]) for depth, curve in depths.items()],
                strong=name == learning_result.OURS,
            )
            for name in learning_result.METHODS
        ],
    )


def recall_against_cost(result: Result) -> Chart:
    """Conversation memory: what a query finds against what it takes."""
    points = [
        Point(figures["query_ms_p50"], mean, low, high, name)
        for name, figures in result["figures"].items()
        for mean, low, high, *_ in [figures["recall"]["macro"]]
    ]
    return Chart(
        "Conversation memory: recall against the time of a query",
        "LoCoMo, macro mean of four categories with 95 % intervals; the same embedder behind every system.",
        Axis("ms a query, p50 (embedding included)", log=True),
        Axis("recall@10 of evidence turns"),
        [
            Series("", [point], joined=False, strong=point.name == "holloway")
            for point in sorted(points, key=lambda point: point.name != "holloway")
        ],
    )


SEARCHED = {
    "all together": "holloway recall",
    "by words": "by words alone",
    "by meaning": "by meaning alone",
    "by place": "by place alone",
    "plain FTS5": "plain FTS5",
    "plain numpy": "plain numpy",
}


def time_against_size(result: Result) -> Chart:
    """Search: CPU time by the number of memories."""
    sizes = {int(size): figures for size, figures in result["figures"].items()}
    return Chart(
        "Search: CPU time of a question by the number of memories",
        "Medians, the process warm; plain FTS5 and plain numpy are the simplest programs for two of the ways.",
        Axis("memories", log=True, ticks=[(size, f"{size:,}") for size in sizes]),
        Axis("CPU ms, p50", log=True),
        [
            Series(
                label,
                [Point(size, figures[name][2]) for size, figures in sizes.items() if name in figures],
                strong=name == "all together",
            )
            for name, label in SEARCHED.items()
        ],
    )


def map_against_size(result: Result) -> Chart:
    """The code map: CPU time to make it and to follow an edit, by the number of files."""
    rows = _lines(result, "Indexing, from nothing")
    # An edit of the one file that a whole project imports is a row of its own project, not a line over several.
    edits = [
        line
        for line in _lines(result, "Following an edit")
        if line["followed"] == "by name" and " of " not in line["edit"]
    ]
    sizes = {str(line["repository"]): float(line["of code"]) for line in rows}
    alone = [Point(line["of code"], line["CPU s"] * 1000) for line in rows if line["workers"] == 1]
    followed = [
        Series(
            f"edit: {kind}",
            [Point(sizes[line["repository"]], line["CPU p50 ms"]) for line in edits if line["edit"] == kind],
        )
        for kind in dict.fromkeys(line["edit"] for line in edits)
    ]
    return Chart(
        "The code map: CPU time by the number of files",
        "From nothing with one process, and the time until an edit is in the map (medians).",
        Axis("files of code", log=True),
        Axis("CPU ms", log=True),
        [Series("from nothing", alone, strong=True), *followed],
    )


def _lines(result: Result, title: str) -> list[dict[str, Any]]:
    """The rows of a table by the names of its columns."""
    table = next(entry for entry in result["tables"] if entry["title"] == title)
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


PLOTS: dict[str, dict[str, Callable[[Result], Chart]]] = {
    "learning_curve": {"learning": learning, "same-sessions": same_sessions},
    "b4_conversations": {"recall-against-cost": recall_against_cost},
    "b7_search": {"time-against-size": time_against_size},
    "b7_map": {"map-against-size": map_against_size},
}
"""By benchmark: its pictures, by the name of their file."""


def write(result: Result) -> list[tuple[str, str]]:
    """Draw a result's pictures; returns the title and the file of each, as the page names it."""
    drawn = []
    for name, draw in PLOTS.get(str(result["name"]), {}).items():
        chart = draw(result)
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / f"{name}.svg").write_text(svg(chart), encoding="utf-8")
        drawn.append((chart.title, f"plots/{name}.svg"))
    return drawn
