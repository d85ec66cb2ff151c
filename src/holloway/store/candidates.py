"""What a session's signals might have become and what they became, with the reason: promoted, held or dropped."""

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
    """A candidate as the ledger keeps it."""

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
    """Put what became of a session's candidates in the place of what was known of them."""
    with database.write():
        database.run("DELETE FROM candidates WHERE session = ?", (session,))
        for each in kept:
            add(database, each)


def add(database: Database, each: Kept) -> None:
    """Write one candidate down."""
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
    """Without secrets: what was dropped passed no other gate."""
    if isinstance(value, str):
        return secrets.redact(clean(value))[0]
    if isinstance(value, list):
        return [_safe(item) for item in value]
    return {key: _safe(item) for key, item in value.items()} if isinstance(value, dict) else value


def of_session(database: Database, session: str) -> list[Kept]:
    """What became of a session's candidates, in their order."""
    return _found(database, "session = ? ORDER BY number", session)


def held(database: Database) -> list[Kept]:
    """What waits for the work it came from to prove right."""
    return _found(database, "state = ? ORDER BY at, session, number", HELD)


def of_memory(database: Database, memory: str) -> list[Kept]:
    """The candidates that became a memory or agreed with it."""
    return _found(database, "memory = ? ORDER BY at, session, number", memory)


def counts(database: Database) -> dict[tuple[str, str], int]:
    """How many candidates of each signal there were in each state."""
    sql = "SELECT signal, state, count(*) AS number FROM candidates GROUP BY signal, state"
    return {(row["signal"], row["state"]): row["number"] for row in database.rows(sql)}


def _found(database: Database, where: str, value: str) -> list[Kept]:
    return [_kept(row) for row in database.rows(f"SELECT * FROM candidates WHERE {where}", (value,))]  # noqa: S608


def _kept(row: Row) -> Kept:
    names = ("session", "number", "signal", "key", "step", "state", "reason", "memory", "at", "held_until")
    return Kept(draft=json.loads(row["draft"]), **{name: row[name] for name in names})
