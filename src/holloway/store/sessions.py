"""The ledger: which sessions there were, and what each was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.store.database import Database


def count(database: Database) -> int:
    """How many sessions the ledger knows."""
    return int(database.value("SELECT count(*) FROM sessions"))


def shown(database: Database, memory_id: str) -> list[tuple[str, str, str]]:
    """Where a memory was shown: session, point, time; newest first."""
    sql = "SELECT session, point, at FROM injections WHERE memory = ? ORDER BY at DESC LIMIT 50"
    return [(row["session"], row["point"], row["at"]) for row in database.rows(sql, (memory_id,))]
