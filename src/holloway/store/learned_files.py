"""The files that sessions were learned from, so that none is read twice in vain and none is tried for ever."""

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
    """A file as it was when somebody tried to learn from it."""

    path: str
    session: str
    size: int
    modified_at: float
    first_at: str
    """When it was first learned from: of sessions that begin alike, the one that came first keeps the beginning."""
    attempts: int = 0
    """Tries that came to nothing, of the file as it is; 0 once it was learned from."""
    error: str = ""


def of(database: Database, path: str) -> Read | None:
    """What is known of a file."""
    found = database.value("SELECT value FROM meta WHERE key = ?", (_PREFIX + path,))
    return _read(found) if found else None


def everything(database: Database) -> dict[str, Read]:
    """All files that are known, by their path."""
    rows = database.rows("SELECT value FROM meta WHERE key >= ? AND key < ?", (_PREFIX, _PREFIX[:-1] + ";"))
    found = (_read(row["value"]) for row in rows)
    return {read.path: read for read in found if read is not None}


def note(database: Database, read: Read) -> None:
    """Put what is known of a file in the place of what was."""
    with database.write():
        database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PREFIX + read.path, json.dumps(asdict(read))))


def drop(database: Database, path: str) -> None:
    """Forget about a file."""
    with database.write():
        database.run("DELETE FROM meta WHERE key = ?", (_PREFIX + path,))


def drop_missing(database: Database) -> int:
    """Forget about files that are gone, and about the oldest where there are too many."""
    known = sorted(everything(database).values(), key=lambda read: -read.modified_at)
    gone = [read for place, read in enumerate(known) if place >= READS_KEPT_MAX or _is_gone(read.path)]
    for read in gone:
        drop(database, read.path)
    return len(gone)


def _is_gone(path: str) -> bool:
    """Whether a file is not there; of one in a folder that nobody may look into, that is not known."""
    try:
        return not Path(path).exists()
    except OSError:
        return False


def _read(found: str) -> Read | None:
    try:
        return Read(**json.loads(found))
    except (ValueError, TypeError):
        return None
