"""Forget for good: rows, text index, write-ahead log, backups, journal. Only a content-free fingerprint stays."""

from __future__ import annotations

import json
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import JOURNAL_KEEP_DAYS, replace_file
from holloway.store.database import rolling

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.store.database import Database

_CHILDREN = ("memory_files", "memory_modules", "memory_relations", "memory_history", "memory_vectors")


def erase(database: Database, memories: Sequence[Memory], backups: Path, journal: Path) -> list[str]:
    """Remove every byte of these memories from a data folder; returns what could not be cleaned, to tell the user."""
    uids = [memory.uid for memory in memories]
    left = []
    with database.write():
        _delete(database.connection, uids)
    with database.write():
        database.run("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
    if not database.truncate_wal():
        left.append(f"{database.path}-wal: another process is reading it; the text goes with its next checkpoint")
    for copy in [*rolling(backups), *backups.glob("*.partial"), *backups.glob("replaced-*.db")]:
        left += _clean_backup(copy, uids)
    for log in journal.glob("*.jsonl"):
        _clean_journal(log, [text for memory in memories for text in (memory.content, memory.summary)])
    return left


def drop_old_journals(journal: Path, now: datetime) -> int:
    """Delete journals that nobody learned from in time: what an agent did is not memory."""
    oldest = (now - timedelta(days=JOURNAL_KEEP_DAYS)).timestamp()
    old = [log for log in journal.glob("*.jsonl") if log.stat().st_mtime < oldest]
    for log in old:
        log.unlink(missing_ok=True)
    return len(old)


def _delete(connection: sqlite3.Connection, uids: list[str]) -> None:
    chosen = json.dumps(uids)
    seqs = "SELECT seq FROM memories WHERE uid IN (SELECT value FROM json_each(?))"
    ids = "SELECT id FROM memories WHERE uid IN (SELECT value FROM json_each(?))"
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if "injections" in tables:
        connection.execute(f"DELETE FROM injections WHERE memory IN ({ids})", (chosen,))
    connection.execute(f"DELETE FROM memory_relations WHERE memory IN ({ids})", (chosen,))
    for table in _CHILDREN:
        if table in tables:
            connection.execute(f"DELETE FROM {table} WHERE seq IN ({seqs})", (chosen,))
    if "embedding_cache" in tables:
        connection.execute("DELETE FROM embedding_cache")
    connection.execute("DELETE FROM memories WHERE uid IN (SELECT value FROM json_each(?))", (chosen,))


def _clean_backup(path: Path, uids: list[str]) -> list[str]:
    try:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            _delete(connection, uids)
            connection.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
            connection.execute("COMMIT")
            connection.execute("VACUUM")
        finally:
            connection.close()
    except sqlite3.Error as error:
        return [f"{path}: {error}"]
    return []


def _clean_journal(path: Path, texts: list[str]) -> None:
    """Drop the lines that hold one of the texts, as written or as JSON writes it."""
    needles = [text.encode() for text in texts] + [json.dumps(text)[1:-1].encode() for text in texts]
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not any(needle in line for needle in needles)]
    if len(kept) < len(lines):
        replace_file(str(path), b"".join(kept))
