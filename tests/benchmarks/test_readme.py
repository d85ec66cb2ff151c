"""The README's figures and the page are those of the results."""

from __future__ import annotations

import pytest

from benchmarks import plots, readme, report
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
