"""The lifecycle of memories: use, decay, the grace period, and removal of those that no agent was shown for long."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.config import GRACE_DAYS
from holloway.domain import confidence
from holloway.domain.memory import MemoryType, ReviewReason, State
from holloway.domain.ports import format_stamp
from holloway.safety.paths import path_exists
from holloway.store import lookup, vectors
from holloway.store.code_anchors import are_gone, read_files
from holloway.store.filter import build_fading_condition
from holloway.store.memories import CORRECTED_KINDS
from holloway.store.status_counts import FLAGGED_KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from holloway.store.database import Database
    from holloway.store.store import Store

FADED = "faded"
"""Reason for setting aside a memory that nobody used."""
FILE_GONE = "a file it names is gone"
CODE_GONE = "code that it names is gone from its files"
"""Reasons for marking a memory as stale."""
CACHED_FILES_MAX = 200
GONE = "the rules file no longer says so"
"""Reason for setting aside a memory whose rules file no longer has it."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """Ids of memories that were set aside, and of those removed after their grace period."""

    faded: tuple[str, ...]
    removed: tuple[str, ...]


def update_last_used(database: Database) -> None:
    """Update the last use of memories from the ledger: decay starts when an agent was last shown them."""
    if not database.fetch_value("SELECT 1 FROM injections WHERE counted = 0"):
        return
    with database.write_transaction():
        database.execute(_FRESHEN)
        database.execute("UPDATE injections SET counted = 1 WHERE counted = 0")


def record_uses(database: Database, memories: Collection[str]) -> None:
    """Count one more use of each of these memories.

    Five uses without a correction raise the confidence of a memory, once; never of a quarantined one.
    """
    if not memories:
        return
    values = {
        "memories": json.dumps(sorted(memories)),
        "after": confidence.USED_OFTEN_AFTER,
        "quarantined": State.QUARANTINED,
        "corrected": json.dumps([*CORRECTED_KINDS, *FLAGGED_KINDS]),
        "step": confidence.USED_OFTEN,
        "most": confidence.CONFIDENCE_MAX,
    }
    with database.write_transaction():
        database.execute(_USE, values)


def prune_memories(database: Database, now: datetime) -> Pruned:
    """Set aside memories unused for three half-lives; delete those set aside whose grace period is over.

    Pinned memories stay. A memory that is or was confirmed is deleted only if a person set it aside.
    """
    with database.write_transaction():
        faded = [row["id"] for row in database.fetch_rows(_FADED, {"now": format_stamp(now)})]
        database.execute(
            "UPDATE memories SET deleted_at = ?, deleted_reason = ?, review = NULL "
            "WHERE id IN (SELECT value FROM json_each(?))",
            (format_stamp(now), FADED, json.dumps(faded)),
        )
        overdue = {
            "before": format_stamp(now - timedelta(days=GRACE_DAYS)),
            "believed": json.dumps([State.CONFIRMED, State.STALE]),
            "unasked": json.dumps([FADED, GONE]),
        }
        removed = [row["id"] for row in database.fetch_rows(_OVERDUE, overdue)]
        for table, column in (("memory_relations", "memory"), ("injections", "memory"), ("memories", "id")):
            chosen = f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"
            database.execute(chosen, (json.dumps(removed),))
        clear_drafts = "UPDATE candidates SET draft = '{}' WHERE memory IN (SELECT value FROM json_each(?))"
        database.execute(clear_drafts, (json.dumps(removed),))
        database.execute("DELETE FROM embedding_cache WHERE expires_at < ?", (format_stamp(now),))
    return Pruned(tuple(faded), tuple(removed))


def mark_stale(store: Store, ids: Iterable[str], reason: str = FILE_GONE) -> list[str]:
    """Mark memories whose file or code is gone, so that a person reviews them; returns those that are marked now."""
    marked = []
    for memory_id in filter(store.memories.has_memory, dict.fromkeys(ids)):
        memory = store.memories.get_memory(memory_id)
        if memory.is_alive and not memory.stale_at:
            fields = {"state": State.STALE, "stale_at": format_stamp(store.clock.now()), "review": ReviewReason.STALE}
            store.memories.update_memory(memory, "stale", reason, **fields)
            marked.append(memory_id)
    return marked


def mark_missing_code(store: Store, seconds: float) -> list[str]:
    """Mark every memory whose file is gone, or whose named code is gone from its files; returns those marked now."""
    deadline = time.monotonic() + seconds
    root, contents = str(store.project.root), _FileContents(str(store.project.root))
    missing: dict[str, list[str]] = {FILE_GONE: [], CODE_GONE: []}
    for row in store.database.fetch_rows(_CHECKED, {"quarantined": State.QUARANTINED}):
        if time.monotonic() > deadline:
            break
        files, anchors = json.loads(row["files"]), lookup.parse_anchors(json.loads(row["anchors"]))
        exists = any if row["type"] == MemoryType.ERROR_PATTERN else all
        if not exists(path_exists(path, root) for path in files):
            missing[FILE_GONE].append(row["id"])
        elif anchors and are_gone(anchors, {path: contents.read(path) for path in files}):
            missing[CODE_GONE].append(row["id"])
    return [memory_id for reason, ids in missing.items() for memory_id in mark_stale(store, ids, reason)]


class _FileContents:
    """The files that one check has read; memories are often about the same ones."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._contents: dict[str, bytes] = {}

    def read(self, path: str) -> bytes:
        """Return the content of a file; empty for a folder or an unreadable one."""
        if path not in self._contents:
            if len(self._contents) >= CACHED_FILES_MAX:
                self._contents.clear()
            self._contents[path] = read_files(self._root, [path]).get(path, b"")
        return self._contents[path]


def prune_stores(stores: Sequence[Store], now: datetime) -> Pruned:
    """Prune several stores, and remove the cached vectors of those that lost memories."""
    faded: list[str] = []
    removed: list[str] = []
    for store in stores:
        pruned = prune_memories(store.database, now)
        if pruned.removed:
            vectors.purge_caches(store.project.folder)
        faded += pruned.faded
        removed += pruned.removed
    return Pruned(tuple(faded), tuple(removed))


_CHECKED = """
SELECT m.id, m.type,
  (SELECT json_group_array(f.path) FROM memory_files f WHERE f.seq = m.seq) AS files,
  (SELECT json_group_array(r.path) FROM memory_relations r WHERE r.seq = m.seq AND r.type = 'names') AS anchors
FROM memories m
WHERE m.deleted_at = '' AND m.superseded_by = '' AND m.stale_at = '' AND m.state <> :quarantined
  AND m.type NOT IN ('work_state', 'work_unit_outcome', 'prefetch_pattern', 'context_cost', 'task_calibration')
  AND EXISTS (SELECT 1 FROM memory_files f WHERE f.seq = m.seq)
ORDER BY m.seq
"""
_FRESHEN = """
UPDATE memories SET last_used_at = max(last_used_at, shown.latest)
FROM (SELECT memory, max(at) AS latest FROM injections WHERE counted = 0 GROUP BY memory) AS shown
WHERE memories.id = shown.memory
"""
_USE = """
UPDATE memories SET
  use_count = use_count + 1,
  confidence = CASE
    WHEN use_count + 1 = :after AND state <> :quarantined
      AND NOT EXISTS (SELECT 1 FROM memory_history h
                      WHERE h.seq = memories.seq AND h.kind IN (SELECT value FROM json_each(:corrected)))
    THEN max(confidence, min(confidence + :step, :most)) ELSE confidence END
WHERE id IN (SELECT value FROM json_each(:memories))
"""
_FADED = f"""
SELECT m.id FROM memories m
WHERE m.deleted_at = '' AND m.superseded_by = '' AND {build_fading_condition("now")}
ORDER BY m.seq
"""
_OVERDUE = """
SELECT id FROM memories
WHERE deleted_at <> '' AND deleted_at < :before
  AND NOT (state IN (SELECT value FROM json_each(:believed))
           AND deleted_reason IN (SELECT value FROM json_each(:unasked)))
ORDER BY seq
"""
