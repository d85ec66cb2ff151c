"""Readings: the sessions that a reader has read or is to read, and the answers to their prompts until they are stored.

An answer is stored before the next question is asked, so a reader that was killed asks nothing twice. When a session is
done, only the hashes of its prompts stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.store.database import Database, Row

WAITING = "waiting"
DONE = "done"
READING_FAILED = "failed"
READINGS_MAX = 200
"""Sessions that may wait; beyond that the oldest are not read."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A session in the reader's queue, and the file that it is read from."""

    session: str
    path: str
    agent: str
    size: int
    state: str
    attempts: int
    reason: str
    queued_at: str
    read_at: str = ""


def queue_reading(database: Database, session: str, path: str, agent: str, size: int, at: str) -> bool:
    """Queue a session to be read; one that was read is queued again only if its file has grown. Returns whether."""
    with database.write_transaction():
        cursor = database.execute(
            "INSERT INTO readings (session, path, agent, size, state, queued_at) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT(session) DO UPDATE SET path = excluded.path, agent = excluded.agent, size = excluded.size,"
            " state = excluded.state, queued_at = excluded.queued_at, attempts = 0 WHERE excluded.size > readings.size",
            (session, path, agent, size, WAITING, at),
        )
        database.execute(
            "UPDATE readings SET state = ?, reason = 'too many sessions waited' WHERE state = ? AND session NOT IN"
            " (SELECT session FROM readings WHERE state = ? ORDER BY queued_at DESC, session LIMIT ?)",
            (READING_FAILED, WAITING, WAITING, READINGS_MAX),
        )
        return cursor.rowcount > 0


def list_waiting(database: Database) -> list[Reading]:
    """Return the sessions that wait for the reader, the oldest first."""
    return [
        _parse_reading(row)
        for row in database.fetch_rows("SELECT * FROM readings WHERE state = ? ORDER BY queued_at, session", (WAITING,))
    ]


def find_reading(database: Database, session: str) -> Reading | None:
    """Return the reading of a session; None if it was never queued."""
    rows = database.fetch_rows("SELECT * FROM readings WHERE session = ?", (session,))
    return next(map(_parse_reading, rows), None)


def count_attempt(database: Database, session: str) -> None:
    """Count an attempt before it begins, so that a session which crashes the process counts as tried."""
    with database.write_transaction():
        database.execute("UPDATE readings SET attempts = attempts + 1 WHERE session = ?", (session,))


def undo_attempt(database: Database, session: str) -> None:
    """Take back an attempt that ended for no fault of the session: the provider refused, or time was up."""
    with database.write_transaction():
        database.execute("UPDATE readings SET attempts = max(0, attempts - 1) WHERE session = ?", (session,))


def finish_reading(database: Database, session: str, state: str, at: str, reason: str = "") -> None:
    """Close the reading of a session and delete the answers, of which only the hashes of their prompts stay."""
    with database.write_transaction():
        database.execute(
            "UPDATE readings SET state = ?, read_at = ?, reason = ? WHERE session = ?", (state, at, reason, session)
        )
        database.execute("UPDATE reading_answers SET answer = NULL WHERE session = ?", (session,))


def save_answer(database: Database, session: str, prompt_hash: str, answer: str) -> None:
    """Store the answer to one prompt."""
    with database.write_transaction():
        database.execute(
            "INSERT OR REPLACE INTO reading_answers (session, prompt, answer) VALUES (?, ?, ?)",
            (session, prompt_hash, answer),
        )


def load_answers(database: Database, session: str) -> dict[str, str | None]:
    """Return the answers to the prompts of a session by hash; None for one whose lessons were stored."""
    rows = database.fetch_rows("SELECT prompt, answer FROM reading_answers WHERE session = ?", (session,))
    return {row["prompt"]: row["answer"] for row in rows}


def forget_readings(database: Database, sessions: list[str], at: str) -> None:
    """Erase what is stored of these sessions' readings, except that they are not read again as they are."""
    with database.write_transaction():
        for session in sessions:
            database.execute("DELETE FROM reading_answers WHERE session = ?", (session,))
            database.execute(
                "UPDATE readings SET path = '', state = ?, reason = 'forgotten', read_at = ? WHERE session = ?",
                (DONE, at, session),
            )


def _parse_reading(row: Row) -> Reading:
    names = ("session", "path", "agent", "size", "state", "attempts", "reason", "queued_at", "read_at")
    return Reading(**{name: row[name] for name in names})
