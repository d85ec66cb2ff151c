"""The summary of the last session, for the person: what it used, what was learned from it, what that saved.

Who lets three of them pass in a row without a decision gets a shorter one, never none; at the confident level it lists
only what needs a person, at the autonomous one there is none because that is what the user chose.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.domain.memory import State
from holloway.promotion import trust_level
from holloway.service.session_report import explain
from holloway.store import session_ledger

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.domain.session import Session
    from holloway.service.holloway import Holloway

LOOKED_AT = 10
"""Latest sessions among which the last one that ended is looked for."""
SHORT_AFTER = 3
"""Summaries in a row that a person let pass."""
_NOTE = "summary_told"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a session's end is worth telling. `short`: in a line, because the last ones were let pass."""

    session: Session
    saved_tokens: int
    """An estimate."""
    used: tuple[Memory, ...]
    learned: tuple[Memory, ...]
    to_decide: tuple[Memory, ...]
    """Of these, what nobody has confirmed yet and the trust level asks about."""
    short: bool = False


def summary(memory: Holloway) -> Summary | None:
    """The summary of the latest session that was learned from; nothing where it had nothing to tell."""
    level = memory.trust.level
    ended = [session for session in session_ledger.latest(memory.store.database, LOOKED_AT) if session.outcome]
    if not ended or level == trust_level.AUTONOMOUS:
        return None
    told = explain(memory, ended[0].id)
    new = tuple(each for each in told.learned if each.session == told.session.id and each.alive)
    used = tuple(each for each in told.used if each.alive)
    saved = int(told.record.get("saved_tokens") or 0)
    if not (new or used or saved):
        return None
    open_ones = {each.id: each for each in (*new, *used) if each.state is State.UNCONFIRMED}
    asked = tuple(each for each in open_ones.values() if each.review or level < trust_level.CONFIDENT)
    return Summary(told.session, saved, used, new, asked, _passed(memory, told.session.id) >= SHORT_AFTER)


def show(memory: Holloway) -> Summary | None:
    """The summary as a person is shown it; that they are is noted."""
    found = summary(memory)
    if found is not None and found.session.id != _told(memory).get("session"):
        passed = _passed(memory, found.session.id)
        memory.store.note(_NOTE, json.dumps({"session": found.session.id, "passed": passed}))
    return found


def decided(memory: Holloway) -> None:
    """A person decided on something that the review listed: it is read, so summaries are whole again."""
    memory.store.note(_NOTE, json.dumps({"session": _told(memory).get("session"), "passed": 0, "decided": True}))


def _passed(memory: Holloway, session: str) -> int:
    """How many summaries in a row a person had let pass when this session's is shown."""
    told = _told(memory)
    passed = told.get("passed")
    before = passed if isinstance(passed, int) else 0
    if told.get("session") == session:
        return before
    return 0 if told.get("decided") or not told.get("session") else before + 1


def _told(memory: Holloway) -> dict[str, object]:
    kept = json.loads(memory.store.noted(_NOTE) or "{}")
    return kept if isinstance(kept, dict) else {}
