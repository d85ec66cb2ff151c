"""Transcript files that were already learned from: none is read twice, and a failing one is not retried forever."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import READS_KEPT_MAX

if TYPE_CHECKING:
    from holloway.store.database import Database

_PREFIX = "read:"


@dataclass(frozen=True, slots=True)
class Read:
    """The state of a transcript file when it was last processed."""

    path: str
    session: str
    size: int
    modified_at: float
    first_at: str
    """When the file was first processed: of sessions with the same beginning, the earliest keeps that beginning."""
    attempts: int = 0
    """Failed attempts on the file as it is now; 0 once it was learned from."""
    error: str = ""


def of(database: Database, path: str) -> Read | None:
    """Return the record of a file, or None."""
    text = database.value("SELECT value FROM meta WHERE key = ?", (_PREFIX + path,))
    return _read(text) if text else None


def everything(database: Database) -> dict[str, Read]:
    """Return all records by path."""
    rows = database.rows("SELECT value FROM meta WHERE key >= ? AND key < ?", (_PREFIX, _PREFIX[:-1] + ";"))
    records = (_read(row["value"]) for row in rows)
    return {record.path: record for record in records if record is not None}


def note(database: Database, read: Read) -> None:
    """Store the record of a file, replacing an older one."""
    with database.write():
        database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PREFIX + read.path, json.dumps(asdict(read))))


def drop(database: Database, path: str) -> None:
    """Delete the record of a file."""
    with database.write():
        database.run("DELETE FROM meta WHERE key = ?", (_PREFIX + path,))


def drop_missing(database: Database) -> int:
    """Delete records of files that no longer exist, and the oldest above the limit; return how many."""
    newest_first = sorted(everything(database).values(), key=lambda record: -record.modified_at)
    dropped = [
        record for position, record in enumerate(newest_first) if position >= READS_KEPT_MAX or _is_gone(record.path)
    ]
    for record in dropped:
        drop(database, record.path)
    return len(dropped)


def _is_gone(path: str) -> bool:
    """Return whether a file is missing; False if its folder cannot be read."""
    try:
        return not Path(path).exists()
    except OSError:
        return False


def _read(found: str) -> Read | None:
    try:
        return Read(**json.loads(found))
    except (ValueError, TypeError):
        return None
