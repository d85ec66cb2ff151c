"""What waits for its session's work to prove right."""

from holloway.promotion import held
from holloway.promotion.held import Proof
from holloway.service.holloway import Holloway
from holloway.store import candidates
from holloway.store.candidates import HELD, Kept


def waiting(session: str, number: int) -> Kept:
    return Kept(session, number, "dead_end", f"k{number}", 1, HELD, "", "", {}, "2026-01-05", held_until="2026-01-19")


def test_what_became_of_a_session_is_looked_up_once_for_all_that_it_left(memory: Holloway) -> None:
    with memory.store.database.write():
        for session, number in (("s1", 1), ("s1", 2), ("s2", 1), ("s1", 3)):
            candidates.add(memory.store.database, waiting(session, number))
    asked: list[str] = []

    def proof_of(session: str) -> Proof:
        asked.append(session)
        return Proof(undone="commit abc")

    assert len(held.settle(memory.store, proof_of)) == 4
    assert sorted(asked) == ["s1", "s2"]
