"""How detectors are judged against labels: errors that were fixed, and corrections in words."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from benchmarks import b5_errors, b5_words
from benchmarks.b5_errors import Answer, Session, baseline, score_answers
from benchmarks.b5_words import Counts, Item, folds, plain, read, threshold
from benchmarks.told import read_recording
from tests.benchmarks.recordings import recording

ERROR = "E   ModuleNotFoundError: No module named 'shop'"


def watched(name: str, day: float, *deeds: tuple[str, str]) -> Session:
    return Session(name, read_recording(recording(name, day, "Make the tests pass again", *deeds)).pad.actions, [])


def test_a_fix_counts_by_whether_it_was_one_where_it_was_and_of_what_kind() -> None:
    labelled: list[dict[str, Any]] = [
        {"label": "resolved", "resolved_at": 7, "fix_class": "edit"},
        {"label": "resolved", "resolved_at": 9, "fix_class": "flag"},
        {"label": "resolved", "resolved_at": 9, "fix_class": "flag"},
        {"label": "open"},
    ]
    found = score_answers(labelled, [Answer(7, "edit"), Answer(8, "edit"), Answer(None), Answer(3, "edit")])
    shares = {name: (one["hits"], one["of"]) for name, one in found.items() if isinstance(one, dict)}
    assert shares == {
        "precision": (2, 3),
        "recall": (2, 3),
        "place of the fix agrees": (1, 2),
        "kind of fix agrees": (1, 2),
    }


def test_the_baseline_takes_the_next_success_of_a_similar_command() -> None:
    session = watched("one", 0, ("fail", f"pytest -q tests -> {ERROR}"), ("run", "ls"), ("run", "pytest -q tests/unit"))
    placed = Session(session.name, session.actions, [10, 11, 12])
    assert baseline(placed, 0) == Answer(12)
    assert baseline(placed, 1) == Answer(None), "it did not fail"


def test_an_error_is_a_repeat_only_of_an_earlier_session() -> None:
    deeds = (("fail", f"pytest -q -> {ERROR}"), ("edit", "shop.py"), ("run", "pytest -q"))
    first, second = watched("one", 0, *deeds), watched("two", 1, *deeds)
    alone = b5_errors.repeats([first], b5_errors.exact)
    both = b5_errors.repeats([first, second], b5_errors.exact)
    assert (alone["met before"], alone["solved before"]) == (0, 0)
    assert (both["failing"], both["met before"], both["solved before"]) == (2, 1, 1)


def items(*labels: bool) -> list[Item]:
    return [Item(f"s{number % 7}", "", label, doubtful=False, candidates=()) for number, label in enumerate(labels)]


def test_the_threshold_is_the_lowest_score_from_which_on_hits_are_precise() -> None:
    labelled = items(*[True] * 9, False, False)
    scores = np.array([0.9] * 9 + [0.5, 0.1])
    assert threshold(scores, labelled) == 0.5
    assert threshold(scores, items(*[False] * 11)) == math.inf


def test_the_blocks_of_a_session_are_in_one_fold() -> None:
    fold_of = folds(items(*[True] * 21), 1)
    assert set(fold_of) == {f"s{number}" for number in range(7)}
    assert set(fold_of.values()) == set(range(b5_words.FOLDS))


def test_hits_are_counted_with_what_they_were() -> None:
    counts = Counts()
    counts.add(items(True, True, False), [True, False, True])
    assert counts.row("any")[1:] == ["0.50 (0.09 to 0.91)", "0.50 (0.09 to 0.91)", "2", "1"]


@pytest.mark.parametrize(("text", "hit"), [("Wait, the port is 80", True), ("The port is 80", False)])
def test_the_plain_patterns_hit_on_their_cues(text: str, hit: bool) -> None:
    assert plain(text) == hit


def test_a_label_is_read_with_what_holloway_sees_in_its_block() -> None:
    line = {
        "session": "a",
        "text": "I initially thought the port was 80, but it is 8080 in settings.py.",
        "label": 1,
        "doubtful": 0,
    }
    (item,) = read(json.dumps(line))
    assert (item.session, item.positive, item.doubtful) == ("a", True, False)
    assert item.score == max(one.score for one in item.candidates)
