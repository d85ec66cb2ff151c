"""Prompts are written under their hash, and recorded answers are judged in place of a model."""

import argparse
import json
from pathlib import Path

import pytest

from benchmarks import read_lessons
from benchmarks.told_lessons import TUNING
from tests.conftest import Repository
from tests.promotion.reader.reading import answer, lesson
from tests.service.on_disk import transcript

SAID = "The login of the shop fails in the morning because the cache of the tokens is empty at start. " * 12
CAUSE = "The login fails in the morning because the cache of the tokens is empty at start"


@pytest.fixture
def options(repository: Repository, tmp_path: Path) -> argparse.Namespace:
    """A set with one labelled session of one project."""
    path = transcript(repository.root, "s1", 48)  # after the first commit
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    message = {"role": "assistant", "id": "m9", "content": SAID}
    rows.append(rows[-1] | {"type": "assistant", "uuid": "s1-said", "message": message})
    folder = tmp_path / "transcripts" / "somebody+shop"
    folder.mkdir(parents=True)
    (folder / "s1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "repositories" / "somebody+shop").mkdir(parents=True)
    (tmp_path / "repositories" / "somebody+shop" / "repo").symlink_to(repository.root)
    gold = {"id": "a", "repo": "somebody/shop", "session": "s1", "worth": 2}
    (tmp_path / TUNING).write_text(json.dumps(gold) + "\n", "utf-8")
    return argparse.Namespace(
        data=tmp_path,
        set=TUNING,
        transcripts=tmp_path / "transcripts",
        repositories=tmp_path / "repositories",
        out=tmp_path / "out",
        answers=tmp_path / "answers",
        arm="reader",
        all_sessions=False,
    )


def test_recorded_answers_are_judged_in_place_of_a_model(options: argparse.Namespace, tmp_path: Path) -> None:
    options.out = tmp_path / "prompts"
    read_lessons.write_prompts(options)
    (entry,) = json.loads((options.out / "index.json").read_text())
    assert "the cache of the tokens is empty" in (options.out / f"{entry['hash']}.txt").read_text("utf-8")
    options.answers.mkdir()
    given = answer(lesson(CAUSE, "the cache of the tokens is empty at start"), lesson(CAUSE, "never said"))
    (options.answers / f"{entry['hash']}.txt").write_text(given, "utf-8")
    options.out = tmp_path / "run"
    read_lessons.show(options)
    (told,) = [json.loads(line) for line in (options.out / "shown.jsonl").read_text().splitlines()]
    assert (told["content"], told["reader"], told["project"]) == (CAUSE, True, "A")
    (dropped,) = [json.loads(line) for line in (options.out / "dropped.jsonl").read_text().splitlines()]
    assert dropped["reason"].startswith("quotes: ")
    facts = json.loads((options.out / "run.json").read_text())
    assert (facts["counts"]["answers"], facts["told"]) == (1, 1)
    assert CAUSE not in json.dumps(facts)
