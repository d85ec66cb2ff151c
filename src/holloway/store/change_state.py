"""The state of a store that shows whether anything changed since somebody looked: one cheap read, then a few counts."""

from __future__ import annotations

import sqlite3
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from holloway.store.database import translate_errors
from holloway.store.lookup import IS_SESSION

if TYPE_CHECKING:
    from pathlib import Path

SESSIONS_WATCHED = 50
BUSY_WAIT_S = 1.0
_SESSIONS = f"""
SELECT s.id, s.outcome, length(s.record) FROM sessions s WHERE {IS_SESSION}
ORDER BY s.started_at DESC LIMIT {SESSIONS_WATCHED}
"""
_COUNTS = """
SELECT
  (SELECT value FROM meta WHERE key = 'memory_changes'),
  (SELECT coalesce(max(id), 0) FROM told_texts),
  (SELECT count(*) FROM relations WHERE origin = 'agent')
"""


class StoreState(NamedTuple):
    """Counters of a store: they differ if the store changed in that respect."""

    memories: int
    """Grows with each change of a memory."""
    told: int
    """Id of the latest text that an agent was told."""
    proposals: int
    """Statements of agents about the map that wait."""
    sessions: dict[str, tuple[str, int]]
    """The latest sessions, each with its outcome and the length of its record."""


class StateReader:
    """Reads the state of a store on a connection that never writes; any thread may call it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        with translate_errors(path):
            address = f"{path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(address, uri=True, timeout=BUSY_WAIT_S, check_same_thread=False)

    def read_version(self) -> int:
        """Return a number that is another one once another connection has changed the database."""
        with self._lock, translate_errors(self._path):
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def read_state(self) -> StoreState:
        """Return the counters."""
        with self._lock, translate_errors(self._path):
            counts = self._connection.execute(_COUNTS).fetchone()
            sessions = {row[0]: (row[1], row[2]) for row in self._connection.execute(_SESSIONS)}
        memories, told_texts, proposals = (int(count or 0) for count in counts)
        return StoreState(memories, told_texts, proposals, sessions)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()
