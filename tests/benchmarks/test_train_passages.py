"""Weights fitted to labelled passages separate them, are the same at every run, and hold only shared words."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks import train_passages
from benchmarks.train_passages import COUNT_MIN, PROJECTS_MIN, fit_weights, report_left_out, score_row

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.train_passages import Row

PROJECTS = ("shop", "game", "tool")
THINGS = ("cache", "token", "lock", "queue", "index", "socket", "parser", "thread", "buffer", "timer")


def row(project: str, text: str, label: str, speaker: str = "commit", context: str = "") -> Row:
    return {"project": project, "speaker": speaker, "text": text, "context": context, "label": label}


@pytest.fixture
def rows() -> list[Row]:
    """Made-up passages: a reason is worth telling, a report is noise."""
    return [
        made
        for project in PROJECTS
        for thing in THINGS
        for made in (
            row(project, f"the {thing} must not be shared because it breaks", "2"),
            row(project, f"updated the {thing} and its tests", "0"),
            row(project, f"now the {thing} was wrong", "W"),
        )
    ]


def test_the_fit_separates_lessons_from_noise(rows: list[Row]) -> None:
    weights = fit_weights(rows)
    lessons = [score_row(weights, row) for row in rows if row["label"] == "2"]
    others = [score_row(weights, row) for row in rows if row["label"] != "2"]
    assert min(lessons) > max(others)
    assert weights["word because"] > 0 > weights["word updated"]
    assert weights["pair must not"] > 0


def test_weights_are_fitted_until_the_share_of_lessons_is_right(rows: list[Row]) -> None:
    """At the optimum the penalty leaves the bias free, so the weighted mean of probabilities is that of the labels."""
    weights = fit_weights(rows)
    counted = [(train_passages.LABEL_WEIGHTS[row["label"]], row) for row in rows]
    expected = sum(weight * (row["label"] == "2") for weight, row in counted)
    predicted = sum(weight / (1 + 2.718281828 ** -score_row(weights, row)) for weight, row in counted)
    assert predicted == pytest.approx(expected, rel=0.02)


def test_the_fit_is_the_same_at_every_run_and_in_every_order(rows: list[Row]) -> None:
    assert fit_weights(rows) == fit_weights(rows) == fit_weights(rows[::-1])


def test_a_word_of_few_projects_or_few_passages_has_no_weight(rows: list[Row]) -> None:
    local = [row(project, "because zork", "2") for project in PROJECTS[: PROJECTS_MIN - 1] for _ in range(COUNT_MIN)]
    rare = [row(PROJECTS[number % 3], "because quux", "2") for number in range(COUNT_MIN - 1)]
    shared = [row(PROJECTS[number % 3], "because frob", "2") for number in range(COUNT_MIN)]
    weights = fit_weights([*rows, *local, *rare, *shared])
    assert not any("zork" in name or "quux" in name for name in weights)
    assert weights["word frob"] > 0


def test_weights_that_say_nothing_are_left_out(rows: list[Row]) -> None:
    weights = fit_weights(rows)
    assert "bias" in weights
    assert all(abs(value) >= train_passages.WEIGHT_MIN for name, value in weights.items() if name != "bias")
    assert "speaker commit" not in weights


def test_a_wrong_passage_weighs_more_than_noise(rows: list[Row]) -> None:
    def fit_with(label: str) -> float:
        extra = [row(project, f"however {thing}", label) for project in PROJECTS for thing in THINGS]
        return fit_weights([*rows, *extra])["word however"]

    assert fit_with("W") < fit_with("0") < fit_with("F") < 0 < fit_with("2")


def test_each_project_is_scored_by_the_weights_of_the_others(
    rows: list[Row], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_passages, "PROJECT_ROWS_MIN", 30)
    monkeypatch.setattr(train_passages, "PROJECTS_MIN", 2)
    left_out: list[set[str]] = []

    def fit(chosen: list[Row]) -> dict[str, float]:
        left_out.append(set(PROJECTS) - {row["project"] for row in chosen})
        return fit_weights(chosen)

    monkeypatch.setattr(train_passages, "fit_weights", fit)
    report_left_out([*rows, row("tiny", "this has too few passages", "0", "agent")])
    lines = capsys.readouterr().out.splitlines()
    assert left_out == [{project} for project in PROJECTS]
    assert len(lines) == len(train_passages.SHARES)
    assert lines[0].startswith("commit        best 2% (1), score from ")
    assert lines[-1].endswith(": 2=1.00 1=0.00 0=0.00 W=0.00 F=0.00")
    assert "best 30% (27)" in lines[-1]


def test_the_weights_are_written_as_sorted_json(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    passages = tmp_path / "passages.jsonl"
    passages.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    monkeypatch.setattr(train_passages, "DATA_FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["train_passages", "--passages", str(passages), "--write"])
    train_passages.main()
    written = json.loads((tmp_path / "passage_weights.json").read_text("utf-8"))
    assert written == fit_weights(rows)
    assert list(written) == sorted(written)
    assert capsys.readouterr().out == f"{len(written)} weights from {len(rows)} passages\n"


def test_a_report_writes_no_weights(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    passages = tmp_path / "passages.jsonl"
    passages.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    monkeypatch.setattr(train_passages, "DATA_FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["train_passages", "--passages", str(passages)])
    train_passages.main()
    assert not (tmp_path / "passage_weights.json").exists()
    assert capsys.readouterr().out == ""
