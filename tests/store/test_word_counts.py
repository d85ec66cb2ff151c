"""Counts of words are remembered, and forgotten with any change."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from holloway.domain.memory import Draft
from holloway.store import word_counts
from holloway.store.database import Database
from holloway.store.word_counts import count_words
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    import holloway


def add(memory: holloway.Holloway, text: str) -> None:
    memory.store.memories.add_memory(sanitize_draft(Draft(text)))


def test_a_word_is_counted_once_while_nothing_changes(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(memory, "zeppelin lands")
    assert count_words(memory.store.database, ["zeppelin", "mast"], 5) == {"zeppelin": 1, "mast": 0}
    monkeypatch.setattr(word_counts, "count_rows_with_word", lambda *_: 77)
    assert count_words(memory.store.database, ["zeppelin", "lands"], 5) == {"zeppelin": 1, "lands": 77}
    assert count_words(memory.store.database, ["zeppelin"], 6) == {"zeppelin": 77}


def test_what_this_process_or_another_adds_is_counted(memory: holloway.Holloway) -> None:
    database = memory.store.database
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}
    add(memory, "zeppelin lands")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 1}
    with closing(Database(database.path)) as other, other.write_transaction():
        other.execute("UPDATE memories SET search_text = 'airship'")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}


def test_what_was_taken_back_is_not_remembered(memory: holloway.Holloway) -> None:
    database = memory.store.database

    def add_and_fail() -> None:
        with database.write_transaction():
            add(memory, "zeppelin lands")
            assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 1}
            raise LookupError

    with pytest.raises(LookupError):
        add_and_fail()
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}


def test_a_connection_that_was_opened_anew_counts_anew(memory: holloway.Holloway) -> None:
    database = memory.store.database
    add(memory, "zeppelin lands")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 1}
    database.close()
    with closing(Database(database.path)) as other, other.write_transaction():
        other.execute("UPDATE memories SET search_text = 'airship'")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}


def test_no_more_words_are_remembered_than_allowed(memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_counts, "WORDS_MAX", 3)
    for number in range(20):
        count_words(memory.store.database, [f"word{number}"], 5)
    assert len(word_counts._CACHE[memory.store.database][1]) <= 4
