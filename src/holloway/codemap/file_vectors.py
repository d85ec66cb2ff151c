"""Vectors of files in the map: the text that stands for a file, and the vectors of such texts, cached per model.

A vector is valid for one text and one model. It is derived like the rest of the map, and lost with it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.codemap.database import MapDatabase

OPENING_CHARS = 300
"""Characters of a file's first chunk: its docstring or its first comment, and its imports."""
NAMES_CHARS = 300
"""Characters of the names that a file defines."""
CACHE_WAIT_MS = 50
"""Wait for another process that writes the map; without the lock, the vectors are computed again next time."""


class FileText(NamedTuple):
    """The text that stands for a file: its path, its opening and the names that it defines; `key` identifies it."""

    file: int
    text: str
    key: bytes


def describe_files(database: MapDatabase, paths: Sequence[str], model: str) -> dict[str, FileText]:
    """Return the text of each of these files, with its key for a model; files without any text are left out."""
    rows = database.fetch_rows(
        "SELECT f.id, f.path, c.name, substr(c.body, 1, ?) FROM files f JOIN chunks c ON c.file = f.id"
        " WHERE f.path IN (SELECT value FROM json_each(?)) ORDER BY f.id, c.line",
        (OPENING_CHARS, json.dumps(list(paths))),
    )
    openings: dict[str, tuple[int, str]] = {}
    names: dict[str, dict[str, None]] = {}
    for file, path, name, body in rows:
        openings.setdefault(path, (file, body))
        if name:
            names.setdefault(path, {})[name] = None
    described = {}
    for path, (file, opening) in openings.items():
        text = f"{path}: {opening} {', '.join(names.get(path, ()))[:NAMES_CHARS]}"
        described[path] = FileText(file, text, blake2b(f"{model}\0{text}".encode("utf-8", "replace")).digest())
    return described


def load_vectors(database: MapDatabase, texts: Iterable[FileText]) -> dict[int, bytes]:
    """Return the cached vector (float32, little-endian) of each file whose text is the cached one."""
    keys = {text.file: text.key for text in texts}
    rows = database.fetch_rows(
        "SELECT file, key, vector FROM file_vectors WHERE file IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys)),),
    )
    return {file: vector for file, key, vector in rows if keys[file] == key}


def save_vectors(database: MapDatabase, rows: Iterable[tuple[FileText, bytes]]) -> None:
    """Cache vectors. A cache that cannot be written costs time only, so it does not raise."""
    values = [(text.file, text.key, vector) for text, vector in rows]
    with suppress(HollowayError), database.limit_lock_wait(CACHE_WAIT_MS), database.write_transaction():
        database.connection.executemany("INSERT OR REPLACE INTO file_vectors VALUES (?, ?, ?)", values)
