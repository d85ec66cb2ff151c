"""Forget for good: rows, text index, write-ahead log, backups, journal. Only a content-free fingerprint stays."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import JOURNAL_KEEP_DAYS, replace_file
from holloway.domain.memory import Draft
from holloway.errors import HollowayError
from holloway.store import vectors
from holloway.store.database import Damaged, copy_file, replaced, rolling, translated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.store.database import Database
    from holloway.store.project import Project
    from holloway.store.store import Store

_REPEATED = {
    "candidates": "DELETE FROM candidates WHERE instr(draft, ?)",
    "sessions": "UPDATE sessions SET task = '' WHERE instr(task, ?)",
    "memory_history": "UPDATE memory_history SET detail = '' WHERE instr(detail, ?)",
}
"""Where the words of a memory may stand besides it: what was dropped or held, what a session was asked, what the
history of another memory tells of it."""
_FIELDS = frozenset(field.name for field in fields(Draft))
_CHILDREN = ("memory_files", "memory_modules", "memory_relations", "memory_history", "memory_vectors")


def erase(store: Store, memories: Sequence[Memory]) -> list[str]:
    """Remove every byte of these memories from a data folder; returns what could not be cleaned, to tell the user.

    Copies and journal come first and the rows last: if something fails on the way, the memories can still be named and
    forgotten again.
    """
    database, project = store.database, store.project
    uids = [memory.uid for memory in memories]
    words = _spellings({text for memory in memories for text in _texts(store, memory)})
    copies = [*rolling(project.backups), *replaced(project.backups), *project.backups.glob("*.partial")]
    left = [trouble for copy in copies for trouble in _clean_backup(copy, uids, words)]
    left += [f"{log}: {kept}" for log in project.backups.glob("*-wal") if (kept := _kept_in(log, words))]
    with translated(project.journal):
        for log in project.journal.glob("*.jsonl"):
            with suppress(FileNotFoundError):  # the worker has learned from it meanwhile
                _clean_journal(log, words)
        for saved in project.checkpoints.glob("*.json"):
            with suppress(FileNotFoundError):  # its session was learned from meanwhile
                if _has(saved.read_bytes(), words):
                    saved.unlink()
    with database.write():
        for memory in memories:
            store.memories.reject(memory, "forgotten")
        _delete(database.connection, uids, words)
        database.run("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
    vectors.purge(project.folder)
    return left + _emptied_log(database)


def _texts(store: Store, memory: Memory) -> list[str]:
    """The words of a memory, and those that it had before it was edited."""
    edited = (said for _, kind, said in store.memories.history(memory.id) if kind == "edited")
    # An edit that left the words alone names the fields that it changed: these stand in much that is not about it.
    return [memory.content, memory.summary, *(said for said in edited if not _FIELDS.issuperset(said.split(", ")))]


def _spellings(texts: set[str]) -> list[str]:
    """Texts as they are, and as JSON writes them with and without letters beyond ASCII."""
    found = {
        form for text in texts for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    }
    return sorted(found - {""})


def _has(data: bytes, words: Sequence[str]) -> bool:
    return any(word.encode() in data for word in words)


def _kept_in(log: Path, words: Sequence[str]) -> str:
    """What the log of a copy, which no database can clean, still has of the texts; nothing where it is gone."""
    try:
        return "the log of a damaged copy, which still has the text" if _has(log.read_bytes(), words) else ""
    except FileNotFoundError:  # the copy was rolled away meanwhile
        return ""
    except OSError as error:
        return f"the log of a copy, which may still have the text: {error.strerror}"


def _emptied_log(database: Database) -> list[str]:
    try:
        if database.truncate_wal():
            return []
        trouble = "another process is reading it"
    except HollowayError as error:
        trouble = error.message
    return [f"{database.path}-wal: {trouble}; the text goes with its next checkpoint"]


def drop_old_journals(project: Project, now: datetime) -> int:
    """Delete what nobody learned from in time, journals and saved sessions: what an agent did is not memory."""
    oldest = (now - timedelta(days=JOURNAL_KEEP_DAYS)).timestamp()
    dropped = 0
    # A lock stands beside what a server keeps for its agent: its end is seen to, however long it takes.
    saved = [file for file in project.checkpoints.glob("*.json") if not file.with_suffix(".lock").exists()]
    for log in (*project.journal.glob("*.jsonl"), *project.journal.glob("*.step"), *saved):
        with suppress(FileNotFoundError):  # the worker has learned from it meanwhile
            if log.stat().st_mtime < oldest:
                log.unlink()
                dropped += 1
    return dropped


def _delete(connection: sqlite3.Connection, uids: list[str], words: Sequence[str]) -> None:
    chosen = json.dumps(uids)
    of_these = "FROM memories WHERE uid IN (SELECT value FROM json_each(?))"
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if "error_sightings" in tables:
        prints = f"SELECT CASE WHEN json_valid(details) THEN json_extract(details, '$.fingerprint') END {of_these}"
        connection.execute(f"DELETE FROM error_sightings WHERE fingerprint IN ({prints})", (chosen,))
    for table in tables.intersection(("injections", "candidates", "memory_relations")):
        connection.execute(f"DELETE FROM {table} WHERE memory IN (SELECT id {of_these})", (chosen,))
    for table in tables.intersection(_CHILDREN):
        connection.execute(f"DELETE FROM {table} WHERE seq IN (SELECT seq {of_these})", (chosen,))
    for table in tables.intersection(_REPEATED):
        connection.executemany(_REPEATED[table], [(word,) for word in words])
    if "embedding_cache" in tables:
        connection.execute("DELETE FROM embedding_cache")
    connection.execute(f"DELETE {of_these}", (chosen,))


def _clean_backup(path: Path, uids: list[str], words: Sequence[str]) -> list[str]:
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
                    _delete(connection, uids, words)
                    connection.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
                    connection.execute("COMMIT")
                    connection.execute("VACUUM")
                finally:
                    connection.close()
                cleaned.replace(path)
            finally:
                for beside in (cleaned, cleaned.with_name(cleaned.name + "-journal")):
                    beside.unlink(missing_ok=True)
    except HollowayError as error:
        if not path.exists():  # a newer copy took its place meanwhile
            return []
        if not isinstance(error, Damaged):
            raise
        return [error.message]
    return []


def _clean_journal(path: Path, words: Sequence[str]) -> None:
    """Drop the lines that hold one of the texts."""
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not _has(line, words)]
    if len(kept) < len(lines):
        replace_file(str(path), b"".join(kept))
