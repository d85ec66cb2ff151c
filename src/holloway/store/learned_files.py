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
class LearnedFile:
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


def find_learned_file(database: Database, path: str) -> LearnedFile | None:
    """Return the record of a file, or None."""
    text = database.fetch_value("SELECT value FROM meta WHERE key = ?", (_PREFIX + path,))
    return _parse_record(text) if text else None


def load_learned_files(database: Database) -> dict[str, LearnedFile]:
    """Return all records by path."""
    rows = database.fetch_rows("SELECT value FROM meta WHERE key >= ? AND key < ?", (_PREFIX, _PREFIX[:-1] + ";"))
    records = (_parse_record(row["value"]) for row in rows)
    return {record.path: record for record in records if record is not None}


def save_learned_file(database: Database, learned_file: LearnedFile) -> None:
    """Store the record of a file, replacing an older one."""
    with database.write_transaction():
        database.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PREFIX + learned_file.path, json.dumps(asdict(learned_file)))
        )


def delete_learned_file(database: Database, path: str) -> None:
    """Delete the record of a file."""
    with database.write_transaction():
        database.execute("DELETE FROM meta WHERE key = ?", (_PREFIX + path,))


def delete_missing_files(database: Database) -> int:
    """Delete records of files that no longer exist, and the oldest above the limit; return how many."""
    newest_first = sorted(load_learned_files(database).values(), key=lambda record: -record.modified_at)
    dropped = [
        record for position, record in enumerate(newest_first) if position >= READS_KEPT_MAX or _is_missing(record.path)
    ]
    for record in dropped:
        delete_learned_file(database, record.path)
    return len(dropped)


def _is_missing(path: str) -> bool:
    """Return whether a file is missing; False if its folder cannot be read, or is a database of sessions."""
    try:
        return not Path(path).exists() and not Path(path).parent.is_file()
    except OSError:
        return False


def _parse_record(text: str) -> LearnedFile | None:
    try:
        return LearnedFile(**json.loads(text))
    except (ValueError, TypeError):
        return None
