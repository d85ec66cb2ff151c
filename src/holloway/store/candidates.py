"""Memory candidates of each session and their outcome, with the reason: promoted, reinforced, held or dropped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.safety import secrets
from holloway.text.sanitize import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.store.database import Database, Row

PROMOTED = "promoted"
REINFORCED = "reinforced"
HELD = "held"
DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Kept:
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


def replace_all(database: Database, session: str, kept: Sequence[Kept]) -> None:
    """Replace all stored candidates of a session."""
    with database.write():
        database.run("DELETE FROM candidates WHERE session = ?", (session,))
        for candidate in kept:
            add(database, candidate)


def add(database: Database, each: Kept) -> None:
    """Insert one candidate, or replace the stored one with the same session and number."""
    database.run(
        "INSERT OR REPLACE INTO candidates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            each.session,
            each.number,
            each.signal,
            each.key,
            each.step,
            each.state,
            secrets.redact(each.reason)[0],
            each.memory,
            json.dumps(_safe(each.draft)),
            each.at,
            each.held_until,
        ),
    )


def _safe(value: Any) -> Any:
    """Return a value without secrets, recursively: a dropped candidate has passed no other check."""
    if isinstance(value, str):
        return secrets.redact(clean(value))[0]
    if isinstance(value, list):
        return [_safe(item) for item in value]
    return {key: _safe(item) for key, item in value.items()} if isinstance(value, dict) else value


def of_session(database: Database, session: str) -> list[Kept]:
    """Return the candidates of a session, in their order."""
    return _found(database, "session = ? ORDER BY number", session)


def held(database: Database) -> list[Kept]:
    """Return the held candidates, which wait for their work to be committed or tested."""
    return _found(database, "state = ? ORDER BY at, session, number", HELD)


def of_memory(database: Database, memory: str) -> list[Kept]:
    """Return the candidates that became a memory or reinforced it."""
    return _found(database, "memory = ? ORDER BY at, session, number", memory)


def counts(database: Database) -> dict[tuple[str, str], int]:
    """Count the candidates by signal and state."""
    sql = "SELECT signal, state, count(*) AS number FROM candidates GROUP BY signal, state"
    return {(row["signal"], row["state"]): row["number"] for row in database.rows(sql)}


def _found(database: Database, where: str, value: str) -> list[Kept]:
    return [_kept(row) for row in database.rows(f"SELECT * FROM candidates WHERE {where}", (value,))]  # noqa: S608


def _kept(row: Row) -> Kept:
    names = ("session", "number", "signal", "key", "step", "state", "reason", "memory", "at", "held_until")
    return Kept(draft=json.loads(row["draft"]), **{name: row[name] for name in names})
