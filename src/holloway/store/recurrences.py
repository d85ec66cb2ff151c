"""Recurrences over sessions: errors that came again, files opened again, and what finding the way took."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.store.lookup import IS_SESSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.store.database import Database

_SIGHTINGS = f"""
SELECT e.fingerprint, e.tool, e.message, e.resolved_by <> '' AS solved, e.count
FROM error_sightings e JOIN sessions s ON s.id = e.session
WHERE {IS_SESSION} AND e.fingerprint IN (
  SELECT fingerprint FROM error_sightings GROUP BY fingerprint HAVING count(*) >= :min_sessions
  ORDER BY count(*) DESC, sum(count) DESC, fingerprint LIMIT :limit)
ORDER BY s.started_at, s.id
"""
_OPENED = f"""
SELECT f.path, count(*) AS sessions, sum(f.weight > 1) AS edited
FROM session_files f JOIN sessions s ON s.id = f.session
WHERE {IS_SESSION}
GROUP BY f.path HAVING count(*) >= :min_sessions
ORDER BY sessions DESC, edited DESC, f.path LIMIT :limit
"""
_FIGURES = f"""
SELECT json_extract(s.record, '$.discovery_calls') AS discovery_calls,
  json_extract(s.record, '$.first_reads') AS first_reads,
  json_extract(s.record, '$.known_files_read_again') AS known_reads,
  json_extract(s.record, '$.steps_to_first_edit') AS steps_to_first_edit
FROM sessions s
WHERE {IS_SESSION} AND s.outcome <> '' AND json_extract(s.record, '$.first_reads') > 0
ORDER BY s.started_at, s.id
"""
_PERIOD = f"""
SELECT count(*) AS sessions, min(s.started_at) AS since, max(s.started_at) AS until
FROM sessions s WHERE {IS_SESSION} AND s.outcome <> ''
"""


@dataclass(frozen=True, slots=True)
class ErrorRecurrence:
    """An error that several sessions met."""

    fingerprint: str
    program: str
    message: str
    """The error as the first session printed it."""
    sessions: int
    times: int
    solved: int
    """Sessions in which the same command passed afterwards, with a difference that can be named."""
    met_again: int
    """Sessions that met it although an earlier one had solved it."""
    varies: bool
    """Whether its text was not the same in all sessions."""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file with the number of sessions that opened it, and of those that changed it."""

    path: str
    sessions: int
    edited: int


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """Cost of orientation in one session that opened a file."""

    discovery_calls: int
    first_reads: int
    known_reads: int
    """Those of the first reads that an earlier session had opened, too."""
    steps_to_first_edit: int | None


def list_recurring_errors(database: Database, min_sessions: int, limit: int) -> list[ErrorRecurrence]:
    """Return the errors that at least `min_sessions` sessions met, the most frequent first."""
    sightings: dict[str, list[tuple[str, str, bool, int]]] = {}
    for row in database.fetch_rows(_SIGHTINGS, {"min_sessions": min_sessions, "limit": limit}):
        sighting = (row["tool"], row["message"], bool(row["solved"]), int(row["count"]))
        sightings.setdefault(row["fingerprint"], []).append(sighting)
    recurrences = [_sum_sightings(*item) for item in sightings.items() if len(item[1]) >= min_sessions]
    return sorted(recurrences, key=lambda error: (-error.sessions, -error.times, error.fingerprint))


def _sum_sightings(fingerprint: str, sightings: list[tuple[str, str, bool, int]]) -> ErrorRecurrence:
    """Sum the sightings of one error, oldest first."""
    program, message, _, _ = sightings[0]
    solved = [is_solved for _, _, is_solved, _ in sightings]
    first_solved = solved.index(True) if any(solved) else len(sightings)
    return ErrorRecurrence(
        fingerprint,
        program,
        message,
        sessions=len(sightings),
        times=sum(times for *_, times in sightings),
        solved=sum(solved),
        met_again=max(0, len(sightings) - first_solved - 1),
        varies=len({text for _, text, _, _ in sightings}) > 1,
    )


def count_meetings(database: Database, fingerprints: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return, for each of these errors, the number of sessions that met it, and how often they did."""
    sql = (
        "SELECT fingerprint, count(*) AS sessions, sum(count) AS times FROM error_sightings "
        "WHERE fingerprint IN (SELECT value FROM json_each(?)) GROUP BY fingerprint"
    )
    rows = database.fetch_rows(sql, (json.dumps(list(fingerprints)),))
    return {row["fingerprint"]: (row["sessions"], row["times"]) for row in rows}


def list_solved_fingerprints(database: Database, limit: int) -> list[str]:
    """Return the fingerprints of the errors that a session solved, those of most sessions first."""
    sql = (
        "SELECT fingerprint FROM error_sightings GROUP BY fingerprint HAVING max(resolved_by) <> '' "
        "ORDER BY count(*) DESC, fingerprint LIMIT ?"
    )
    return [row["fingerprint"] for row in database.fetch_rows(sql, (limit,))]


def list_most_opened(database: Database, min_sessions: int, limit: int) -> list[OpenedFile]:
    """Return the files that at least `min_sessions` sessions opened, the most frequent first."""
    rows = database.fetch_rows(_OPENED, {"min_sessions": min_sessions, "limit": limit})
    return [OpenedFile(row["path"], row["sessions"], row["edited"]) for row in rows]


def list_session_figures(database: Database) -> list[SessionFigures]:
    """Return the figures of every session that opened a file and whose events are complete, oldest first."""
    names = ("discovery_calls", "first_reads", "known_reads", "steps_to_first_edit")
    return [SessionFigures(*(row[name] for name in names)) for row in database.fetch_rows(_FIGURES)]


def read_period(database: Database) -> tuple[int, str, str]:
    """Return the number of finished sessions, and when the first and the latest of them started."""
    row = database.fetch_rows(_PERIOD)[0]
    return int(row["sessions"]), row["since"] or "", row["until"] or ""
