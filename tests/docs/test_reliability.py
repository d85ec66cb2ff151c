"""Figures of the long runs: parts of a run are put together, and a run that was not repeated keeps its own."""

import json
from pathlib import Path
from typing import Any

from docs import reliability

MACHINE = {"cpu": "a", "cores": 2, "system": "Linux", "python": "3.11", "sqlite": "3.40", "holloway": "0.1"}


def part(folder: Path, name: str, run: str, at: str, **figures: float) -> None:
    told: dict[str, Any] = {"run": run, "at": at, "machine": MACHINE, "figures": figures}
    (folder / f"{name}.json").write_text(json.dumps(told), "utf-8")


def test_counts_of_a_runs_parts_are_added_and_of_maxima_the_greatest_is_taken(tmp_path: Path) -> None:
    part(tmp_path, "kill-1", "kill", "2026-01-01", kills=50, lost=0)
    part(tmp_path, "kill-2", "kill", "2026-01-02", kills=50, lost=1)
    part(tmp_path, "soak-1", "soak", "2026-01-01", hook_mb_max=20)
    part(tmp_path, "soak-2", "soak", "2026-01-01", hook_mb_max=15)
    found = reliability.merge_results({}, tmp_path)
    assert found["kill"]["figures"] == {"kills": 100, "lost": 1}
    assert found["kill"]["at"] == "2026-01-02"
    assert found["soak"]["figures"] == {"hook_mb_max": 20}


def test_a_run_that_was_not_repeated_keeps_its_figures(tmp_path: Path) -> None:
    known = {"many": {"at": "2025-12-31", "machine": MACHINE, "figures": {"lost": 0}}}
    part(tmp_path, "kill-1", "kill", "2026-01-01", kills=50)
    assert reliability.merge_results(known, tmp_path)["many"] == known["many"]


def test_every_run_that_is_told_of_has_a_test_and_every_figure_a_meaning() -> None:
    for name, measured in reliability.load_results().items():
        run = reliability.RUNS[name]
        assert (reliability.DOCS.parent / run.test).exists()
        assert set(measured["figures"]) <= set(run.labels), name
