"""What is known of a file, a failure or a search and still holds: plain rows for whatever shows them. Light.

A memory that names a file which is no longer there is left out, and its id is handed to `gone`, so that a caller who
may write can mark it.
"""

from __future__ import annotations

import os

from holloway.config import FAILURE_CHARS_MAX, TEXT_CHARS_MAX
from holloway.store import lookup
from holloway.text.identifiers import in_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

STILL_BYTES_MAX = 512 * 1024
ANSWERED_FROM_CHARS = 4
"""A search for less than this is made for too many reasons to know the answer."""
LOOKED_AT = 2
"""How many times the memories that are wanted are looked at, because some may not hold any more."""


def on_files(
    connection: sqlite3.Connection,
    paths: list[str],
    to: lookup.Shown,
    root: str,
    limit: int,
    gone: list[str] | None = None,
) -> list[dict[str, object]]:
    """The unseen traps of these files and of the folders they lie in."""
    places = list(dict.fromkeys(place for path in paths for place in with_parents(path)))
    rows = lookup.traps(connection, places, to, limit * LOOKED_AT)
    return _standing(connection, _once(rows), root, limit, gone)


def on_failure(
    connection: sqlite3.Connection,
    output: str,
    to: lookup.Shown,
    root: str,
    limit: int,
    gone: list[str] | None = None,
) -> list[dict[str, object]]:
    """What solved the errors in an output before; each row has the error and the fix in its details.

    The files of a fix are examples of where it helped: it stands as long as one of them does.
    """
    from holloway.text.failures import fingerprints  # its patterns are only needed where something failed

    found = list(fingerprints(output[-FAILURE_CHARS_MAX:]))
    rows = lookup.fixes(connection, found, to, limit * LOOKED_AT) if found else []
    return [row | {"as": "fix"} for row in _standing(connection, rows, root, limit, gone, any_there)]


def on_search(
    connection: sqlite3.Connection,
    pattern: str,
    to: lookup.Shown,
    root: str,
    limit: int,
    gone: list[str] | None = None,
) -> list[dict[str, object]]:
    """The memories that answer a search, where one of the files that they name still has what is searched for."""
    words = in_pattern(pattern)
    if len("".join(words)) < ANSWERED_FROM_CHARS:
        return []
    rows = lookup.answers(connection, words, to, limit * LOOKED_AT)
    standing = _standing(connection, rows, root, limit * LOOKED_AT, gone)
    asked = {"as": "answer", "pattern": pattern[:TEXT_CHARS_MAX]}
    return [row | asked for row in standing if _still_true(row, words, root)][:limit]


def these(
    connection: sqlite3.Connection,
    ids: list[str],
    to: lookup.Shown,
    root: str,
    limit: int,
    gone: list[str] | None = None,
) -> list[dict[str, object]]:
    """Those of these memories that may be shown, have not been, and still hold."""
    return _standing(connection, lookup.unseen(connection, ids, to) if ids else [], root, limit, gone)


def with_parents(path: str) -> list[str]:
    """A file and the folders above it, up to the project itself."""
    parts = path.split("/")
    return [*("/".join(parts[:size]) for size in range(len(parts), 0, -1)), "."]


def are_there(files: list[str], root: str) -> bool:
    """Whether all the files that a memory names exist."""
    return all(os.path.lexists(os.path.join(root, path)) for path in files)


def any_there(files: list[str], root: str) -> bool:
    """Whether one of the files that a memory names exists, or it names none."""
    return not files or any(os.path.lexists(os.path.join(root, path)) for path in files)


def _once(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Each memory once, though it may be about several of the files; the first place is the most telling."""
    return list({str(row["id"]): row for row in reversed(rows)}.values())[::-1]


def _standing(
    connection: sqlite3.Connection,
    rows: list[dict[str, object]],
    root: str,
    limit: int,
    gone: list[str] | None,
    holds: Callable[[list[str], str], bool] = are_there,
) -> list[dict[str, object]]:
    """The rows whose files are there, each with its details and files."""
    if not rows:
        return []
    named = lookup.named(connection, [str(row["id"]) for row in rows])
    kept = []
    for row in rows:
        details, files = named.get(str(row["id"]), ({}, []))
        if holds(files, root):
            kept.append(row | {"details": details, "files": files})
        elif gone is not None:
            gone.append(str(row["id"]))
    return kept[:limit]


def _still_true(row: dict[str, object], words: list[str], root: str) -> bool:
    """Whether the code bears a memory out: a file that it names has one of the words, or a person vouches for it."""
    files = row["files"]
    if not isinstance(files, list) or not files:
        return row["state"] == "confirmed"
    return any(_has(os.path.join(root, str(path)), words) for path in files)


def _has(path: str, words: list[str]) -> bool:
    try:
        with open(path, "rb") as file:
            text = file.read(STILL_BYTES_MAX)
    except OSError:
        return False
    return any(word.encode() in text for word in words)
