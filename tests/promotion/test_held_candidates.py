"""What waits for its session's work to prove right."""

from dataclasses import replace

import pytest

from holloway.domain.memory import Draft, Relation, RelationType, Source, State
from holloway.domain.work import Outcome, SessionSummary
from holloway.promotion import held_candidates
from holloway.promotion.candidate import serialize_draft
from holloway.promotion.held_candidates import WorkProof
from holloway.service.holloway import Holloway
from holloway.store import candidates, observations, session_ledger
from holloway.store.candidates import DROPPED, HELD, PROMOTED, REINFORCED, StoredCandidate
from holloway.store.observations import SessionObservations
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from tests.conftest import Repository


def waiting(session: str, number: int) -> StoredCandidate:
    return StoredCandidate(
        session,
        number,
        "dead_end",
        f"k{number}",
        1,
        HELD,
        "",
        "",
        {},
        "2026-01-05",
        held_until="2026-01-19T09:00:00.000Z",
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


def test_a_candidate_that_nothing_proved_waits_until_its_time_is_up(memory: Holloway, clock: FakeClock) -> None:
    with memory.store.database.write_transaction():
        candidates.insert_candidate(memory.store.database, waiting("s1", 1))
    clock.advance(days=13)
    assert held_candidates.settle_held_candidates(memory.store, lambda session: WorkProof()) == []
    assert len(candidates.list_held_candidates(memory.store.database)) == 1
    clock.advance(days=1)
    (settled,) = held_candidates.settle_held_candidates(memory.store, lambda session: WorkProof())
    assert (settled.state, settled.reason) == (DROPPED, "nobody committed or tested its change in time")
    assert candidates.list_held_candidates(memory.store.database) == []


def hold(memory: Holloway, draft: Draft) -> None:
    with memory.store.database.write_transaction():
        held = replace(waiting(draft.session, 1), draft=serialize_draft(draft))
        candidates.insert_candidate(memory.store.database, held)


def release(memory: Holloway) -> StoredCandidate:
    (settled,) = held_candidates.settle_held_candidates(memory.store, lambda session: WorkProof(proved="commit abc"))
    return settled


TOKENS = Draft("tokens live an hour", session="s1", origin="observer:tokens", source=Source.ERROR_FIX)


def test_a_proved_candidate_becomes_a_memory_or_reinforces_the_one_of_the_same_origin(memory: Holloway) -> None:
    hold(memory, TOKENS)
    first = release(memory)
    assert (first.state, first.reason) == (PROMOTED, "proved by commit abc")
    assert memory.get(first.memory).content == TOKENS.content
    hold(memory, TOKENS)
    again = release(memory)
    assert (again.state, again.memory) == (PROMOTED, first.memory)
    hold(memory, replace(TOKENS, session="s2"))
    second = release(memory)
    assert (second.state, second.memory) == (REINFORCED, first.memory)
    assert set(memory.get(first.memory).sessions) == {"s1", "s2"}


def test_a_proved_candidate_that_a_person_rejected_stays_rejected(memory: Holloway) -> None:
    hold(memory, TOKENS)
    memory.forget([memory.get(release(memory).memory)], hard=True)
    hold(memory, replace(TOKENS, session="s2"))
    settled = release(memory)
    assert (settled.state, settled.reason) == (DROPPED, "a person rejected it")


def test_a_candidate_whose_draft_cannot_be_read_is_dropped_with_the_reason(memory: Holloway) -> None:
    with memory.store.database.write_transaction():
        candidates.insert_candidate(memory.store.database, waiting("s1", 1))
    settled = release(memory)
    assert settled.state == DROPPED
    assert settled.reason.startswith("it can no longer be stored")


def test_the_first_commit_that_undoes_another_is_named() -> None:
    commits = [("a1", "Revert it\n\nThis reverts commit 1234567."), ("b2", "Fixes: 1234567"), ("c3", "see 7654321")]
    assert held_candidates.map_undone_commits(commits) == {"1234567": "a1"}


EDITED = "src/shop/auth/tokens.py"
ENDED = "2026-01-05T08:00:00.000Z"


def record_session(
    memory: Holloway, session: str, at: str, weight: int = 2, paths: tuple[str, ...] = (EDITED,)
) -> None:
    """A session that succeeded and, with a weight above 1, changed the files."""
    summary = SessionSummary(session, "coder", at, at, at, outcome=Outcome.SUCCESS)
    session_ledger.finish_session(memory.store.database, summary, {})
    with memory.store.database.write_transaction():
        observed = SessionObservations(session, at, files=tuple((path, weight) for path in paths))
        observations.save_observations(memory.store.database, observed)


def test_a_session_without_changes_has_no_proof(memory: Holloway, repository: Repository) -> None:
    repository.commit(EDITED, "x = 1\n")
    assert held_candidates.find_proof(memory.store, "unknown") == WorkProof()
    record_session(memory, "s1", ENDED, weight=1)
    assert held_candidates.find_proof(memory.store, "s1") == WorkProof()


def test_work_is_proved_by_a_later_success_or_a_commit_and_undone_by_a_revert(
    memory: Holloway, repository: Repository
) -> None:
    record_session(memory, "s1", "2026-01-05T09:30:00.000Z")
    assert held_candidates.find_proof(memory.store, "s1") == WorkProof()
    record_session(memory, "s2", "2026-01-05T09:40:00.000Z")
    assert held_candidates.find_proof(memory.store, "s1") == WorkProof(proved="session s2")
    record_session(memory, "s0", ENDED)
    commit = repository.commit(EDITED, "x = 1\n")
    assert held_candidates.find_proof(memory.store, "s0") == WorkProof(proved=f"commit {commit[:10]}")
    revert = repository.commit(EDITED, "x = 2\n", 'Revert "change"')
    assert held_candidates.find_proof(memory.store, "s0") == WorkProof(undone=f"commit {revert[:10]}")


def test_a_revert_of_another_change_that_shares_a_file_undoes_nothing(memory: Holloway, repository: Repository) -> None:
    record_session(memory, "s1", ENDED, paths=(EDITED, "src/shop/a.py", "src/shop/b.py"))
    commit = repository.commit(EDITED, "x = 1\n")
    repository.commit(EDITED, "x = 2\n", 'Revert "another change"')
    assert held_candidates.find_proof(memory.store, "s1").undone == ""
    assert commit


def test_memories_of_reverted_work_are_set_aside_once(memory: Holloway, repository: Repository) -> None:
    assert held_candidates.take_back_reverted(memory.store) == []
    commit = repository.commit(EDITED, "x = 1\n")
    stored = memory.store.memories.add_memory(sanitize_draft(replace(TOKENS, commit=commit))).memory
    assert stored is not None
    assert held_candidates.take_back_reverted(memory.store) == []
    repository.commit(EDITED, "x = 2\n", f"Undo it\n\nThis reverts commit {commit}.")
    assert [taken.id for taken in held_candidates.take_back_reverted(memory.store)] == [stored.id]
    assert not memory.get(stored.id).is_alive
    assert held_candidates.take_back_reverted(memory.store) == []
