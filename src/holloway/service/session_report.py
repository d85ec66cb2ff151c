"""Reports on sessions: the outcome of each, and the summary of the last one for the person.

A person who ignores three summaries in a row gets a short one. At the confident level the summary lists only what needs
a decision; at the autonomous level there is no summary.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.domain.memory import State
from holloway.errors import InvalidInput
from holloway.promotion import trust_level
from holloway.proof.record_fields import complete_record
from holloway.store import candidates as ledger
from holloway.store import session_ledger

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.domain.work import SessionSummary
    from holloway.service.holloway import Holloway
    from holloway.store.candidates import StoredCandidate

ENDED_AMONG = 10
"""Latest sessions among which the last one that ended is searched."""
SHORT_AFTER = 3
"""Ignored summaries in a row after which the next one is short."""
_NOTE = "summary_told"


@dataclass(frozen=True, slots=True)
class SessionReport:
    """A session with its results."""

    session: SessionSummary
    record: dict[str, Any]
    candidates: tuple[StoredCandidate, ...]
    used: tuple[Memory, ...]
    learned: tuple[Memory, ...]


def explain_session(memory: Holloway, reference: str) -> SessionReport:
    """Report on the session with this id prefix, or on the latest one for `last`; raises InvalidInput if unknown."""
    session = find_session(memory, reference)
    record = complete_record(session_ledger.load_session_record(memory.store.database, session.id))
    candidates = ledger.list_session_candidates(memory.store.database, session.id)
    memories = memory.store.memories
    learned_ids = dict.fromkeys(candidate.memory for candidate in candidates if candidate.memory)
    learned = {lesson.id: lesson for lesson in map(memories.get_memory, filter(memories.has_memory, learned_ids))}
    used = [memories.get_memory(used_id) for used_id in record.get("used") or () if memories.has_memory(used_id)]
    return SessionReport(session, record, tuple(candidates), tuple(used), tuple(learned.values()))


def find_session(memory: Holloway, reference: str) -> SessionSummary:
    """Return the session with this id prefix; raises InvalidInput if no session, or more than one, has it."""
    database = memory.store.database
    if reference == "last":
        latest = session_ledger.list_latest_sessions(database, 1)
        if not latest:
            raise InvalidInput("There is no session yet.", "Sessions are watched once an agent is connected.")
        return latest[0]
    matches = session_ledger.find_sessions(database, reference) if reference else []
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise InvalidInput(f"There is no session {reference[:60]!r}.", "`holloway sessions` lists them.")
    ids = ", ".join(session.id for session in matches[:5])
    raise InvalidInput(f"{reference} could be {ids}.", "Give more characters of the id.")


@dataclass(frozen=True, slots=True)
class Summary:
    """The end of a session for the person. `short`: in one line, because the person ignored the last summaries."""

    session: SessionSummary
    saved_tokens: int
    """An estimate."""
    used: tuple[Memory, ...]
    learned: tuple[Memory, ...]
    to_decide: tuple[Memory, ...]
    """The memories among these that nobody has confirmed yet and the trust level asks about."""
    short: bool = False


def find_ended_session(memory: Holloway) -> SessionSummary | None:
    """Return the latest session that was learned from; None without one among the latest ten."""
    return next(iter(list_ended_sessions(memory)), None)


def has_sessions(memory: Holloway) -> bool:
    """Return whether an agent worked in the project while it was watched."""
    return bool(session_ledger.list_latest_sessions(memory.store.database, 1))


def list_ended_sessions(memory: Holloway) -> list[SessionSummary]:
    """Return the sessions that were learned from among the latest ten, newest first."""
    latest = session_ledger.list_latest_sessions(memory.store.database, ENDED_AMONG)
    return [session for session in latest if session.outcome]


def summarize_session(memory: Holloway) -> Summary | None:
    """Return the summary of the latest session that was learned from; None if there is nothing to report."""
    level, ended = memory.trust.level, find_ended_session(memory)
    if ended is None or level == trust_level.AUTONOMOUS:
        return None
    report = explain_session(memory, ended.id)
    session = report.session
    learned = tuple(lesson for lesson in report.learned if lesson.session == session.id and lesson.is_alive)
    used = tuple(used_memory for used_memory in report.used if used_memory.is_alive)
    saved_tokens = int(report.record.get("saved_tokens") or 0)
    if not (learned or used or saved_tokens):
        return None
    unconfirmed = {item.id: item for item in (*learned, *used) if item.state is State.UNCONFIRMED}
    to_decide = tuple(item for item in unconfirmed.values() if item.review or level < trust_level.CONFIDENT)
    is_short = count_ignored(memory, session.id) >= SHORT_AFTER
    return Summary(session, saved_tokens, used, learned, to_decide, is_short)


def show_summary(memory: Holloway) -> Summary | None:
    """Return the summary for display, and record that the person was shown it."""
    summary = summarize_session(memory)
    if summary is not None:
        note_shown(memory, summary.session.id)
    return summary


def note_shown(memory: Holloway, session: str) -> None:
    """Record that the person was shown the end of a session, unless it was recorded before."""
    if session != _last_shown(memory).get("session"):
        ignored, left = count_ignored(memory, session), list_left_sessions(memory)
        memory.store.set_meta(_NOTE, json.dumps({"session": session, "passed": ignored, "left": left}))


def note_dismissal(memory: Holloway, session: str) -> None:
    """Record that the person left the end of a session for later."""
    note_shown(memory, session)
    left = [*(earlier for earlier in list_left_sessions(memory) if earlier != session), session][-ENDED_AMONG:]
    memory.store.set_meta(_NOTE, json.dumps({**_last_shown(memory), "left": left}))


def list_left_sessions(memory: Holloway) -> list[str]:
    """Return the latest sessions whose end the person left for later."""
    left = _last_shown(memory).get("left")
    return [str(session) for session in left] if isinstance(left, list) else []


def note_decision(memory: Holloway) -> None:
    """Record that the person decided on a listed memory: summaries are full again."""
    session, left = _last_shown(memory).get("session"), list_left_sessions(memory)
    memory.store.set_meta(_NOTE, json.dumps({"session": session, "passed": 0, "decided": True, "left": left}))


def count_ignored(memory: Holloway, session: str) -> int:
    """Return how many summaries in a row the person had ignored or left when this session's is shown."""
    last = _last_shown(memory)
    passed = last.get("passed")
    ignored = passed if isinstance(passed, int) else 0
    if last.get("session") == session:
        return ignored
    return 0 if last.get("decided") or not last.get("session") else ignored + 1


def _last_shown(memory: Holloway) -> dict[str, object]:
    note = json.loads(memory.store.get_meta(_NOTE) or "{}")
    return note if isinstance(note, dict) else {}
