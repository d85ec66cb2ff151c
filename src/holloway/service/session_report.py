"""What became of a session: what it showed, what was kept of it, what was not and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.errors import InvalidInput
from holloway.proof.record_fields import complete
from holloway.store import candidates as ledger
from holloway.store import session_ledger

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.domain.session import Session
    from holloway.service.holloway import Holloway
    from holloway.store.candidates import Kept

LIST_MAX = 200


@dataclass(frozen=True, slots=True)
class Explained:
    """A session with everything that came of it."""

    session: Session
    record: dict[str, Any]
    candidates: tuple[Kept, ...]
    used: tuple[Memory, ...]
    learned: tuple[Memory, ...]


def latest(memory: Holloway, limit: int) -> list[tuple[Session, dict[str, Any]]]:
    """Sessions, newest first, each with its figures."""
    database = memory.store.database
    found = session_ledger.latest(database, min(limit, LIST_MAX))
    return [(session, complete(session_ledger.record_of(database, session.id))) for session in found]


def explain(memory: Holloway, reference: str) -> Explained:
    """The session whose id begins so; `last` means the latest."""
    session = find(memory, reference)
    record = complete(session_ledger.record_of(memory.store.database, session.id))
    kept = ledger.of_session(memory.store.database, session.id)
    memories = memory.store.memories
    learned = [memories.get(each.memory) for each in kept if each.memory and memories.has(each.memory)]
    used = [memories.get(each) for each in record.get("used") or () if memories.has(each)]
    return Explained(session, record, tuple(kept), tuple(used), tuple({each.id: each for each in learned}.values()))


def find(memory: Holloway, reference: str) -> Session:
    """The session that a person means."""
    database = memory.store.database
    if reference == "last":
        found = session_ledger.latest(database, 1)
        if not found:
            raise InvalidInput("There is no session yet.", "Sessions are watched once an agent is connected.")
        return found[0]
    found = session_ledger.get(database, reference) if reference else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise InvalidInput(f"There is no session {reference[:60]!r}.", "`holloway sessions` lists them.")
    named = ", ".join(session.id for session in found[:5])
    raise InvalidInput(f"{reference} could be {named}.", "Give more characters of the id.")
