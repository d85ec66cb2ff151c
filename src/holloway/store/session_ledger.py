"""Session ledger: the sessions of a project, their outcomes, and the memories that were injected into each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holloway.domain.session import Outcome, Session, SessionType
from holloway.domain.work import Phase
from holloway.store import lifecycle
from holloway.store.lookup import IS_SESSION, LOADED_BY_HOST, count_sessions, of_session
from holloway.store.memory_rows import unit_of, unit_text

if TYPE_CHECKING:
    from holloway.store.database import Database, Row


SAID_TO_HELP = "asked"
"""The injection point of a memory that counts as shown because the agent reported that it helped."""
_SAID = -1
"""Stands for the context of a reported use, so that its row is separate from the injection's."""


def count(database: Database) -> int:
    """Count the sessions in the ledger, including running ones and those not learned from."""
    return count_sessions(database.connection)


def shown(database: Database, memory_id: str) -> list[tuple[str, str, str]]:
    """Return the injections of a memory as (session, point, time), newest first."""
    sql = "SELECT session, point, at FROM injections WHERE memory = ? ORDER BY at DESC LIMIT 50"
    return [(row["session"], row["point"], row["at"]) for row in database.rows(sql, (memory_id,))]


def shown_to(database: Database, session: str) -> list[tuple[str, str, str]]:
    """Return the injections into a session as (memory, point, time), oldest first."""
    sql = "SELECT memory, point, at FROM injections WHERE session = ? ORDER BY at, memory"
    return [(row["memory"], row["point"], row["at"]) for row in database.rows(sql, (session,))]


def shown_in(database: Database, session: str) -> list[tuple[str, str, str]]:
    """Return the injections into a session and its subagents as (memory, point, time), oldest first."""
    sql = f"SELECT memory, point, at FROM injections i WHERE {of_session(':session')} ORDER BY at, memory"
    return [(row["memory"], row["point"], row["at"]) for row in database.rows(sql, {"session": session})]


def times_shown(database: Database, memory_id: str) -> int:
    """Count the injections of a memory, once for each session and context."""
    sql = "SELECT count(*) FROM injections WHERE memory = ? AND point NOT IN (?, ?)"
    return int(database.value(sql, (memory_id, SAID_TO_HELP, LOADED_BY_HOST)))


def used_in(database: Database, memory: str, session: str, at: str) -> bool:
    """Record that a session reported to have used a memory; return whether that is new.

    A use that was both reported and observed counts once.
    """
    sql = "INSERT OR IGNORE INTO injections(session, context, memory, point, at) VALUES (?, ?, ?, ?, ?)"
    with database.write():
        is_new = bool(database.run(sql, (session, _SAID, memory, SAID_TO_HELP, at)).rowcount)
        if is_new and memory not in record_of(database, session).get("used", ()):
            lifecycle.use(database, [memory])
        return is_new


def get(database: Database, reference: str) -> list[Session]:
    """Return the session with that id, or else those whose id begins with it."""
    sql = (
        "SELECT * FROM sessions s WHERE id >= :id AND id < :id || char(1114111) "
        f"AND (id = :id OR {IS_SESSION}) ORDER BY id <> :id, started_at LIMIT 6"
    )
    sessions = [_session(row) for row in database.rows(sql, {"id": reference})]
    return sessions[:1] if sessions and sessions[0].id == reference else sessions


def latest(database: Database, limit: int) -> list[Session]:
    """Return the latest sessions, newest first."""
    sql = f"SELECT * FROM sessions s WHERE {IS_SESSION} ORDER BY started_at DESC, id LIMIT ?"
    return [_session(row) for row in database.rows(sql, (limit,))]


def record_of(database: Database, session: str) -> dict[str, Any]:
    """Return the metrics of a session; empty if it is unknown."""
    text = database.value("SELECT record FROM sessions WHERE id = ?", (session,))
    record: dict[str, Any] = json.loads(text or "{}")
    return record


def watched(database: Database) -> dict[str, int]:
    """Sum the events of all sessions, those that failed to be recorded, and those that were too slow."""
    names = ("events", "failed_events", "slow_events")
    columns = ", ".join(f"coalesce(sum(json_extract(record, '$.{name}')), 0) AS {name}" for name in names)
    row = database.row(f"SELECT {columns} FROM sessions")
    return {name: int(row[name]) if row else 0 for name in names}


def fired(database: Database) -> dict[str, int]:
    """Count how often each signal fired in all sessions."""
    sql = (
        "SELECT each.key AS signal, sum(each.value) AS times FROM sessions, json_each(record, '$.signals') AS each "
        "GROUP BY each.key ORDER BY times DESC, signal"
    )
    return {row["signal"]: int(row["times"]) for row in database.rows(sql)}


def outcome_of(database: Database, session: str) -> str:
    """Return the outcome of a session; empty if it is unknown."""
    return database.value("SELECT outcome FROM sessions WHERE id = ?", (session,)) or ""


def finish(database: Database, session: Session, record: dict[str, Any]) -> None:
    """Store the outcome, metrics and memory uses of a session; fields that a hook stored are retained."""
    with database.write():
        lifecycle.use(database, _new_uses(database, session.id, record))
        database.run(
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
                session.evidence,
                session.task,
                session.branch,
                session.commit,
                unit_text(session.work_unit),
                json.dumps(record, sort_keys=True),
            ),
        )


def _new_uses(database: Database, session: str, record: dict[str, Any]) -> set[str]:
    """Return the memories that a session used, without those already counted for it."""
    sql = f"SELECT memory FROM injections i WHERE {of_session(':session')} AND point = :said"
    reported_ids = {row["memory"] for row in database.rows(sql, {"session": session, "said": SAID_TO_HELP})}
    return set(record.get("used", ())) - set(record_of(database, session).get("used", ())) - reported_ids


def _session(row: Row) -> Session:
    return Session(
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
        work_unit=unit_of(row["work_unit"]),
    )
