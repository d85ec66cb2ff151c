"""Forget for good: rows, text index, write-ahead log, backups, journal. Only a content-free fingerprint stays."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import JOURNAL_KEEP_DAYS, replace_file
from holloway.errors import HollowayError
from holloway.store import vectors
from holloway.store.database import Damaged, copy_file, replaced, rolling, translated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.store.database import Database
    from holloway.store.store import Store

_TOLD_ELSEWHERE = (
    ("candidates", "draft", "trim(json_quote(content), '\"') AS text"),
    ("error_sightings", "fingerprint", "CASE WHEN json_valid(details) THEN details ->> '$.fingerprint' END AS text"),
)
"""Where else the words of a memory may stand: what was dropped or held with the same words, the error it solves."""
_CHILDREN = ("memory_files", "memory_modules", "memory_relations", "memory_history", "memory_vectors")


def erase(store: Store, memories: Sequence[Memory]) -> list[str]:
    """Remove every byte of these memories from a data folder; returns what could not be cleaned, to tell the user.

    Copies and journal come first and the rows last: if something fails on the way, the memories can still be named and
    forgotten again.
    """
    database, project = store.database, store.project
    uids = [memory.uid for memory in memories]
    copies = [*rolling(project.backups), *replaced(project.backups), *project.backups.glob("*.partial")]
    left = [trouble for copy in copies for trouble in _clean_backup(copy, uids)]
    texts = {text for memory in memories for text in (memory.content, memory.summary, *_earlier(store, memory))}
    with translated(project.journal):
        for log in project.journal.glob("*.jsonl"):
            with suppress(FileNotFoundError):  # the worker has learned from it meanwhile
                _clean_journal(log, texts)
        for saved in (project.folder / "checkpoints").glob("*.json"):
            if any(needle in saved.read_bytes() for needle in _needles(texts)):
                saved.unlink(missing_ok=True)
    with database.write():
        for memory in memories:
            store.memories.reject(memory, "forgotten")
        _delete(database.connection, uids)
        database.run("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
    vectors.purge(project.folder)
    return left + _emptied_log(database)


def _earlier(store: Store, memory: Memory) -> list[str]:
    """Words that the memory had before it was edited."""
    return [detail for _, kind, detail in store.memories.history(memory.id) if kind == "edited" and len(detail) > 8]


def _emptied_log(database: Database) -> list[str]:
    try:
        if database.truncate_wal():
            return []
        trouble = "another process is reading it"
    except HollowayError as error:
        trouble = error.message
    return [f"{database.path}-wal: {trouble}; the text goes with its next checkpoint"]


def drop_old_journals(journal: Path, now: datetime) -> int:
    """Delete journals that nobody learned from in time: what an agent did is not memory."""
    oldest = (now - timedelta(days=JOURNAL_KEEP_DAYS)).timestamp()
    dropped = 0
    for log in (*journal.glob("*.jsonl"), *journal.glob("*.step")):
        with suppress(FileNotFoundError):  # the worker has learned from it meanwhile
            if log.stat().st_mtime < oldest:
                log.unlink()
                dropped += 1
    return dropped


def _delete(connection: sqlite3.Connection, uids: list[str]) -> None:
    chosen = json.dumps(uids)
    seqs = "SELECT seq FROM memories WHERE uid IN (SELECT value FROM json_each(?))"
    ids = "SELECT id FROM memories WHERE uid IN (SELECT value FROM json_each(?))"
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    for table in ("injections", "candidates"):
        if table in tables:
            connection.execute(f"DELETE FROM {table} WHERE memory IN ({ids})", (chosen,))
    for table, column, told in _TOLD_ELSEWHERE:
        if table in tables:
            named = f"SELECT {told} FROM memories WHERE uid IN (SELECT value FROM json_each(?))"
            condition = f"EXISTS (SELECT 1 FROM ({named}) WHERE text <> '' AND instr({column}, text))"
            connection.execute(f"DELETE FROM {table} WHERE {condition}", (chosen,))
    connection.execute(f"DELETE FROM memory_relations WHERE memory IN ({ids})", (chosen,))
    for table in _CHILDREN:
        if table in tables:
            connection.execute(f"DELETE FROM {table} WHERE seq IN ({seqs})", (chosen,))
    if "embedding_cache" in tables:
        connection.execute("DELETE FROM embedding_cache")
    connection.execute("DELETE FROM memories WHERE uid IN (SELECT value FROM json_each(?))", (chosen,))


def _clean_backup(path: Path, uids: list[str]) -> list[str]:
    """Clean a copy of the copy and put it in its place, so that a failure leaves the old one whole."""
    cleaned = path.with_name(path.name + ".cleaning")
    try:
        with translated(path):
            try:
                copy_file(path, cleaned)
                connection = sqlite3.connect(cleaned, isolation_level=None)
                try:
                    connection.execute("PRAGMA secure_delete = ON")
                    connection.execute("BEGIN IMMEDIATE")
                    _delete(connection, uids)
                    connection.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
                    connection.execute("COMMIT")
                    connection.execute("VACUUM")
                finally:
                    connection.close()
                cleaned.replace(path)
            finally:
                for beside in (cleaned, cleaned.with_name(cleaned.name + "-journal")):
                    beside.unlink(missing_ok=True)
    except Damaged as error:
        return [error.message]
    return []


def _needles(texts: set[str]) -> list[bytes]:
    return [text.encode() for text in texts] + [json.dumps(text)[1:-1].encode() for text in texts]


def _clean_journal(path: Path, texts: set[str]) -> None:
    """Drop the lines that hold one of the texts, as written or as JSON writes it."""
    needles = _needles(texts)
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not any(needle in line for needle in needles)]
    if len(kept) < len(lines):
        replace_file(str(path), b"".join(kept))
