"""Answers that B1 keeps from one run to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import answer_cache, b1_sessions, checkout
from benchmarks.b1_sessions import Question
from benchmarks.told import read_recording
from tests.benchmarks.recordings import recording


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the answers of this test in a folder of its own."""
    monkeypatch.setattr(checkout, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_answers_are_read_back_only_by_the_code_that_stored_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer_cache.load("shop") == []
    answer_cache.store("shop", [{"id": "s1"}])
    assert answer_cache.load("shop") == [{"id": "s1"}]
    assert answer_cache.load("other") == []
    assert [file.suffix for file in folder.iterdir()] == [".json"]
    monkeypatch.setattr(answer_cache, "hash_code", lambda: "another")
    assert answer_cache.load("shop") == []


def test_the_hash_follows_the_code_and_not_earlier_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hash_code = answer_cache.hash_code.__wrapped__
    monkeypatch.setattr(answer_cache, "CODE", (tmp_path,))
    (tmp_path / "locate.py").write_text("WEIGHT = 1")
    before = hash_code()
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "b1.json").write_text("{}")
    (tmp_path / "notes.md").write_text("x")
    assert hash_code() == before
    (tmp_path / "locate.py").write_text("WEIGHT = 2")
    assert hash_code() != before


def test_a_stored_question_comes_back_with_its_session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = read_recording(recording("s1", 1, "Round the invoice number", ("edit", "src/invoice.py")))
    lists = {name: ["src/invoice.py"] for name in b1_sessions.ARMS}
    shown = {b1_sessions.SESSIONS: ["src/invoice.py"]}
    asked = [Question(session, True, lists, {b1_sessions.SESSIONS: "Files: src/invoice.py"}, shown, 1)]
    monkeypatch.setattr(b1_sessions, "load_sessions", lambda *_: [])
    monkeypatch.setattr(b1_sessions, "ask_sessions", lambda *_, **__: iter(asked))
    assert b1_sessions.load_or_ask(folder, folder, "shop", [session]) == asked
    monkeypatch.setattr(b1_sessions, "ask_sessions", lambda *_, **__: pytest.fail("asked again"))
    (restored,) = b1_sessions.load_or_ask(folder, folder, "shop", [session])
    assert restored.to_row() == asked[0].to_row()
    assert (restored.session.gold, restored.session.discovery) == (session.gold, session.discovery)
