"""Memory candidates of each session with their evidence and outcome: promoted, reinforced, held or dropped, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.safety import secrets
from holloway.text.sanitize import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.store.database import Database, Row

PROMOTED = "promoted"
REINFORCED = "reinforced"
HELD = "held"
DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class StoredCandidate:
    """A memory candidate as it is stored."""

    session: str
    number: int
    signal: str
    key: str
    step: int
    state: str
    reason: str
    memory: str
    draft: dict[str, object]
    at: str
    held_until: str = ""


READ_LESSON = "read_lesson"
"""The signal of a lesson that a reader proposed; a session is read apart from being learned from."""


def replace_session_candidates(database: Database, session: str, candidates: Sequence[StoredCandidate]) -> None:
    """Replace all stored candidates of a session, except the lessons that a reader proposed."""
    with database.write_transaction():
        database.execute("DELETE FROM candidates WHERE session = ? AND signal <> ?", (session, READ_LESSON))
        for candidate in candidates:
            insert_candidate(database, candidate)


def insert_candidate(database: Database, candidate: StoredCandidate) -> None:
    """Insert one candidate, or replace the stored one with the same session and number."""
    database.execute(
        "INSERT OR REPLACE INTO candidates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            candidate.session,
            candidate.number,
            candidate.signal,
            secrets.redact_secrets(candidate.key)[0],
            candidate.step,
            candidate.state,
            secrets.redact_secrets(candidate.reason)[0],
            candidate.memory,
            json.dumps(_redact_secrets(candidate.draft)),
            candidate.at,
            candidate.held_until,
        ),
    )


def _redact_secrets(value: Any) -> Any:
    """Return a value without secrets, recursively: a dropped candidate has passed no other check."""
    if isinstance(value, str):
        return secrets.redact_paths_in(secrets.redact_path(secrets.redact_secrets(clean_text(value))[0]))
    if isinstance(value, list):
        return [_redact_secrets(item) for item in value]
    return {key: _redact_secrets(item) for key, item in value.items()} if isinstance(value, dict) else value


def list_session_candidates(database: Database, session: str) -> list[StoredCandidate]:
    """Return the candidates of a session, in their order."""
    return _query_candidates(database, "session = ? ORDER BY number", session)


def list_held_candidates(database: Database) -> list[StoredCandidate]:
    """Return the held candidates, which wait for their work to be committed or tested."""
    return _query_candidates(database, "state = ? ORDER BY at, session, number", HELD)


def list_memory_candidates(database: Database, memory: str) -> list[StoredCandidate]:
    """Return the candidates that became a memory or reinforced it."""
    return _query_candidates(database, "memory = ? ORDER BY at, session, number", memory)


def count_by_signal_and_state(database: Database) -> dict[tuple[str, str], int]:
    """Count the candidates by signal and state."""
    sql = "SELECT signal, state, count(*) AS number FROM candidates GROUP BY signal, state"
    return {(row["signal"], row["state"]): row["number"] for row in database.fetch_rows(sql)}


def _query_candidates(database: Database, condition: str, value: str) -> list[StoredCandidate]:
    sql = f"SELECT * FROM candidates WHERE {condition}"  # noqa: S608
    return [_parse_candidate(row) for row in database.fetch_rows(sql, (value,))]


def _parse_candidate(row: Row) -> StoredCandidate:
    names = ("session", "number", "signal", "key", "step", "state", "reason", "memory", "at", "held_until")
    return StoredCandidate(draft=json.loads(row["draft"]), **{name: row[name] for name in names})
