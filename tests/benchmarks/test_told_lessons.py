"""Lessons are scored by what judges said of each text; results name no repository."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.told_lessons import TUNING, hash_text, load_gold, name_projects, score

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SHOP, GAME = "somebody/shop", "somebody/game"


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def lesson(name: str, repository: str = SHOP, worth: int = 2) -> dict[str, Any]:
    return {"id": name, "repo": repository, "session": "s1", "worth": worth}


def shown(name: str, project: str = "A") -> dict[str, Any]:
    return {"hash": name, "project": project}


def judged(name: str, verdict: str, *gold: str) -> dict[str, Any]:
    return {"hash": name, "verdict": verdict, "gold": list(gold)}


class Scoring:
    """Writes made-up files of a run and scores them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def print_lines(
        self, gold: list[dict[str, Any]], shown_rows: list[dict[str, Any]], judgements: list[dict[str, Any]]
    ) -> list[str]:
        write(self.folder / TUNING, gold)
        write(self.folder / "shown.jsonl", shown_rows)
        verdicts = write(self.folder / "judgements.jsonl", judgements)
        score(argparse.Namespace(data=self.folder, out=self.folder, judgements=verdicts, set=TUNING))
        return self.capsys.readouterr().out.splitlines()


@pytest.fixture
def scoring(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Scoring:
    return Scoring(tmp_path, capsys)


def test_only_lessons_that_are_worth_telling_are_loaded(tmp_path: Path) -> None:
    write(tmp_path / TUNING, [lesson("a", worth=3), lesson("b", worth=2), lesson("c", worth=1), {"id": "d"}])
    assert [row["id"] for row in load_gold(tmp_path, TUNING)] == ["a", "b"]


def test_projects_are_named_by_letters_in_their_order() -> None:
    assert name_projects([lesson("a"), lesson("b", GAME), lesson("c")]) == {"A": SHOP, "B": GAME}


def test_the_hash_of_a_text_does_not_depend_on_its_spaces_and_case() -> None:
    assert hash_text("The cache  is shared") == hash_text("the cache is shared")
    assert hash_text("The cache is shared") != hash_text("The cache is not shared")
    assert len(hash_text("")) == 24


def test_recall_and_precision_are_printed_for_each_project(scoring: Scoring) -> None:
    lines = scoring.print_lines(
        [lesson("a"), lesson("b"), lesson("c", GAME), lesson("minor", worth=1)],
        [shown("x"), shown("y"), shown("z"), shown("q"), shown("u", "B")],
        [judged("x", "useful", "a"), judged("y", "wrong"), judged("z", "obvious"), judged("u", "useful", "c")],
    )
    assert lines == [
        "A: recall 1 of 2, 0.50 [0.00, 1.00]",
        "   shown 4: useful 0.25, obvious 0.25, noise 0.25, wrong 0.25",
        "B: recall 1 of 1, 1.00 [1.00, 1.00]",
        "   shown 1: useful 1.00, obvious 0.00, noise 0.00, wrong 0.00",
    ]


def test_a_judgement_of_a_text_that_is_no_longer_shown_catches_nothing(scoring: Scoring) -> None:
    lines = scoring.print_lines([lesson("a")], [shown("x")], [judged("old", "useful", "a"), judged("x", "noise")])
    assert lines[0] == "A: recall 0 of 1, 0.00 [0.00, 0.00]"


def test_a_lesson_that_two_texts_tell_is_caught_once(scoring: Scoring) -> None:
    texts = [shown("x"), shown("y")]
    lines = scoring.print_lines(
        [lesson("a"), lesson("b")], texts, [judged("x", "useful", "a"), judged("y", "useful", "a")]
    )
    assert lines[0].startswith("A: recall 1 of 2")
    assert "useful 1.00" in lines[1]


def test_a_project_without_texts_is_scored(scoring: Scoring) -> None:
    lines = scoring.print_lines([lesson("a")], [], [])
    assert lines[1] == "   shown 0: useful 0.00, obvious 0.00, noise 0.00, wrong 0.00"


def test_the_interval_is_the_same_at_every_run_and_narrows_with_more_lessons(scoring: Scoring) -> None:
    def print_interval(number: int) -> list[float]:
        gold = [lesson(str(place)) for place in range(number)]
        judgements = [judged("x", "useful", *(str(place) for place in range(0, number, 2)))]
        line = scoring.print_lines(gold, [shown("x")], judgements)[0]
        return [float(bound) for bound in line[line.index("[") + 1 : -1].split(", ")]

    low, high = print_interval(100)
    assert [low, high] == print_interval(100)
    assert 0.38 < low < 0.42
    assert 0.58 < high < 0.62
    assert high - low < 0.6 * (print_interval(20)[1] - print_interval(20)[0])
