"""The ledger: which sessions there were, and what each was shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from holloway.domain.session import Outcome, Session, SessionType
from holloway.domain.work import Phase, WorkUnit

if TYPE_CHECKING:
    from holloway.store.database import Database, Row


def recent(database: Database, limit: int = 50) -> list[Session]:
    """The newest sessions first."""
    rows = database.rows("SELECT * FROM sessions ORDER BY started_at DESC, id LIMIT ?", (limit,))
    return [_session(row) for row in rows]


def count(database: Database) -> int:
    """How many sessions the ledger knows."""
    return int(database.value("SELECT count(*) FROM sessions"))


def shown(database: Database, memory_id: str) -> list[tuple[str, str, str]]:
    """Where a memory was shown: session, point, time; newest first."""
    sql = "SELECT session, point, at FROM injections WHERE memory = ? ORDER BY at DESC LIMIT 50"
    return [(row["session"], row["point"], row["at"]) for row in database.rows(sql, (memory_id,))]


def _session(row: Row) -> Session:
    unit = json.loads(row["work_unit"]) if row["work_unit"] else None
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
        work_unit=WorkUnit(unit[0], tuple(unit[1]), unit[2]) if unit else None,
    )
