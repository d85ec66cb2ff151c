"""Actions on many memories at once: which memories each one changed and what they were before, to undo it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.store.database import Database

BULK_CHANGES_KEPT = 20
"""The latest actions that can be undone."""


class BulkChange(NamedTuple):
    """An action on many memories."""

    id: str
    at: str
    action: str
    undone_at: str
    memories: int


class ChangedMemory(NamedTuple):
    """A memory that an action changed: the changed fields as they were, and its `updated_at` after the action."""

    memory: str
    before: dict[str, Any]
    revision: str


_SELECT = """
SELECT c.id, c.at, c.action, c.undone_at, (SELECT count(*) FROM bulk_change_items i WHERE i.change = c.id) AS memories
FROM bulk_changes c
"""


def add_change(database: Database, change: str, at: str, action: str) -> None:
    """Record an action before it changes anything; the oldest ones are dropped."""
    with database.write_transaction():
        database.execute("INSERT INTO bulk_changes(id, at, action) VALUES (?, ?, ?)", (change, at, action))
        outdated = "SELECT id FROM bulk_changes ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?"
        database.execute(f"DELETE FROM bulk_changes WHERE id IN ({outdated})", (BULK_CHANGES_KEPT,))


def add_items(database: Database, change: str, items: Sequence[ChangedMemory]) -> None:
    """Record memories that an action changed, in the transaction that changes them."""
    sql = "INSERT OR REPLACE INTO bulk_change_items(change, memory, before, revision) VALUES (?, ?, ?, ?)"
    for item in items:
        database.execute(sql, (change, item.memory, json.dumps(item.before), item.revision))


def list_changes(database: Database) -> list[BulkChange]:
    """Return the recorded actions, newest first."""
    return [BulkChange(*row) for row in database.fetch_rows(f"{_SELECT} ORDER BY c.at DESC, c.id DESC")]


def list_items(database: Database, change: str) -> list[ChangedMemory]:
    """Return the memories that an action changed."""
    sql = "SELECT memory, before, revision FROM bulk_change_items WHERE change = ? ORDER BY memory"
    return [ChangedMemory(row[0], json.loads(row[1]), row[2]) for row in database.fetch_rows(sql, (change,))]


def mark_undone(database: Database, change: str, at: str) -> None:
    """Record that an action was undone."""
    with database.write_transaction():
        database.execute("UPDATE bulk_changes SET undone_at = ? WHERE id = ?", (at, change))
