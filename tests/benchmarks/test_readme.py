"""The README's figures and the page are those of the results."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import catalogue, plots, readme, report
from benchmarks.needs import LABELS_FROM, Given
from benchmarks.plot import svg

pytestmark = pytest.mark.promise("figures")


def test_the_figures_of_the_readme_are_those_of_the_results() -> None:
    text = readme.README.read_text(encoding="utf-8")
    assert f"{readme.BEGIN}\n{readme.table()}\n{readme.END}" in text, "run `python -m benchmarks.report`"


def test_the_page_holds_every_result() -> None:
    page = report.PAGE.read_text(encoding="utf-8")
    for result in report.results():
        for table in result["tables"]:
            assert report.grid(table["columns"], table["rows"]) in page, "run `python -m benchmarks.report`"


def test_the_plots_are_drawn_from_the_results() -> None:
    results = {result["name"]: result for result in report.results()}
    for name, drawings in plots.PLOTS.items():
        for file, draw in drawings.items() if name in results else ():
            drawn = (plots.FOLDER / f"{file}.svg").read_text(encoding="utf-8")
            assert drawn == svg(draw(results[name])), "run `python -m benchmarks.report`"
            assert f"plots/{file}.svg" in report.PAGE.read_text(encoding="utf-8")


def test_every_figure_of_the_readme_has_a_command_that_make_understands() -> None:
    makefile = (readme.README.parent / "Makefile").read_text(encoding="utf-8")
    for row in readme.ROWS:
        words = readme.again(row.benchmark).split()
        assert words[:3] == ["make", "bench", f"ONLY={row.benchmark}"]
        assert all(f"--{word.partition('=')[0].lower()} $(" in makefile for word in words[2:])


def test_no_figure_of_the_readme_needs_what_nobody_can_get() -> None:
    for row in readme.ROWS:
        benchmark = catalogue.BY_NAME[row.benchmark]
        assert not any(LABELS_FROM in said for said in benchmark.missing(Given(data=Path("none"))))


def test_a_command_names_the_folders_that_its_benchmark_needs() -> None:
    assert readme.again("b3_issues") == "make bench ONLY=b3_issues DATA=folder REPOS=folder"
    assert readme.again("b7_hooks") == "make bench ONLY=b7_hooks"
