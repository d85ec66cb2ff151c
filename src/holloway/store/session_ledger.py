"""Session ledger: the sessions of a project, their outcomes, and the memories that were injected into each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.domain.work import Outcome, Phase, SessionSummary, SessionType
from holloway.safety import secrets
from holloway.store import lifecycle
from holloway.store.lookup import IS_SESSION, LOADED_BY_HOST, build_session_condition, count_sessions
from holloway.store.memories import CORRECTED_KINDS
from holloway.store.memory_rows import parse_work_unit, serialize_work_unit
from holloway.store.status_counts import FLAGGED_KINDS

if TYPE_CHECKING:
    from holloway.store.database import Database, Row


REPORTED_USEFUL = "asked"
"""The injection point of a memory that counts as shown because the agent reported that it helped."""
RECORDS_OF_MEMORY_MAX = 500
"""Latest sessions that are looked through for the uses of one memory."""
_REPORTED_CONTEXT = -1
"""Stands for the context of a reported use, so that its row is separate from the injection's."""
# Sessions from before the database was created were read from transcripts: no memory was injected in them.
_SESSIONS = """
SELECT count(*) FROM sessions WHERE outcome <> '' AND started_at >= (SELECT coalesce(min(at), '') FROM migrations)
"""
_SHOWN = f"""
SELECT count(*) AS shown,
  coalesce(sum(m.state = 'confirmed'), 0) AS confirmed,
  coalesce(sum(EXISTS (SELECT 1 FROM memory_history h WHERE h.seq = m.seq AND h.at >= i.at
                       AND h.kind IN (SELECT value FROM json_each(?)))), 0) AS corrected
FROM (SELECT memory, min(at) AS at FROM injections WHERE point <> '{LOADED_BY_HOST}' GROUP BY memory) i
JOIN memories m ON m.id = i.memory
"""
_CORRECTED_IN = f"""
SELECT count(DISTINCT m.seq)
FROM injections i JOIN memories m ON m.id = i.memory
JOIN memory_history h ON h.seq = m.seq AND h.at >= i.at AND h.kind IN (SELECT value FROM json_each(:kinds))
WHERE {build_session_condition(":session")}
"""


def count_all_sessions(database: Database) -> int:
    """Count the sessions in the ledger, including running ones and those not learned from."""
    return count_sessions(database.connection)


def list_memory_injections(database: Database, memory_id: str) -> list[tuple[str, str, str]]:
    """Return the injections of a memory as (session, point, time), newest first."""
    sql = "SELECT session, point, at FROM injections WHERE memory = ? ORDER BY at DESC LIMIT 50"
    return [(row["session"], row["point"], row["at"]) for row in database.fetch_rows(sql, (memory_id,))]


def list_injections_with_subagents(database: Database, session: str) -> list[tuple[str, str, str]]:
    """Return the injections into a session and its subagents as (memory, point, time), oldest first."""
    sql = f"SELECT memory, point, at FROM injections i WHERE {build_session_condition(':session')} ORDER BY at, memory"
    return [(row["memory"], row["point"], row["at"]) for row in database.fetch_rows(sql, {"session": session})]


def count_injections(database: Database, memory_id: str) -> int:
    """Count the injections of a memory, once for each session and context."""
    sql = "SELECT count(*) FROM injections WHERE memory = ? AND point NOT IN (?, ?)"
    return int(database.fetch_value(sql, (memory_id, REPORTED_USEFUL, LOADED_BY_HOST)))


def record_reported_use(database: Database, memory: str, session: str, at: str) -> bool:
    """Record that a session reported to have used a memory; return whether that is new.

    A use that was both reported and observed counts once.
    """
    sql = "INSERT OR IGNORE INTO injections(session, context, memory, point, at) VALUES (?, ?, ?, ?, ?)"
    with database.write_transaction():
        is_new = bool(database.execute(sql, (session, _REPORTED_CONTEXT, memory, REPORTED_USEFUL, at)).rowcount)
        if is_new and memory not in load_session_record(database, session).get("used", ()):
            lifecycle.record_uses(database, [memory])
        return is_new


def find_sessions(database: Database, reference: str) -> list[SessionSummary]:
    """Return the session with that id, or else those whose id begins with it."""
    sql = (
        "SELECT * FROM sessions s WHERE id >= :id AND id < :id || char(1114111) "
        f"AND (id = :id OR {IS_SESSION}) ORDER BY id <> :id, started_at LIMIT 6"
    )
    sessions = [_parse_session(row) for row in database.fetch_rows(sql, {"id": reference})]
    return sessions[:1] if sessions and sessions[0].id == reference else sessions


def list_latest_sessions(database: Database, limit: int) -> list[SessionSummary]:
    """Return the latest sessions, newest first."""
    sql = f"SELECT * FROM sessions s WHERE {IS_SESSION} ORDER BY started_at DESC, id LIMIT ?"
    return [_parse_session(row) for row in database.fetch_rows(sql, (limit,))]


# The index of memories by session leaves out those without one, so each query says that it does too.
_PAGE = f"""
SELECT s.*,
  (SELECT count(DISTINCT i.memory) FROM injections i WHERE {build_session_condition("s.id")}) AS told,
  (SELECT count(*) FROM memories m
    WHERE m.session = s.id AND m.session <> '' AND m.source <> 'user_taught') AS learned
FROM sessions s WHERE {IS_SESSION} AND (s.started_at, s.id) < (:before, :id)
ORDER BY s.started_at DESC, s.id DESC LIMIT :limit
"""


class ListedSession(NamedTuple):
    """A session with its record, and the numbers of memories that it was told and that were learned from it."""

    session: SessionSummary
    record: dict[str, Any]
    told: int
    learned: int


class Telling(NamedTuple):
    """A memory that a session or one of its subagents was told."""

    memory: str
    point: str
    at: str
    actor: str
    """Name of the subagent; empty for the session itself."""


def list_session_tellings(database: Database, session: str) -> list[Telling]:
    """Return what a session and its subagents were told, oldest first."""
    sql = (
        "SELECT memory, point, at, substr(i.session, length(:session) + 2) AS actor FROM injections i "
        f"WHERE {build_session_condition(':session')} ORDER BY at, context, memory"
    )
    return [Telling(*row) for row in database.fetch_rows(sql, {"session": session})]


def count_session(database: Database, session: str) -> tuple[int, int]:
    """Count the memories that a session was told, and those that came from it."""
    row = database.fetch_rows(
        f"SELECT (SELECT count(DISTINCT i.memory) FROM injections i WHERE {build_session_condition(':session')}), "
        "(SELECT count(*) FROM memories m"
        " WHERE m.session = :session AND m.session <> '' AND m.source <> 'user_taught')",
        {"session": session},
    )[0]
    return int(row[0]), int(row[1])


def list_sessions_before(database: Database, before: tuple[str, str], limit: int) -> list[ListedSession]:
    """Return the sessions before a key of start time and id, newest first."""
    rows = database.fetch_rows(_PAGE, {"before": before[0], "id": before[1], "limit": limit})
    return [ListedSession(_parse_session(row), json.loads(row["record"]), row["told"], row["learned"]) for row in rows]


def load_session_record(database: Database, session: str) -> dict[str, Any]:
    """Return the metrics of a session; empty if it is unknown."""
    text = database.fetch_value("SELECT record FROM sessions WHERE id = ?", (session,))
    record: dict[str, Any] = json.loads(text or "{}")
    return record


def list_session_records(database: Database) -> list[tuple[str, str, dict[str, Any]]]:
    """Return id, start and metrics of every session, oldest first."""
    rows = database.fetch_rows(
        f"SELECT id, started_at, record FROM sessions s WHERE {IS_SESSION} ORDER BY started_at, id"
    )
    return [(row["id"], row["started_at"], json.loads(row["record"] or "{}")) for row in rows]


def load_records_with_memory(database: Database, memory_id: str) -> dict[str, dict[str, Any]]:
    """Return the records of the latest sessions that were shown a memory, newest first, by session."""
    sql = (
        "SELECT s.id, s.record FROM sessions s WHERE s.id IN (SELECT CASE instr(i.session, '/') WHEN 0 THEN i.session "
        f"ELSE substr(i.session, 1, instr(i.session, '/') - 1) END FROM injections i WHERE i.memory = ? AND "
        f"i.point <> '{LOADED_BY_HOST}') ORDER BY s.started_at DESC LIMIT {RECORDS_OF_MEMORY_MAX}"
    )
    return {row["id"]: json.loads(row["record"]) for row in database.fetch_rows(sql, (memory_id,))}


def list_used_since(database: Database, since: str) -> set[str]:
    """Return the ids of the memories that sessions used, or reported to have used, since a time."""
    sql = (
        "SELECT u.value FROM sessions s, json_each(s.record, '$.used') u WHERE s.last_event_at >= :since "
        "UNION SELECT memory FROM injections WHERE point = :reported AND at >= :since"
    )
    return {row[0] for row in database.fetch_rows(sql, {"since": since, "reported": REPORTED_USEFUL})}


def sum_event_counts(database: Database) -> dict[str, int]:
    """Sum the events of all sessions, those that failed to be recorded, and those that were too slow."""
    names = ("events", "failed_events", "slow_events")
    columns = ", ".join(f"coalesce(sum(json_extract(record, '$.{name}')), 0) AS {name}" for name in names)
    row = database.fetch_row(f"SELECT {columns} FROM sessions")
    return {name: int(row[name]) if row else 0 for name in names}


def count_fired_signals(database: Database) -> dict[str, int]:
    """Count how often each signal fired in all sessions."""
    sql = (
        "SELECT each.key AS signal, sum(each.value) AS times FROM sessions, json_each(record, '$.signals') AS each "
        "GROUP BY each.key ORDER BY times DESC, signal"
    )
    return {row["signal"]: int(row["times"]) for row in database.fetch_rows(sql)}


def get_outcome(database: Database, session: str) -> str:
    """Return the outcome of a session; empty if it is unknown."""
    return database.fetch_value("SELECT outcome FROM sessions WHERE id = ?", (session,)) or ""


def finish_session(database: Database, session: SessionSummary, record: dict[str, Any]) -> None:
    """Store the outcome, metrics and memory uses of a session; fields that a hook stored are retained."""
    with database.write_transaction():
        lifecycle.record_uses(database, _find_new_uses(database, session.id, record))
        database.execute(
            "INSERT INTO sessions(id, agent, started_at, last_event_at, ended_at, type, phase, outcome, evidence, "
            "task, branch, commit_sha, work_unit, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(id) DO UPDATE SET ended_at = excluded.ended_at, type = excluded.type, phase = excluded.phase, "
            "started_at = min(started_at, excluded.started_at), "
            "last_event_at = max(last_event_at, excluded.last_event_at), outcome = excluded.outcome, "
            "evidence = excluded.evidence, task = excluded.task, branch = excluded.branch, "
            "commit_sha = excluded.commit_sha, work_unit = excluded.work_unit, record = excluded.record",
            (
                session.id,
                session.agent,
                session.started_at,
                session.last_event_at,
                session.ended_at,
                session.type or "",
                session.phase or "",
                session.outcome or "",
                *map(_redact_text, (session.evidence, session.task)),
                secrets.redact_path(session.branch),
                session.commit,
                _redact_text(serialize_work_unit(session.work_unit) or "") or None,
                json.dumps(secrets.redact_nested(record), sort_keys=True),
            ),
        )


def _redact_text(text: str) -> str:
    return secrets.redact_secrets(text)[0]


def _find_new_uses(database: Database, session: str, record: dict[str, Any]) -> set[str]:
    """Return the memories that a session used, without those already counted for it."""
    sql = f"SELECT memory FROM injections i WHERE {build_session_condition(':session')} AND point = :said"
    reported_ids = {row["memory"] for row in database.fetch_rows(sql, {"session": session, "said": REPORTED_USEFUL})}
    return set(record.get("used", ())) - set(load_session_record(database, session).get("used", ())) - reported_ids


def _parse_session(row: Row) -> SessionSummary:
    return SessionSummary(
        id=row["id"],
        agent=row["agent"],
        started_at=row["started_at"],
        last_event_at=row["last_event_at"],
        ended_at=row["ended_at"],
        type=SessionType(row["type"]) if row["type"] else None,
        phase=Phase(row["phase"]) if row["phase"] else None,
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        evidence=row["evidence"],
        task=row["task"],
        branch=row["branch"],
        commit=row["commit_sha"],
        work_unit=parse_work_unit(row["work_unit"]),
    )


@dataclass(frozen=True, slots=True)
class FeedbackCounts:
    """Finished sessions, memories injected into them, and how many of those were confirmed or corrected."""

    sessions: int = 0
    shown: int = 0
    confirmed: int = 0
    """By a person, or because independent sessions agreed."""
    corrected: int = 0
    """By a person, after the injection: marked wrong, forgotten or edited."""


def count_feedback(database: Database) -> FeedbackCounts:
    """Count the feedback on all injected memories since the database was created."""
    row = database.fetch_rows(_SHOWN, (json.dumps(CORRECTED_KINDS),))[0]
    return FeedbackCounts(int(database.fetch_value(_SESSIONS)), row["shown"], row["confirmed"], row["corrected"])


def count_corrected_in_session(database: Database, session: str) -> int:
    """Count the memories that a person or the agent corrected after they were injected into a session."""
    kinds = json.dumps((*CORRECTED_KINDS, *FLAGGED_KINDS))
    return int(database.fetch_value(_CORRECTED_IN, {"session": session, "kinds": kinds}))


def list_flagged_by_session(database: Database) -> dict[str, list[str]]:
    """Return the memories that were flagged as wrong after they were injected, by session."""
    sql = (
        "SELECT DISTINCT i.session, i.memory FROM memory_history h JOIN memories m ON m.seq = h.seq "
        "JOIN injections i ON i.memory = m.id AND h.at >= i.at "
        "WHERE h.kind IN (SELECT value FROM json_each(?)) ORDER BY i.session, i.memory"
    )
    flagged: dict[str, list[str]] = {}
    for row in database.fetch_rows(sql, (json.dumps(FLAGGED_KINDS),)):
        flagged.setdefault(row["session"].partition("/")[0], []).append(row["memory"])
    return flagged


def count_flagged_in_session(database: Database, session: str) -> int:
    """Count the memories that were flagged as wrong after they were injected into a session."""
    return int(database.fetch_value(_CORRECTED_IN, {"session": session, "kinds": json.dumps(FLAGGED_KINDS)}))
