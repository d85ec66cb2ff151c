"""The state of a store, read without writing."""

import sqlite3
from pathlib import Path

import pytest

from holloway.errors import HollowayError
from holloway.service.holloway import Holloway
from holloway.store import change_state
from holloway.store.change_state import StateReader
from tests.service.test_session_report import began
from tests.store.test_memories import taught


def test_the_version_changes_with_another_connections_write_only(memory: Holloway) -> None:
    reader = StateReader(memory.project.database_path)
    version = reader.read_version()
    assert reader.read_version() == version
    taught(memory, "x is y")
    assert reader.read_version() != version
    reader.close()


def test_the_state_counts_and_names_the_latest_sessions(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = StateReader(memory.project.database_path)
    before = reader.read_state()
    began(memory, "s1")
    began(memory, "s1/helper")
    taught(memory, "x is y")
    state = reader.read_state()
    assert state.memories > before.memories
    assert (before.sessions, set(state.sessions), state.told, state.proposals) == ({}, {"s1"}, 0, 0)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._connection.execute("DELETE FROM meta")
    reader.close()
    assert change_state.SESSIONS_WATCHED > 1


def test_a_missing_database_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(HollowayError, match=r"missing\.db"):
        StateReader(tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()
