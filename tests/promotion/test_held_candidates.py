"""What waits for its session's work to prove right."""

from dataclasses import replace

import pytest

from holloway.domain.memory import Draft, Relation, RelationType, Source, State
from holloway.promotion import held_candidates
from holloway.promotion.candidate import serialize_draft
from holloway.promotion.held_candidates import WorkProof
from holloway.service.holloway import Holloway
from holloway.store import candidates
from holloway.store.candidates import DROPPED, HELD, PROMOTED, StoredCandidate
from holloway.store.write_gate import sanitize_draft


def waiting(session: str, number: int) -> StoredCandidate:
    return StoredCandidate(
        session, number, "dead_end", f"k{number}", 1, HELD, "", "", {}, "2026-01-05", held_until="2026-01-19"
    )


def test_what_became_of_a_session_is_looked_up_once_for_all_that_it_left(memory: Holloway) -> None:
    with memory.store.database.write_transaction():
        for session, number in (("s1", 1), ("s1", 2), ("s2", 1), ("s1", 3)):
            candidates.insert_candidate(memory.store.database, waiting(session, number))
    asked: list[str] = []

    def proof_of(session: str) -> WorkProof:
        asked.append(session)
        return WorkProof(undone="commit abc")

    assert len(held_candidates.settle_held_candidates(memory.store, proof_of)) == 4
    assert sorted(asked) == ["s1", "s2"]


@pytest.mark.promise("quarantine")
def test_what_came_in_from_outside_confirms_nothing_when_its_work_proves_right(memory: Holloway) -> None:
    draft = Draft("tokens live an hour", source=Source.AGENT_EXPLICIT, session="s1", origin="observer:tokens")
    tainted = replace(draft, content="Tokens live one hour", session="s2", state=State.QUARANTINED)
    with memory.store.database.write_transaction():
        candidates.insert_candidate(memory.store.database, replace(waiting("s2", 1), draft=serialize_draft(tainted)))
    known = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert known is not None
    (settled,) = held_candidates.settle_held_candidates(memory.store, lambda session: WorkProof(proved="commit abc"))
    assert (settled.state, settled.memory) == (DROPPED, "")
    assert memory.get(known.id) == known


def test_what_waited_names_what_it_conflicts_with_unless_that_was_forgotten_for_good(memory: Holloway) -> None:
    taught = [
        memory.store.memories.add_memory(sanitize_draft(Draft(text))).memory
        for text in ("tokens live an hour", "ports are free")
    ]
    kept, gone = (one for one in taught if one is not None)
    related = tuple(Relation(RelationType.CONFLICTS_WITH, memory=one.id, automatic=True) for one in (kept, gone))
    draft = Draft("tokens live two hours", session="s1", origin="observer:tokens", relations=related)
    with memory.store.database.write_transaction():
        candidates.insert_candidate(memory.store.database, replace(waiting("s1", 1), draft=serialize_draft(draft)))
    memory.forget([gone], hard=True)
    (settled,) = held_candidates.settle_held_candidates(memory.store, lambda session: WorkProof(proved="commit abc"))
    assert settled.state == PROMOTED
    assert [one.memory for one in memory.get(settled.memory).relations] == [kept.id]


@pytest.mark.promise("taken-back")
@pytest.mark.parametrize(
    ("known", "named"),
    [("abc1234", "abc1234" + "0" * 33), ("abc1234" + "0" * 33, "abc1234"), ("abc12340", "abc1234000")],
)
def test_a_commit_is_the_same_however_short_either_side_names_it(memory: Holloway, known: str, named: str) -> None:
    draft = Draft("tokens live an hour", session="s1", commit=known, origin="observer:tokens", source=Source.ERROR_FIX)
    kept = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert kept is not None
    assert (
        held_candidates.delete_undone_memories(memory.store, [("f" * 40, f"Mend it\n\nFixes: {'9' + named[1:]}")]) == []
    )
    (taken,) = held_candidates.delete_undone_memories(memory.store, [("f" * 40, f"Mend it\n\nFixes: {named}")])
    assert (taken.id, taken.is_alive) == (kept.id, False)
