"""Sessions as OpenCode and Kilo store them: rows of a database, files in a storage folder, or one exported document.

All three hold the same objects: the facts of a session, its messages, and the parts of each message. A session in the
database has the path `<database>/<session id>`. The data belongs to the host and may be from any version, so rows that
are malformed or too large are left out.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from holloway.capture.json_lines import (
    BLOCKS_MAX,
    LINE_BYTES_MAX,
    as_count,
    as_items,
    as_mapping,
    as_text,
    parse_object,
    parse_time,
    read_document,
)
from holloway.config import PATH_CHARS_MAX, TAG_CHARS_MAX

EXPORT_BYTES_MAX = 128 * 1024 * 1024
SESSIONS_MAX = 20_000
MESSAGES_MAX = 50_000
DATABASES_MAX = 10
DATABASE_WAIT_S = 2.0

_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_SESSION_PREFIX = "ses_"
_DATABASES = ("opencode*.db", "kilo*.db")
_SESSIONS = (
    "SELECT substr(id, 1, 101), substr(parent_id, 1, 101), substr(directory, 1, 4096), time_created, time_updated "
    "FROM session WHERE ? IN ('', id) ORDER BY time_created DESC LIMIT ?"
)
_SIZES = (
    "SELECT session_id, sum(length(data)), max(time_updated) FROM "
    "(SELECT session_id, data, time_updated FROM message UNION ALL SELECT session_id, data, time_updated FROM part) "
    "WHERE session_id IN (SELECT value FROM json_each(?)) GROUP BY session_id"
)
_MESSAGES = (
    "SELECT id, time_created, data FROM message WHERE session_id = ? AND length(data) <= ? "
    "ORDER BY time_created, id LIMIT ?"
)
_PARTS = "SELECT data FROM part WHERE message_id = ? AND session_id = ? AND length(data) <= ? ORDER BY id LIMIT ?"


@dataclass(frozen=True, slots=True)
class StoredSession:
    """The facts of a stored session; `parent` is the session that started it as a subagent, or empty."""

    path: Path
    session: str
    parent: str
    directory: str
    started_at: float
    size: int
    modified_at: float


@dataclass(frozen=True, slots=True)
class Message:
    """One message and its parts, in their order."""

    info: Mapping[str, object]
    parts: list[Mapping[str, object]]


def data_folder(home: Path, agent: str) -> Path:
    """Return the folder in which the agent keeps its data."""
    shared = os.environ.get("XDG_DATA_HOME")
    return (Path(shared) if shared else home / ".local" / "share") / agent


def list_sessions(folder: Path, is_wanted: Callable[[str], bool]) -> list[StoredSession]:
    """Return the sessions in a data folder that ran in a wanted folder; one that is stored twice is listed once.

    The database has taken over the sessions that older versions stored as files.
    """
    files = islice(sorted((folder / "storage" / "session").glob("*/*.json")), SESSIONS_MAX)
    described = (_describe_document(path, read_document(path), is_wanted) for path in files)
    sessions = {session.session: session for session in described if session}
    for database in sorted(path for name in _DATABASES for path in folder.glob(name))[:DATABASES_MAX]:
        sessions |= {session.session: session for session in _list_rows(database, is_wanted)}
    return list(sessions.values())


def describe_session(path: Path) -> StoredSession | None:
    """Return the facts of the session at a path; None if there is no readable session."""
    if path.parent.is_file():
        return next(iter(_list_rows(path.parent, _is_anywhere, path.name)), None)
    return _describe_document(path, read_document(path, EXPORT_BYTES_MAX), _is_anywhere)


def _is_anywhere(_: str) -> bool:
    return True


def _describe_document(
    path: Path, document: Mapping[str, object], is_wanted: Callable[[str], bool]
) -> StoredSession | None:
    info = as_mapping(document.get("info", document))
    directory = as_text(info.get("directory"), PATH_CHARS_MAX)
    if not info or not is_wanted(directory):
        return None
    size, modified_at = _measure_files(path) if _is_in_storage(path) else _measure_file(path)
    session = as_text(info.get("id"), TAG_CHARS_MAX)
    return StoredSession(
        path,
        # A program that stores exports may have cut the id out of the document.
        session if session.startswith(_SESSION_PREFIX) else path.stem,
        as_text(info.get("parentID"), TAG_CHARS_MAX),
        directory,
        parse_time(as_mapping(info.get("time")).get("created"), modified_at),
        size,
        modified_at,
    )


def read_messages(path: Path) -> Iterator[Message]:
    """Yield the messages of the session at a path, in their order."""
    if path.parent.is_file():
        yield from _read_rows(path.parent, path.name)
    elif _is_in_storage(path):
        yield from _read_files(path)
    else:
        listed = read_document(path, EXPORT_BYTES_MAX).get("messages")
        for message in map(as_mapping, listed[:MESSAGES_MAX] if isinstance(listed, list) else []):
            yield Message(
                as_mapping(message.get("info")), [as_mapping(part) for part in as_items(message.get("parts"))]
            )


def _is_in_storage(path: Path) -> bool:
    return path.parent.parent.name == "session" and path.parent.parent.parent.name == "storage"


def _measure_file(path: Path) -> tuple[int, float]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0.0
    return status.st_size, status.st_mtime


def _measure_files(path: Path) -> tuple[int, float]:
    """Return the size of all files of a session in the storage folder, and the time of the last change."""
    measured = [_measure_file(path)]
    for message, parts in _message_files(path):
        measured += [_measure_file(message), *map(_measure_file, parts)]
    return sum(size for size, _ in measured), max(time for _, time in measured)


def _message_files(path: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the file of each message of a session, and the files of its parts; ids are in the order of creation."""
    storage = path.parent.parent.parent
    for message in islice(sorted((storage / "message" / path.stem).glob("*.json")), MESSAGES_MAX):
        yield message, list(islice(sorted((storage / "part" / message.stem).glob("*.json")), BLOCKS_MAX))


def _read_files(path: Path) -> Iterator[Message]:
    listed = [(read_document(message), parts) for message, parts in _message_files(path)]
    for info, parts in sorted(listed, key=lambda message: _created_at(message[0])):
        yield Message(info, [read_document(part) for part in parts])


def _created_at(info: Mapping[str, object]) -> float:
    return parse_time(as_mapping(info.get("time")).get("created"), 0.0)


def _open(database: Path) -> sqlite3.Connection:
    """Open a database of the host for reading only.

    Its schema has to be trusted: Kilo has an index on a JSON function, which SQLite takes for unsafe otherwise.
    """
    connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True, timeout=DATABASE_WAIT_S)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _list_rows(database: Path, is_wanted: Callable[[str], bool], session: str = "") -> list[StoredSession]:
    """Return the wanted sessions in a database, or only the one with this id; empty if it cannot be read."""
    try:
        with closing(_open(database)) as connection:
            rows = connection.execute(_SESSIONS, (session, SESSIONS_MAX)).fetchall()
            wanted = [row for row in rows if _ID.fullmatch(as_text(row[0])) and is_wanted(as_text(row[2]))]
            sizes = _measure_rows(connection, [row[0] for row in wanted])
    except (sqlite3.Error, OSError, ValueError):
        return []
    return [_describe_row(database, row, *sizes.get(row[0], (0, 0.0))) for row in wanted]


def _measure_rows(connection: sqlite3.Connection, sessions: list[str]) -> dict[str, tuple[int, float]]:
    """Return the size of each session's messages and parts, and the time of the last change."""
    rows = connection.execute(_SIZES, [json.dumps(sessions)])
    return {session: (as_count(size), parse_time(updated, 0.0)) for session, size, updated in rows}


def _describe_row(database: Path, row: tuple[object, ...], size: int, changed_at: float) -> StoredSession:
    session, parent, directory, created, updated = row
    started_at = parse_time(created, changed_at)
    return StoredSession(
        database / str(session),
        str(session),
        as_text(parent, TAG_CHARS_MAX),
        as_text(directory, PATH_CHARS_MAX),
        started_at,
        size,
        max(changed_at, parse_time(updated, started_at)),
    )


def _read_rows(database: Path, session: str) -> Iterator[Message]:
    with suppress(sqlite3.Error, OSError, ValueError), closing(_open(database)) as connection:
        messages = connection.execute(_MESSAGES, (session, LINE_BYTES_MAX, MESSAGES_MAX))
        for message, created, data in messages:
            parts = connection.execute(_PARTS, (message, session, LINE_BYTES_MAX, BLOCKS_MAX))
            info = _parse_row(data)
            yield Message({"time": {"created": created}, **info}, [_parse_row(part) for (part,) in parts])


def _parse_row(data: object) -> Mapping[str, object]:
    return parse_object(data) if isinstance(data, str | bytes) else {}
