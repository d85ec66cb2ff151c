"""Gold lessons are loaded by worth, projects are named by letters, and texts by a hash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.told_lessons import TUNING, hash_text, load_gold, name_projects, render_told

if TYPE_CHECKING:
    from pathlib import Path

SHOP, GAME = "somebody/shop", "somebody/game"


def lesson(name: str, repository: str = SHOP, worth: int = 2) -> dict[str, Any]:
    return {"id": name, "repo": repository, "session": "s1", "worth": worth}


def row(**fields: Any) -> dict[str, Any]:
    columns = {"id": "7f3a2c", "type": "gotcha", "state": "unconfirmed", "source": "agent_note", "sessions": "[]"}
    texts = {"summary": "The cache is shared", "stated_at": "", "updated_at": "2026-03-01T10:00:00.000Z"}
    return columns | texts | {"details": {}, "files": []} | fields


def test_only_lessons_that_are_worth_telling_are_loaded(tmp_path: Path) -> None:
    rows = [lesson("a", worth=3), lesson("b", worth=2), lesson("c", worth=1), {"id": "d"}]
    (tmp_path / TUNING).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert [row["id"] for row in load_gold(tmp_path, TUNING)] == ["a", "b"]


def test_projects_are_named_by_letters_in_their_order() -> None:
    assert name_projects([lesson("a"), lesson("b", GAME), lesson("c")]) == {"A": SHOP, "B": GAME}


def test_the_hash_of_a_text_does_not_depend_on_its_spaces_and_case() -> None:
    assert hash_text("The cache  is shared") == hash_text("the cache is shared")
    assert hash_text("The cache is shared") != hash_text("The cache is not shared")
    assert len(hash_text("")) == 24


def test_a_memory_is_rendered_for_its_own_trigger() -> None:
    by_file = render_told(row(files=["src/cache.py"]), ())
    by_command = render_told(row(), ("caching", "$ make cache"))
    by_error = render_told(row(details={"error": "cache miss", "fix": "warm it"}), ())
    by_prompt = render_told(row(), ("caching",))
    assert by_file.startswith("holloway on src/cache.py: an agent noted: The cache is shared")
    assert by_command.startswith("holloway on `make cache`: an agent noted: The cache is shared")
    assert by_error.startswith('holloway: this error was solved before: an agent noted: "cache miss" -> warm it')
    assert by_prompt.startswith("- ")
    assert "The cache is shared" in by_prompt
