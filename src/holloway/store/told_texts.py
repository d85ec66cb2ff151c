"""The texts that agents were told, word for word, for thirty days: moved here from the log, listed, and erased."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.config import TOLD_KEEP_DAYS, TOLD_ROWS_MAX, replace_file
from holloway.domain.ports import format_stamp
from holloway.store.told_log import TOLD_LOG_NAME
from holloway.text.tokens import cited_in, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from holloway.store.database import Database, Row
    from holloway.store.text_traces import TextTraces

_TAKEN_SUFFIX = ".taken"
_FIELDS = ("at", "session", "actor", "point", "event", "text")


@dataclass(frozen=True, slots=True)
class ToldText:
    """A text that an agent was told. The text is empty if it was erased because it had a forgotten sentence."""

    id: int
    at: str
    session: str
    actor: str
    """Name of the subagent; empty for the main agent."""
    point: str
    event: str
    """The hook event, or the tool of the MCP server; empty for a program that uses holloway."""
    memories: tuple[str, ...]
    """Ids of the memories in it."""
    tokens: int
    text: str


def collect_told(database: Database, folder: Path) -> int:
    """Move the lines of the log into the database; return how many. A line may come twice and is stored once."""
    log = folder / TOLD_LOG_NAME
    claimed = log.with_name(log.name + _TAKEN_SUFFIX)
    if not log.exists() and not claimed.exists():
        return 0
    # The lock of the database also keeps another process from renaming the log meanwhile.
    with database.write_transaction():
        left_over = _read_file(claimed)  # by a process that ended before it deleted it
        count = sum(_insert_line(database, line) for line in left_over.splitlines())
    _delete_read_file(claimed, len(left_over))
    if claimed.exists():
        return count
    with database.write_transaction():
        with suppress(FileNotFoundError):
            log.replace(claimed)
        data = _read_file(claimed)
        count += sum(_insert_line(database, line) for line in data.splitlines())
    _delete_read_file(claimed, len(data))
    return count


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _delete_read_file(path: Path, size: int) -> None:
    """Delete a log that was read, unless a hook that had opened it before it was renamed has written to it since."""
    with suppress(FileNotFoundError):
        if path.stat().st_size == size:
            path.unlink()


def _insert_line(database: Database, line: bytes) -> int:
    """Store one line; return 0 for a damaged one, and for one that is stored already."""
    try:
        fields = json.loads(line)
        at, session, actor, point, event, text = (str(fields[name]) for name in _FIELDS)
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    memories = json.dumps(list(dict.fromkeys(cited_in(text))))
    sql = "INSERT OR IGNORE INTO told_texts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    digest = hashlib.sha256(line).hexdigest()
    values = (digest, at, session, actor, point, event, memories, round(estimate_tokens(text)), text)
    return database.execute(sql, values).rowcount


def delete_old_told(database: Database, now: datetime) -> int:
    """Delete texts that are too old, and the oldest above the limit; return how many."""
    before = format_stamp(now - timedelta(days=TOLD_KEEP_DAYS))
    oldest_kept = "SELECT id FROM told_texts ORDER BY id DESC LIMIT 1 OFFSET ?"
    condition = f"at < ? OR id <= coalesce(({oldest_kept}), 0)"
    if not database.fetch_value(f"SELECT 1 FROM told_texts WHERE {condition} LIMIT 1", (before, TOLD_ROWS_MAX)):
        return 0
    with database.write_transaction():
        return database.execute(f"DELETE FROM told_texts WHERE {condition}", (before, TOLD_ROWS_MAX)).rowcount


def list_told_before(
    database: Database, before: tuple[str, int], limit: int, *, session: str = "", since: str = ""
) -> list[ToldText]:
    """Return the texts before a key of time and id, newest first: of one session, and since a time."""
    sql = (
        "SELECT id, at, session, actor, point, event, memories, tokens, text FROM told_texts "
        "WHERE (at, id) < (:at, :id) AND at >= :since AND (:session = '' OR session = :session) "
        "ORDER BY at DESC, id DESC LIMIT :limit"
    )
    values = {"at": before[0], "id": before[1], "since": since, "session": session, "limit": limit}
    return [_parse_row(row) for row in database.fetch_rows(sql, values)]


def list_session_texts(database: Database, session: str) -> list[ToldText]:
    """Return the texts that a session and its subagents were told, oldest first."""
    sql = (
        "SELECT id, at, session, actor, point, event, memories, tokens, text FROM told_texts "
        "WHERE session = ? ORDER BY at, id"
    )
    return [_parse_row(row) for row in database.fetch_rows(sql, (session,))]


def _parse_row(row: Row) -> ToldText:
    id_, at, session, actor, point, event, memories, tokens, text = row
    return ToldText(id_, at, session, actor, point, event, tuple(json.loads(memories)), tokens, text)


def forget_session_texts(database: Database, folder: Path, sessions: list[str]) -> int:
    """Erase the texts that sessions were told; return how many."""
    collect_told(database, folder)
    with database.write_transaction():
        sql = "DELETE FROM told_texts WHERE session IN (SELECT value FROM json_each(?))"
        return database.execute(sql, (json.dumps(sessions),)).rowcount


def clean_log(folder: Path, traces: TextTraces) -> None:
    """Drop the lines of the log that repeat a forgotten text."""
    for name in (TOLD_LOG_NAME + _TAKEN_SUFFIX, TOLD_LOG_NAME):
        path = folder / name
        lines = _read_file(path).splitlines(keepends=True)
        retained_lines = [line for line in lines if not _repeats(line, traces)]
        if len(retained_lines) < len(lines):
            replace_file(str(path), b"".join(retained_lines))


def _repeats(line: bytes, traces: TextTraces) -> bool:
    return any(traces.occur_in(text) for text in _list_texts(line))


def _list_texts(line: bytes) -> Iterator[str]:
    """Yield the text of a line as it was told, or the whole line if it is damaged."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        yield str(json.loads(line)["text"])
        return
    yield line.decode("utf-8", "replace")
