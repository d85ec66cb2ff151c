"""The ledger of sessions: which one is meant by an id or its beginning."""

from dataclasses import replace

import pytest

import holloway
from holloway.domain.work import Outcome, SessionSummary, SessionType
from holloway.store import lookup, session_ledger
from holloway.store.session_ledger import FeedbackCounts
from holloway.testing import FakeClock


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


SUMMARY = SessionSummary(
    id="run-1",
    agent="coder",
    started_at="2026-01-05T09:00:00.000Z",
    last_event_at="2026-01-05T10:00:00.000Z",
    ended_at="2026-01-05T10:00:00.000Z",
    type=SessionType.BUILD,
    outcome=Outcome.SUCCESS,
    evidence="the tests passed",
    task="fix the login",
    branch="main",
    commit="c0ffee",
)
LATER = "2026-01-05T20:00:00.000Z"


def taught(memory: holloway.Holloway, text: str) -> str:
    told = memory.remember(text).memory
    assert told is not None
    return told.id


def claim(memory: holloway.Holloway, memory_id: str, session: str, at: str, point: str = "prompt") -> None:
    lookup.claim_injections(
        memory.store.database.connection, [memory_id], session=session, agent="coder", point=point, now=at
    )


def test_a_finished_session_comes_back_as_it_was_stored(ledger: holloway.Holloway) -> None:
    database = ledger.store.database
    session_ledger.finish_session(database, SUMMARY, {"events": 7, "signals": {"dead_end": 2}})
    (stored,) = session_ledger.find_sessions(database, "run-1")
    assert stored == replace(SUMMARY, last_event_at="2026-01-05T11:00:00.000Z")
    assert session_ledger.get_outcome(database, "run-1") == "success"
    assert session_ledger.get_outcome(database, "run-10") == session_ledger.get_outcome(database, "nobody") == ""
    assert session_ledger.load_session_record(database, "run-1") == {"events": 7, "signals": {"dead_end": 2}}
    assert session_ledger.load_session_record(database, "nobody") == {}


def test_events_and_signals_are_summed_over_all_sessions(ledger: holloway.Holloway) -> None:
    database = ledger.store.database
    assert session_ledger.sum_event_counts(database) == {"events": 0, "failed_events": 0, "slow_events": 0}
    for name, events, fired in (("run-1", 7, {"dead_end": 2, "backtrack": 1}), ("run-10", 5, {"backtrack": 4})):
        record = {"events": events, "failed_events": 1, "signals": fired}
        session_ledger.finish_session(database, replace(SUMMARY, id=name), record)
    assert session_ledger.sum_event_counts(database) == {"events": 12, "failed_events": 2, "slow_events": 0}
    assert session_ledger.count_fired_signals(database) == {"backtrack": 5, "dead_end": 2}


def test_sessions_are_counted_and_listed_without_subagents(ledger: holloway.Holloway) -> None:
    assert session_ledger.count_all_sessions(ledger.store.database) == 3
    latest = session_ledger.list_latest_sessions(ledger.store.database, 2)
    assert [session.id for session in latest] == ["other-7", "run-1"]


def test_injections_are_listed_by_memory_by_session_and_with_subagents(ledger: holloway.Holloway) -> None:
    database = ledger.store.database
    gate, cents = taught(ledger, "the gate is half open"), taught(ledger, "money is cents")
    first, second = "2026-01-05T10:00:00.000Z", "2026-01-05T11:00:00.000Z"
    claim(ledger, gate, "run-1", first)
    claim(ledger, gate, "run-1/explorer", second, "file")
    claim(ledger, cents, "run-1", second)
    assert session_ledger.list_memory_injections(database, gate) == [
        ("run-1/explorer", "file", second),
        ("run-1", "prompt", first),
    ]
    own = [(gate, "prompt", first), (cents, "prompt", second)]
    assert sorted(session_ledger.list_injections_with_subagents(database, "run-1")) == sorted(
        [*own, (gate, "file", second)]
    )
    assert session_ledger.count_injections(database, gate) == 2
    assert session_ledger.count_injections(database, "nobody") == 0


def test_a_reported_use_counts_once_and_not_again_when_the_session_ends(ledger: holloway.Holloway) -> None:
    database = ledger.store.database
    gate = taught(ledger, "the gate is half open")
    assert session_ledger.record_reported_use(database, gate, "run-1", LATER) is True
    assert session_ledger.record_reported_use(database, gate, "run-1", LATER) is False
    assert ledger.get(gate).use_count == 1
    assert session_ledger.count_injections(database, gate) == 0
    session_ledger.finish_session(database, SUMMARY, {"used": [gate]})
    assert ledger.get(gate).use_count == 1
    session_ledger.finish_session(database, replace(SUMMARY, id="run-10"), {"used": [gate]})
    assert session_ledger.record_reported_use(database, gate, "run-10", LATER) is True
    assert ledger.get(gate).use_count == 2


def test_feedback_counts_what_was_shown_confirmed_and_corrected(ledger: holloway.Holloway, clock: FakeClock) -> None:
    database = ledger.store.database
    gate, cents, dates = (taught(ledger, text) for text in ("the gate is half open", "money is cents", "dates are UTC"))
    for memory_id in (gate, cents):
        claim(ledger, memory_id, "run-1", "2026-01-05T09:00:00.000Z")
    clock.advance(hours=2)
    ledger.wrong(gate, "outdated")
    ledger.wrong(dates, "outdated")
    session_ledger.finish_session(database, replace(SUMMARY, started_at=LATER), {})
    assert session_ledger.count_feedback(database) == FeedbackCounts(sessions=1, shown=2, confirmed=2, corrected=1)
    assert session_ledger.count_corrected_in_session(database, "run-1") == 1
    assert session_ledger.count_flagged_in_session(database, "run-1") == 1
    assert session_ledger.count_flagged_in_session(database, "run-10") == 0
