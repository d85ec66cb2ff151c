"""Sheets hide how a text was learned; a missing verdict counts against the product."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.judged_lessons import (
    bootstrap,
    compute_interval,
    read_rows,
    score,
    store_judgements,
    write_rows,
    write_sheets,
)
from benchmarks.told_lessons import TUNING

if TYPE_CHECKING:
    from pathlib import Path

SHOP, GAME = "somebody/shop", "somebody/game"


def lesson(name: str, repository: str = SHOP, text: str = "") -> dict[str, Any]:
    return {"id": name, "repo": repository, "session": "s1", "worth": 2, "lesson": text or name}


def told(name: str, project: str = "A", session: str = "s1", content: str = "") -> dict[str, Any]:
    content = content or f"fact {name}"
    return {"hash": name, "project": project, "session": session, "content": content, "text": f"told: {content}"}


def dropped(name: str, source: str = "read_lesson", check: str = "names") -> dict[str, Any]:
    return told(name) | {"source": source, "check": check, "reason": f"{check}: it names refreshToken"}


def judged(name: str, verdict: str, *gold: str, judge: int = 1, **more: Any) -> dict[str, Any]:
    return {"hash": name, "judge": judge, "verdict": verdict, "clean": True, "gold": list(gold)} | more


class Judging:
    """Made-up runs, sheets and verdicts in a folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.runs: list[str] = []

    def add_run(
        self, arm: str, told_rows: list[dict[str, Any]], dropped_rows: list[dict[str, Any]] | None = None
    ) -> None:
        write_rows(self.folder / arm / "shown.jsonl", told_rows)
        write_rows(self.folder / arm / "dropped.jsonl", dropped_rows or [])
        self.runs.append(f"{arm}={self.folder / arm}")

    def options(self, gold: list[dict[str, Any]], *files: Path) -> argparse.Namespace:
        write_rows(self.folder / TUNING, gold)
        return argparse.Namespace(
            data=self.folder,
            set=TUNING,
            run=self.runs,
            out=self.folder / "sheets",
            sheet=self.folder / "sheets",
            judgements=list(files),
            judges=2,
            candidates=6,
        )

    def print_lines(self, gold: list[dict[str, Any]], *judgements: dict[str, Any]) -> list[str]:
        path = self.folder / "judgements.jsonl"
        write_rows(path, judgements)
        score(self.options(gold, path))
        return [line.strip() for line in self.capsys.readouterr().out.splitlines()]


@pytest.fixture
def judging(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Judging:
    return Judging(tmp_path, capsys)


def test_a_sheet_shows_neither_the_arm_nor_the_fate_of_a_text(judging: Judging) -> None:
    judging.add_run("none", [told("x")], [dropped("d", "conclusion", "conclusion")])
    judging.add_run("both", [told("x"), told("y")], [dropped("e")])
    write_sheets(judging.options([lesson("a")]))
    rows = read_rows(judging.folder / "sheets" / "sheet.jsonl")
    assert sorted(row["hash"] for row in rows) == ["d", "e", "x", "y"]
    assert {name for row in rows for name in row} == {"hash", "project", "session", "text", "files"}


def test_a_text_that_enough_judges_have_read_is_not_on_the_sheet(judging: Judging) -> None:
    judging.add_run("none", [told("x"), told("y")])
    known = judging.folder / "known.jsonl"
    caught_only = judged("y", "", "a", judge=2)
    write_rows(known, [judged("x", "useful"), judged("x", "noise", judge=2), judged("y", "useful"), caught_only])
    write_sheets(judging.options([lesson("a")], known))
    assert [row["hash"] for row in read_rows(judging.folder / "sheets" / "sheet.jsonl")] == ["y"]


def test_a_lesson_stands_beside_the_texts_of_its_session_and_similar_ones_of_its_project(judging: Judging) -> None:
    own, other = told("x"), told("z", session="s2", content="the login cache is shared")
    judging.add_run("both", [own, told("u", "B"), other], [dropped("e"), dropped("f", "conclusion", "conclusion")])
    write_sheets(judging.options([lesson("a", text="The login needs the shared cache"), lesson("b", GAME)]))
    first = read_rows(judging.folder / "sheets" / "recall_sheet.jsonl")[0]
    assert [row["hash"] for row in first["texts"]] == ["x", "e", "z"]


def test_stored_judgements_hold_no_text(judging: Judging) -> None:
    judging.add_run("none", [told("x", content="secret words")])
    judging.add_run("reader", [told("x"), told("y")], [dropped("e", check="names")])
    sheets = judging.folder / "sheets"
    write_rows(
        sheets / "verdicts_1a.jsonl", [{"hash": "x", "verdict": "useful", "clean": True, "text": "secret words"}]
    )
    write_rows(sheets / "verdicts_1b.jsonl", [{"hash": "e", "verdict": "wrong", "clean": False}])
    write_rows(sheets / "verdicts_2.jsonl", [{"hash": "x", "verdict": "noise", "clean": True}])
    write_rows(sheets / "recall_1.jsonl", [{"id": "a", "caught": ["x", "y"]}])
    options = judging.options([lesson("a")])
    options.out = judging.folder / "kept.jsonl"
    store_judgements(options)
    rows = read_rows(options.out)
    assert [(row["judge"], row["hash"], row["arms"], row["check"], row["verdict"], row["gold"]) for row in rows] == [
        (1, "e", [], "names", "wrong", []),
        (1, "x", ["none", "reader"], "", "useful", ["a"]),
        (1, "y", ["reader"], "", "", ["a"]),
        (2, "x", ["none", "reader"], "", "noise", []),
    ]
    assert "secret" not in options.out.read_text()


def test_precision_and_recall_are_printed_for_each_arm_and_project(judging: Judging) -> None:
    judging.add_run("none", [told("x"), told("y"), told("z"), told("q"), told("u", "B")])
    lines = judging.print_lines(
        [lesson("a"), lesson("b"), lesson("c", GAME)],
        judged("x", "useful", "a"),
        judged("y", "wrong", clean=False),
        judged("z", "obvious"),
        judged("u", "useful", "c"),
    )
    assert lines[0] == "none all: 5 told, 3 lessons"
    assert lines[3] == "none A: 4 told, 2 lessons"
    assert "useful 1 = 0.25" in lines[4]
    assert "noise 1 = 0.25" in lines[4], "a text without a verdict is noise"
    assert "wrong 1 = 0.25" in lines[4]
    assert "clean 2 = 0.50" in lines[4], "and not clean"
    assert "recall 1 of 2 = 0.50" in lines[4]
    assert "recall 1 of 1 = 1.00" in lines[7]


def test_a_judgement_of_a_text_that_is_not_told_catches_nothing(judging: Judging) -> None:
    judging.add_run("none", [told("x")])
    lines = judging.print_lines([lesson("a")], judged("old", "useful", "a"), judged("x", "noise"))
    assert "recall 0 of 1" in lines[1]


def test_each_judge_has_a_line_and_their_agreement_is_corrected_for_chance(judging: Judging) -> None:
    judging.add_run("none", [told(name) for name in "abcd"])
    verdicts = zip("abcd", ("useful", "useful", "noise", "noise"), ("useful", "noise", "noise", "noise"), strict=True)
    rows = [judged(name, word, judge=judge) for name, *words in verdicts for judge, word in enumerate(words, 1)]
    lines = judging.print_lines([lesson("a")], *rows)
    assert "useful 2 = 0.50" in lines[1]
    assert "useful 1 = 0.25" in lines[2]
    assert lines[3] == "judges agree on 3 of 4 pairs, kappa 0.50"


def test_verdicts_on_dropped_candidates_are_listed_by_check(judging: Judging) -> None:
    judging.add_run("both", [], [dropped("e")])
    rows = [judged("e", "useful", check="names"), judged("f", "wrong", check="names"), judged("g", "noise")]
    lines = judging.print_lines([lesson("a")], *rows)
    assert lines[-1] == "judge 1, kept back by names: 1 useful, 0 obvious, 0 noise, 1 wrong"


def test_intervals_narrow_with_more_values_and_are_the_same_at_every_run() -> None:
    few, many = bootstrap([True, False] * 10), bootstrap([True, False] * 50)
    assert many == bootstrap([True, False] * 50)
    assert 0.38 < many[0] < 0.42 < 0.58 < many[1] < 0.62
    assert many[1] - many[0] < 0.6 * (few[1] - few[0])
    assert compute_interval(0, 0) == (0.0, 1.0)
    low, high = compute_interval(5, 10)
    assert (round(low, 3), round(high, 3)) == (0.237, 0.763)
