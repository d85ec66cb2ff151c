"""Counts for the lines that a person reads: memories, reviews, news and the offer of a lower trust level."""

import pytest

import holloway
from holloway.domain.memory import Draft, Memory, ReviewReason, Source, State
from holloway.store import lookup, status_counts
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock

BEGAN = "2026-01-05T08:00:00.000Z"
NOW = "2026-01-05T10:00:00.000Z"


def infer(memory: holloway.Holloway, text: str, source: Source = Source.OBSERVER_INFERRED) -> Memory:
    draft = Draft(text, source=source, state=State.UNCONFIRMED)
    added = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert added is not None
    return added


def show(memory: holloway.Holloway, memories: list[Memory], session: str, point: str = "prompt") -> None:
    ids = [item.id for item in memories]
    connection = memory.store.database.connection
    lookup.claim_injections(connection, ids, session=session, agent="a", point=point, now=BEGAN)


def test_memories_due_reviews_and_injections_of_the_session_are_counted(memory: holloway.Holloway) -> None:
    memories = [infer(memory, text) for text in ("the gate is half open", "money is cents", "dates are UTC", "old")]
    memory.forget([memories.pop()])
    for item, due in zip(memories, ("", NOW, "2027-01-01T00:00:00.000Z"), strict=True):
        memory.store.memories.update_memory(item, "edited", review=ReviewReason.DISPUTED, review_after=due)
    show(memory, memories[:1], "s1")
    show(memory, memories[1:2], "s1", lookup.LOADED_BY_HOST)
    show(memory, memories, "s2")
    connection = memory.store.database.connection
    assert status_counts.load_status_counts(connection, "s1", NOW) == (3, 2, 1)


def test_what_was_learned_since_the_session_began_is_told_once(memory: holloway.Holloway, clock: FakeClock) -> None:
    connection = memory.store.database.connection
    infer(memory, "the gate is half open")
    assert status_counts.claim_learned_memories(connection, "s1") == []
    lookup.touch_session(connection, "s1", "a", BEGAN)
    clock.advance(hours=1)
    memory.remember("a person knows what they taught")
    outside = infer(memory, "money is cents")
    connection.execute("UPDATE memories SET state = 'quarantined' WHERE id = ?", (outside.id,))
    learned = [("money is cents", True), ("the gate is half open", False)]
    assert status_counts.claim_learned_memories(connection, "s1") == learned
    assert status_counts.claim_learned_memories(connection, "s1") == []
    clock.advance(hours=1)
    infer(memory, "dates are UTC")
    assert status_counts.claim_learned_memories(connection, "s2") == [("dates are UTC", False)]


def flag(memory: holloway.Holloway, count: int, session: str) -> None:
    memories = [infer(memory, f"fact number {number} of {session}") for number in range(count)]
    show(memory, memories, session)
    for item in memories:
        memory.store.memories.update_memory(item, "disputed", confidence=0.2)


def test_the_session_with_the_most_wrong_memories_counts(memory: holloway.Holloway, clock: FakeClock) -> None:
    connection = memory.store.database.connection
    assert status_counts.count_most_flagged(connection) == 0
    flag(memory, 1, "s1")
    flag(memory, 3, "s2")
    assert status_counts.count_most_flagged(connection) == 3
    memory.store.set_meta("trust_settled_at", "2026-01-06T00:00:00.000Z")
    assert status_counts.count_most_flagged(connection) == 0


def test_only_the_latest_sessions_are_searched_for_wrong_memories(memory: holloway.Holloway) -> None:
    connection = memory.store.database.connection
    flag(memory, 2, "s0")
    for number in range(status_counts.FLAGGED_SESSIONS - 1):
        lookup.touch_session(connection, f"later-{number}", "a", NOW)
    assert status_counts.count_most_flagged(connection) == 2
    lookup.touch_session(connection, "last", "a", NOW)
    assert status_counts.count_most_flagged(connection) == 0


@pytest.mark.parametrize(("level", "wrong", "offer"), [(2, 3, True), (2, 2, False), (1, 3, False), (3, 4, True)])
def test_a_lower_trust_level_is_offered_after_three_wrong_memories_of_one_session(
    memory: holloway.Holloway, level: int, wrong: int, offer: bool
) -> None:
    memory.store.set_meta("trust_level", str(level))
    flag(memory, wrong, "s1")
    text = status_counts.offer_lower_trust(memory.store.database.connection)
    name = {2: "cautious", 3: "standard"}.get(level, "")
    expected = f"{wrong} memories of one session were wrong: `holloway trust {name}` shows fewer and surer ones"
    assert text == (expected if offer else "")


def test_the_trust_level_of_the_environment_counts_before_the_stored_one(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store.set_meta("trust_level", "1")
    flag(memory, 3, "s1")
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", "3")
    assert "holloway trust" in status_counts.offer_lower_trust(memory.store.database.connection)
