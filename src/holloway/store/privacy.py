"""Forgets memories for good: erases their text from disk, in rows, text index, write-ahead log, backups and journal.

Only a tombstone stays. Parts of their text that other rows and files repeat are erased too: text is compared in parts,
without case and punctuation.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import JOURNAL_KEEP_DAYS, replace_file
from holloway.domain import memory_json
from holloway.domain.memory import Draft
from holloway.errors import HollowayError
from holloway.store import told_texts, vectors
from holloway.store.database import (
    DatabaseDamaged,
    copy_file,
    list_replaced_databases,
    list_rolling_backups,
    translate_errors,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.store.database import Database
    from holloway.store.project import Project
    from holloway.store.store import Store
    from holloway.store.text_traces import TextTraces

_TEXT_CLEANUPS = {
    "candidates": "DELETE FROM candidates WHERE repeats(draft) OR repeats(reason) OR repeats(key)",
    "sightings": "DELETE FROM sightings WHERE repeats(facts) OR repeats(key)",
    "error_sightings": "DELETE FROM error_sightings WHERE repeats(message) OR repeats(resolved_by)",
    "reading_answers": "UPDATE reading_answers SET answer = NULL WHERE repeats(answer)",
    "relations": "DELETE FROM relations WHERE repeats(note)",
    "module_edits": "DELETE FROM module_edits WHERE repeats(value)",
    "sessions": "UPDATE sessions SET task = iif(repeats(task), '', task),"
    " evidence = iif(repeats(evidence), '', evidence), work_unit = iif(repeats(work_unit), NULL, work_unit)"
    " WHERE repeats(task) OR repeats(evidence) OR repeats(work_unit)",
    "told_texts": "UPDATE told_texts SET text = '' WHERE repeats(text)",
    "memory_history": "UPDATE memory_history SET detail = '' WHERE repeats(detail)",
}
"""Other tables that may repeat the text of a memory, and what becomes of such a row."""
_REPEATING_MEMORIES = """
SELECT uid FROM memories
WHERE (type IN ('work_state', 'work_unit_outcome') AND (repeats(content) OR repeats(summary) OR repeats(details)))
   OR ((deleted_at <> '' OR superseded_by <> '') AND (repeats_whole(content) OR repeats_whole(summary)))
"""
"""Memories that go too: states of unfinished work, and what was set aside or replaced and has the whole text. A part of
it may be said of something else, and a memory is never deleted for being similar."""
_SIMILAR_MEMORIES = """
SELECT id FROM memories WHERE repeats(content) OR repeats(summary) OR repeats(details) ORDER BY id
"""
_DRAFT_FIELDS = frozenset(field.name for field in fields(Draft))
_CHILD_TABLES = ("memory_files", "memory_modules", "memory_relations", "memory_history", "memory_vectors")
DETAIL_TRACE_WORDS_MIN = 3
"""Words from which a detail of a memory is a sentence, and not a path or a name that other texts use as well."""
SAME_TEXT_MAX = 5
"""Memories that are named because they repeat a part of what was erased."""


def erase_memories(store: Store, memories: Sequence[Memory], traces: TextTraces) -> list[str]:
    """Delete every byte of these memories and their traces from a data folder; return the problems to report.

    Backups and journal are cleaned first and the rows deleted last: if a step fails, the memories still exist and can
    be forgotten again.
    """
    database, project = store.database, store.project
    uids = [memory.uid for memory in memories]
    copies = [
        *list_rolling_backups(project.backups_folder),
        *list_replaced_databases(project.backups_folder),
        *project.backups_folder.glob("*.partial"),
    ]
    problems = [problem for copy in copies for problem in _clean_backup(copy, uids, traces)]
    problems += [
        f"{log}: {leftover}"
        for log in project.backups_folder.glob("*-wal")
        if (leftover := _describe_leftover(log, traces))
    ]
    with translate_errors(project.folder):
        told_texts.clean_log(project.folder, traces)
    with translate_errors(project.journal_folder):
        for log in project.journal_folder.glob("*.jsonl"):
            with suppress(FileNotFoundError):  # the worker has learned from it meanwhile
                _clean_journal(log, traces)
        for checkpoint in project.checkpoints_folder.glob("*.json"):
            with suppress(FileNotFoundError):  # its session was learned from in the meantime
                if traces.occur_in(_read_text(checkpoint)):
                    checkpoint.unlink()
    with database.write_transaction():
        for memory in memories:
            store.memories.reject_memory(memory, "forgotten")
        same_text = _delete_rows(database.connection, uids, traces)
        database.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
    vectors.purge_caches(project.folder)
    problems += [f"memory {memory_id}, which has a part of the text" for memory_id in same_text[:SAME_TEXT_MAX]]
    return problems + _truncate_log(database)


def collect_texts(store: Store, memories: Sequence[Memory]) -> set[str]:
    """Return the texts of memories, and those they had before an edit."""
    return {text for memory in memories for text in _collect_texts(store, memory)}


def _collect_texts(store: Store, memory: Memory) -> list[str]:
    edit_details = (detail for _, kind, detail in store.memories.get_history(memory.id) if kind == "edited")
    # An edit that kept the text lists the changed fields, whose names also occur in unrelated entries.
    return [
        memory.content,
        memory.summary,
        *_list_detail_texts(memory),
        *(detail for detail in edit_details if not _DRAFT_FIELDS.issuperset(detail.split(", "))),
    ]


def _list_detail_texts(memory: Memory) -> list[str]:
    values: list[object] = [memory_json.details_json(memory.details)] if memory.details else []
    texts: list[str] = []
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list | tuple):
            values += value
        elif isinstance(value, str) and len(value.split()) >= DETAIL_TRACE_WORDS_MIN:
            texts.append(value)
    return texts


def _read_text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _describe_leftover(log: Path, traces: TextTraces) -> str:
    """Describe what is left of the texts in the log of a backup, which no database can clean; empty if nothing is."""
    try:
        return "the log of a damaged backup, which still has the text" if traces.occur_in(_read_text(log)) else ""
    except FileNotFoundError:  # the backup was deleted in the meantime
        return ""
    except OSError as error:
        return f"the log of a backup, which may still have the text: {error.strerror}"


def _truncate_log(database: Database) -> list[str]:
    try:
        if database.truncate_wal():
            return []
        problem = "another process is reading it"
    except HollowayError as error:
        problem = error.message
    return [f"{database.path}-wal: {problem}; its next checkpoint removes the text"]


def delete_old_journals(project: Project, now: datetime) -> int:
    """Delete journals and saved sessions that were not learned from in time; return how many."""
    oldest_allowed = (now - timedelta(days=JOURNAL_KEEP_DAYS)).timestamp()
    deleted_count = 0
    # A lock file marks the checkpoint of a server whose agent still runs: that one is kept however old it is.
    unlocked_checkpoints = [
        file for file in project.checkpoints_folder.glob("*.json") if not file.with_suffix(".lock").exists()
    ]
    for log in (*project.journal_folder.glob("*.jsonl"), *project.journal_folder.glob("*.step"), *unlocked_checkpoints):
        with suppress(FileNotFoundError):  # the worker has learned from it meanwhile
            if log.stat().st_mtime < oldest_allowed:
                log.unlink()
                deleted_count += 1
    return deleted_count


def _delete_rows(connection: sqlite3.Connection, uids: list[str], traces: TextTraces) -> list[str]:
    """Delete memories and what repeats their text; return the ids of other memories that have a part of it."""
    connection.create_function("repeats", 1, traces.occur_in)
    connection.create_function("repeats_whole", 1, traces.occur_whole_in)
    uids_json = json.dumps([*uids, *(row[0] for row in connection.execute(_REPEATING_MEMORIES))])
    from_memories = "FROM memories WHERE uid IN (SELECT value FROM json_each(?))"
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if "error_sightings" in tables:
        prints = f"SELECT CASE WHEN json_valid(details) THEN json_extract(details, '$.fingerprint') END {from_memories}"
        connection.execute(f"DELETE FROM error_sightings WHERE fingerprint IN ({prints})", (uids_json,))
    for table in tables.intersection(("injections", "candidates", "memory_relations", "bulk_change_items")):
        connection.execute(f"DELETE FROM {table} WHERE memory IN (SELECT id {from_memories})", (uids_json,))
    for table in tables.intersection(_CHILD_TABLES):
        connection.execute(f"DELETE FROM {table} WHERE seq IN (SELECT seq {from_memories})", (uids_json,))
    if "shared_memories" in tables:
        shared = "SELECT memory FROM shared_memories WHERE uid IN (SELECT value FROM json_each(?))"
        connection.execute(f"DELETE FROM operations WHERE erases = 0 AND memory IN ({shared})", (uids_json,))
        connection.execute(
            "UPDATE shared_memories SET base = '{}' WHERE uid IN (SELECT value FROM json_each(?))", (uids_json,)
        )
    for table in tables.intersection(_TEXT_CLEANUPS):
        connection.execute(_TEXT_CLEANUPS[table])
    if "embedding_cache" in tables:
        connection.execute("DELETE FROM embedding_cache")
    connection.execute(f"DELETE {from_memories}", (uids_json,))
    return [str(row[0]) for row in connection.execute(_SIMILAR_MEMORIES)]


def _clean_backup(path: Path, uids: list[str], traces: TextTraces) -> list[str]:
    """Clean a copy of a backup and replace it, so that a failure leaves the backup intact; return the problems."""
    cleaned = path.with_name(path.name + ".cleaning")
    try:
        with translate_errors(path):
            try:
                copy_file(path, cleaned)
                connection = sqlite3.connect(cleaned, isolation_level=None)
                try:
                    connection.execute("PRAGMA secure_delete = ON")
                    connection.execute("BEGIN IMMEDIATE")
                    _delete_rows(connection, uids, traces)
                    connection.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")
                    connection.execute("COMMIT")
                    connection.execute("VACUUM")
                finally:
                    connection.close()
                cleaned.replace(path)
            finally:
                for temporary_file in (cleaned, cleaned.with_name(cleaned.name + "-journal")):
                    temporary_file.unlink(missing_ok=True)
    except HollowayError as error:
        if not path.exists():  # a newer backup replaced it in the meantime
            return []
        if not isinstance(error, DatabaseDamaged):
            raise
        return [error.message]
    return []


def _clean_journal(path: Path, traces: TextTraces) -> None:
    """Drop the lines that repeat one of the texts."""
    lines = path.read_bytes().splitlines(keepends=True)
    retained_lines = [line for line in lines if not traces.occur_in(line.decode("utf-8", "replace"))]
    if len(retained_lines) < len(lines):
        replace_file(str(path), b"".join(retained_lines))
