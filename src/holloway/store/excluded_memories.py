"""Memories of all projects that the person excluded from one project. Light: hooks read them."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from holloway.store.store import Store

EXCLUDED_KEY = "excluded_memories"
EXCLUDED_MAX = 1_000
"""Memories that one project can exclude; the oldest exclusions end first."""


def read_excluded(connection: sqlite3.Connection) -> list[str]:
    """Read the ids of the memories that do not apply in a project."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (EXCLUDED_KEY,)).fetchone()
    try:
        ids = json.loads(row[0]) if row else []
    except ValueError:
        return []
    return [str(memory) for memory in ids] if isinstance(ids, list) else []


def exclude_memory(store: Store, memory: str) -> None:
    """Exclude a memory of all projects from one project."""
    excluded = [other for other in read_excluded(store.database.connection) if other != memory]
    store.set_meta(EXCLUDED_KEY, json.dumps([*excluded, memory][-EXCLUDED_MAX:]))


def readmit_memory(store: Store, memory: str) -> bool:
    """Let an excluded memory apply again; returns whether it was excluded."""
    excluded = read_excluded(store.database.connection)
    if memory not in excluded:
        return False
    store.set_meta(EXCLUDED_KEY, json.dumps([other for other in excluded if other != memory]))
    return True
