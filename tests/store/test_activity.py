"""Rows of the activity feed, newest first and without gaps."""

import pytest

from holloway.service.holloway import Holloway
from holloway.store import activity, session_ledger
from holloway.testing import FakeClock
from tests.service.test_memory_list import learned
from tests.service.test_session_report import began
from tests.store.test_memories import taught

END = ("9999", "")


def test_sessions_come_with_what_they_left_and_without_subagents(memory: Holloway) -> None:
    began(memory, "s1")
    began(memory, "s1/helper", hour=11)
    began(memory, "s2", hour=12)
    learned(memory, "x is y", session="s1")
    rows = activity.list_sessions_before(memory.store.database, END, 5)
    assert [(row.id, row.learned) for row in rows] == [("s2", 0), ("s1", 1)]
    assert activity.list_sessions_before(memory.store.database, (rows[0].at, rows[0].id), 5) == rows[1:]


def test_what_a_person_does_within_a_minute_is_one_activity(memory: Holloway, clock: FakeClock) -> None:
    ids = [learned(memory, f"memory number {number}") for number in range(5)]
    for memory_id in ids[:4]:
        memory.confirm(memory_id)
    clock.advance(seconds=120)
    memory.forget([ids[4]])
    rows = activity.list_person_activities(memory.store.database, "", END, 5)
    assert [(row.kind, row.memories, len(row.seqs)) for row in rows] == [("forgotten", 1, 1), ("confirmed", 4, 3)]


def test_a_period_and_a_key_limit_what_is_listed(memory: Holloway, clock: FakeClock) -> None:
    stored = taught(memory, "x is y").id
    clock.advance(days=1)
    memory.pin(stored)
    clock.advance(days=1)
    memory.confirm(stored)
    database = memory.store.database
    rows = activity.list_person_activities(database, "", END, 5)
    assert [row.kind for row in rows] == ["confirmed", "pinned", "taught"]
    assert [row.kind for row in activity.list_person_activities(database, rows[1].at, END, 5)] == [
        "confirmed",
        "pinned",
    ]
    before = (rows[1].at, rows[1].kind)
    assert [row.kind for row in activity.list_person_activities(database, "", before, 5)] == ["taught"]
    assert [row.kind for row in activity.list_person_activities(database, "", END, 1)] == ["confirmed"]


def test_what_a_machine_did_is_no_activity_of_a_person(memory: Holloway) -> None:
    stored = learned(memory, "x is y")
    memory.store.memories.update_memory(memory.get(stored), "stale", "a file it names is gone")
    assert activity.list_person_activities(memory.store.database, "", END, 5) == []


@pytest.mark.parametrize("sql", [activity._SESSIONS, session_ledger._PAGE])
def test_the_lessons_of_a_session_are_counted_by_an_index(memory: Holloway, sql: str) -> None:
    values = {"taught": "user_taught", "before": "9999", "name": "", "limit": 10, "id": ""}
    plan = memory.store.database.fetch_rows(f"EXPLAIN QUERY PLAN {sql}", values)
    assert [row["detail"] for row in plan if "SCAN m" in row["detail"] and "INDEX" not in row["detail"]] == []
    assert any("memories_session " in row["detail"] for row in plan)
