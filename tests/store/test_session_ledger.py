"""The ledger of sessions: which one is meant by an id or its beginning."""

import pytest

import holloway
from holloway.store import lookup, session_ledger


@pytest.fixture
def ledger(memory: holloway.Holloway) -> holloway.Holloway:
    """Sessions whose ids begin alike, the longer ones first, and a subagent of one."""
    for hour, name in enumerate(("run-10", "run-1", "run-1/explorer", "other-7", "other-7/reviewer")):
        lookup.touch_session(memory.store.database.connection, name, "coder", f"2026-01-05T1{hour}:00:00.000Z")
    return memory


def found(memory: holloway.Holloway, reference: str) -> list[str]:
    return [each.id for each in session_ledger.find_sessions(memory.store.database, reference)]


def test_a_whole_id_means_that_session_though_others_begin_so(ledger: holloway.Holloway) -> None:
    assert found(ledger, "run-1") == ["run-1"]
    assert found(ledger, "run-1/explorer") == ["run-1/explorer"]


def test_the_beginning_of_an_id_means_all_that_begin_so_and_no_subagent(ledger: holloway.Holloway) -> None:
    assert found(ledger, "run") == ["run-10", "run-1"]
    assert found(ledger, "oth") == ["other-7"]
    assert found(ledger, "nobody") == []
