"""Observations of sessions, stored per session: totals are counted from them, so learning one twice counts once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from holloway.safety import secrets

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from holloway.store.database import Database

PAIRS_KEPT = 150
"""Pairs of files that are stored for one session."""


@dataclass(frozen=True, slots=True)
class SignalSighting:
    """A signal that a session showed; `key` identifies its subject without quoting text."""

    signal: str
    key: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorSighting:
    """An error that occurred in a session, and the command that resolved it, if any."""

    fingerprint: str
    tool: str
    message: str
    resolved_by: str
    count: int


@dataclass(frozen=True, slots=True)
class SessionObservations:
    """The observations of one session."""

    session: str
    at: str
    files: tuple[tuple[str, int], ...] = ()
    modules: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str, bool], ...] = ()
    sightings: tuple[SignalSighting, ...] = ()
    errors: tuple[ErrorSighting, ...] = ()


def save_observations(database: Database, observed: SessionObservations) -> None:
    """Replace the stored observations of a session, without secrets in their texts, names and paths."""
    redact = cache(_redact_name)
    with database.write_transaction():
        insert_many = database.connection.executemany
        for table in ("session_files", "session_modules", "co_access", "sightings", "error_sightings"):
            database.execute(f"DELETE FROM {table} WHERE session = ?", (observed.session,))  # noqa: S608
        insert_many(
            "INSERT OR IGNORE INTO session_files VALUES (?, ?, ?, ?)",
            (
                (observed.session, redact(path), weight, position)
                for position, (path, weight) in enumerate(observed.files, 1)
            ),
        )
        insert_many(
            "INSERT OR IGNORE INTO session_modules VALUES (?, ?)",
            ((observed.session, redact(module)) for module in observed.modules),
        )
        insert_many(
            "INSERT OR IGNORE INTO co_access VALUES (?, ?, ?, ?)",
            (
                (*sorted((redact(file_a), redact(file_b))), observed.session, edited)
                for file_a, file_b, edited in observed.pairs[:PAIRS_KEPT]
                if file_a < file_b and redact(file_a) != redact(file_b)
            ),
        )
        insert_many(
            "INSERT OR IGNORE INTO sightings VALUES (?, ?, ?, ?)",
            (
                (
                    sighting.signal,
                    redact(sighting.key),
                    observed.session,
                    json.dumps(secrets.redact_nested(dict(sighting.facts))),
                )
                for sighting in observed.sightings
            ),
        )
        insert_many(
            "INSERT OR IGNORE INTO error_sightings VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    error.fingerprint,
                    observed.session,
                    redact(error.tool),
                    redact(error.message),
                    redact(error.resolved_by),
                    error.count,
                    observed.at,
                )
                for error in observed.errors
            ),
        )


def _redact_name(name: str) -> str:
    """Return a key, name or path without secrets; every lookup by a key does the same, so that they still match."""
    return secrets.redact_path(secrets.redact_secrets(name)[0])


def list_sessions_with_signals(
    database: Database, signal_keys: Sequence[tuple[str, str]], session: str
) -> list[list[str]]:
    """Return, for each signal and key, the other sessions that showed the same, oldest first."""
    sql = (
        "SELECT j.key, s.session FROM json_each(?) j CROSS JOIN sightings s "
        "ON s.signal = json_extract(j.value, '$[0]') AND s.key = json_extract(j.value, '$[1]') "
        "LEFT JOIN sessions l ON l.id = s.session WHERE s.session <> ? ORDER BY l.started_at, s.session"
    )
    redacted_keys = [(signal, _redact_name(key)) for signal, key in signal_keys]
    return _query_per_item(database, sql, redacted_keys, session)


def _query_per_item(database: Database, sql: str, items: Sequence[tuple[str, str]], session: str) -> list[list[str]]:
    sessions_per_item: list[list[str]] = [[] for _ in items]
    for index, session_id in database.fetch_rows(sql, (json.dumps(items), session)):
        sessions_per_item[index].append(session_id)
    return sessions_per_item


def list_signal_facts(database: Database, signal: str, key: str) -> list[dict[str, object]]:
    """Return the facts that sessions recorded with a signal."""
    sql = "SELECT facts FROM sightings WHERE signal = ? AND key = ? ORDER BY session"
    return [json.loads(row["facts"]) for row in database.fetch_rows(sql, (signal, _redact_name(key)))]


def list_co_changed_pairs(database: Database, min_sessions: int) -> list[tuple[str, str, int]]:
    """Return pairs of files that at least `min_sessions` sessions changed together, the most frequent first."""
    sql = (
        "SELECT file_a, file_b, count(*) AS sessions FROM co_access WHERE edited GROUP BY file_a, file_b "
        "HAVING count(*) >= ? ORDER BY sessions DESC, file_a, file_b LIMIT 200"
    )
    return [(row["file_a"], row["file_b"], row["sessions"]) for row in database.fetch_rows(sql, (min_sessions,))]


def count_file_sessions(database: Database, paths: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return, for each file, how many sessions opened it and how many changed it."""
    sql = (
        "SELECT path, count(*) AS sessions, sum(weight > 1) AS edited FROM session_files "
        "WHERE path IN (SELECT value FROM json_each(?)) GROUP BY path"
    )
    return {
        row["path"]: (row["sessions"], row["edited"]) for row in database.fetch_rows(sql, (json.dumps(list(paths)),))
    }


def list_module_sessions(database: Database, module: str) -> list[str]:
    """Return the sessions that worked in a module, oldest first."""
    sql = (
        "SELECT m.session FROM session_modules m LEFT JOIN sessions l ON l.id = m.session "
        "WHERE m.module = ? ORDER BY l.started_at, m.session"
    )
    return [row["session"] for row in database.fetch_rows(sql, (module,))]


def count_module_sessions(database: Database) -> dict[str, int]:
    """Count the sessions that worked in each module."""
    sql = "SELECT module, count(*) AS sessions FROM session_modules GROUP BY module ORDER BY module"
    return {row["module"]: row["sessions"] for row in database.fetch_rows(sql)}


def list_session_files(database: Database, sessions: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    """Return the files that each session opened, in order, with their weights."""
    return _read_files(database.connection, sessions)


def _read_files(connection: sqlite3.Connection, sessions: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    sql = (
        "SELECT session, path, weight FROM session_files WHERE session IN (SELECT value FROM json_each(?)) "
        "ORDER BY session, place"
    )
    files_by_session: dict[str, list[tuple[str, int]]] = {session: [] for session in sessions}
    for row in connection.execute(sql, (json.dumps(list(sessions)),)):
        files_by_session[row["session"]].append((row["path"], row["weight"]))
    return files_by_session


def list_past_sessions(
    connection: sqlite3.Connection, limit: int
) -> list[tuple[str, tuple[tuple[str, int], ...], str]]:
    """Return task, files and branch of the latest sessions that opened a file, oldest first."""
    sql = (
        "SELECT id, task, branch FROM sessions WHERE EXISTS (SELECT 1 FROM session_files f WHERE f.session = id) "
        "ORDER BY started_at DESC, id LIMIT ?"
    )
    rows = connection.execute(sql, (limit,)).fetchall()[::-1]
    files = _read_files(connection, [row["id"] for row in rows])
    return [(row["task"], tuple(files[row["id"]]), row["branch"]) for row in rows]


def list_solved_errors(database: Database, session: str) -> list[str]:
    """Return the fingerprints of errors that other sessions have solved."""
    sql = "SELECT DISTINCT fingerprint FROM error_sightings WHERE resolved_by <> '' AND session <> ?"
    return [row["fingerprint"] for row in database.fetch_rows(sql, (session,))]


def mean_search_tokens(database: Database, before: str) -> float:
    """Return the mean tokens that sessions before a timestamp spent on searching per opened file; 0 if unknown."""
    sql = (
        "SELECT sum(json_extract(record, '$.search_tokens')) * 1.0 / sum(json_extract(record, '$.first_reads')) "
        "FROM sessions WHERE started_at < ? AND json_extract(record, '$.first_reads') > 0"
    )
    return float(database.fetch_value(sql, (before,)) or 0.0)


def find_later_success(database: Database, session: str, after: str, paths: Sequence[str]) -> str:
    """Return a later session that succeeded on one of these files; empty if none did."""
    sql = (
        "SELECT l.id FROM sessions l JOIN session_files f ON f.session = l.id WHERE l.started_at > ? AND l.id <> ? "
        "AND l.outcome = 'success' AND f.weight > 1 AND f.path IN (SELECT value FROM json_each(?)) "
        "ORDER BY l.started_at LIMIT 1"
    )
    return database.fetch_value(sql, (after, session, json.dumps(list(paths)))) or ""


def is_synthesised(database: Database, module: str, threshold: int) -> bool:
    """Return whether a module was already synthesised at this number of sessions."""
    sql = "SELECT 1 FROM syntheses WHERE module = ? AND threshold = ?"
    return bool(database.fetch_value(sql, (module, threshold)))


def record_synthesis(database: Database, module: str, threshold: int, at: str, memories: int) -> None:
    """Record a synthesis, so that it runs once per threshold."""
    with database.write_transaction():
        database.execute("INSERT OR REPLACE INTO syntheses VALUES (?, ?, ?, ?)", (module, threshold, at, memories))
