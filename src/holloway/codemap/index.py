"""Bring the map up to the files: read what changed, write it, resolve what that touches, all in one transaction.

A reader sees the map before or after, never between. What is left after any sequence of edits is what one clean
index of the same files gives.
"""

from __future__ import annotations

import gc
import json
import os
import time
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap import file_errors, process_pool
from holloway.codemap.facts_cache import FactsRead, InMap
from holloway.codemap.file_diff import Change, touched_by
from holloway.codemap.map_writer import Rows
from holloway.codemap.parse import source_files
from holloway.codemap.parse.facts import Facts, decode
from holloway.codemap.parse.parse_file import ReadFile, read_file
from holloway.codemap.resolve.imports.import_resolver import Importer
from holloway.codemap.resolve.resolver import Resolver
from holloway.codemap.scip import import_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from holloway.codemap.database import MapDatabase
    from holloway.store.database import Row

    Say = Callable[[str, int, int], None]
    """Stage, what is done of it, all of it."""
    Wanted = list[tuple[source_files.Listed, bytes]]

PARALLEL_FILES_MIN = 200
"""Fewer files are read faster than a second process starts."""
RACY_NS = 2_000_000_000
"""A file changed so shortly before it was read may have changed again within the clock's grain: it is read again."""


class Indexed(NamedTuple):
    """What an index did."""

    files: int
    read: int
    removed: int
    resolved: int
    skipped: int
    renamed: dict[str, str]
    """Files that came back under another name with the same bytes: old name to new."""
    seconds: float


def index(
    database: MapDatabase,
    root: Path,
    *,
    workers: int = 0,
    only: Iterable[str] | None = None,
    progress: Say | None = None,
) -> Indexed:
    """Bring the map up to date; `only` looks at these files, and those in these folders, and trusts the rest."""
    started = time.perf_counter()
    only = None if only is None else sorted(set(only))
    say = progress or (lambda stage, done, total: None)
    # The lock is taken before anything is compared: of two processes, the second finds nothing left to do.
    with _no_collection(), database.write():
        change, resolved = _followed(database, root, workers, only, say)
        total = int(database.value("SELECT COUNT(*) FROM files"))
    return Indexed(
        total,
        len(change.read),
        len(change.gone),
        resolved,
        len(change.skipped),
        change.renamed,
        time.perf_counter() - started,
    )


def _followed(
    database: MapDatabase,
    root: Path,
    workers: int,
    only: list[str] | None,
    say: Say,
) -> tuple[Change, int]:
    now_ns = time.time_ns()
    change, wanted = _compared(database, root, only)
    count = (workers or os.cpu_count() or 1) if len(wanted) >= PARALLEL_FILES_MIN else 1
    with (
        database.filling() if change.is_first else nullcontext(),
        process_pool.started(count, root, database.path.with_suffix(".facts"))
        if count > 1
        else nullcontext() as others,
    ):
        resolved = _apply(database, root, change, _read_all(root, wanted, others, say), others, say)
    _write_skipped(database, change.skipped, only)
    if only is None:
        database.note("indexed_ns", str(now_ns))
    return change, resolved


def _compared(database: MapDatabase, root: Path, only: list[str] | None) -> tuple[Change, Wanted]:
    """What is known of the difference before any file is read, and the files to read."""
    is_first = database.value("SELECT 1 FROM files") is None
    known = {row["path"]: row for row in _rows(database, _KNOWN, only)}
    unfit = {source_files.Listed(row[0], row[2], row[3]): row for row in _rows(database, _UNFIT, only)}
    settled_ns = int(database.meta("indexed_ns", "0")) - RACY_NS
    if only is None:
        found, skipped = source_files.listed(root)
        gone = {path: known[path]["id"] for path in known.keys() - {one.path for one in found}}
    else:
        found, skipped, gone = _looked_at(root, only, known)
    wanted: Wanted = []
    for one in found:
        former = known.get(one.path)
        is_same = former is not None and (former["size"], former["mtime_ns"]) == (one.size, one.mtime_ns)
        if one.mtime_ns >= settled_ns or not (is_same or one in unfit):
            wanted.append((one, former["hash"] if former is not None else b""))
        elif one in unfit:
            skipped.append(source_files.Skipped(*unfit[one]))
    return Change(known, gone, skipped, is_first=is_first), wanted


_KNOWN = "SELECT id, path, size, mtime_ns, hash, interface, language FROM files"
_UNFIT = "SELECT path, reason, size, mtime_ns FROM (SELECT * FROM skipped WHERE mtime_ns)"
_ASKED = (
    ", (SELECT value AS asked FROM json_each(?)) WHERE path = asked OR (path > asked || '/' AND path < asked || '0')"
)
"""The rows of the paths that are asked for, or that lie in folders that are: 0 is the sign that follows the slash."""


def _rows(database: MapDatabase, sql: str, only: list[str] | None) -> list[Row]:
    """What the map says of all files, or of some."""
    return database.rows(sql) if only is None else database.rows(f"{sql}{_ASKED}", (json.dumps(only),))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Hundreds of thousands of small rows and no cycle among them: looking for one would take half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # What is left counts as old: else the next row that anybody makes has all of it looked through.
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _looked_at(
    root: Path, only: list[str], known: dict[str, Row]
) -> tuple[list[source_files.Listed], list[source_files.Skipped], dict[str, int]]:
    found: list[source_files.Listed] = []
    skipped: list[source_files.Skipped] = []
    gone: dict[str, int] = {}
    for path in sorted({*known, *source_files.among(root, set(only) - known.keys())}):
        one = source_files.look(root, path)
        if isinstance(one, source_files.Listed):
            found.append(one)
        elif path in known:
            gone[path] = known[path]["id"]
        if isinstance(one, source_files.Skipped):
            skipped.append(one)
    return found, skipped, gone


def _read_all(root: Path, wanted: Wanted, others: process_pool.Processes | None, say: Say) -> Iterator[ReadFile]:
    total = len(wanted)
    read = others.read(wanted) if others else (read_file(root, one, known) for one, known in wanted)
    for at, one in enumerate(read):
        say("reading", at, total)
        yield one


def _apply(
    database: MapDatabase,
    root: Path,
    change: Change,
    results: Iterable[ReadFile],
    others: process_pool.Processes | None,
    say: Say,
) -> int:
    """Write what was read, and follow all names that may mean something else now; how many files have such names."""
    read = FactsRead(InMap(database))
    rows = Rows(database, read.scopes)
    # Names are followed where all facts are at hand: those of files that did not change are in the map alone.
    shared = others if change.is_first else None
    for one in results:
        facts = _put(database, rows, change, one)
        if facts is not None and shared:
            shared.shelf.add(one.path, one.language, one.stored, one.mentions)
        elif facts is not None and one.language:
            read.keep(one.path, one.language, facts)
    if not change.read and not change.gone:
        return 0
    dirty = set(change.read.values()) | _misled(database, root, change)
    _drop(rows, change, dirty)
    paths = _of_code(database, dirty)
    total = len(paths)
    if shared:
        outcomes = shared.resolve(paths)
    else:
        resolver = Resolver(_importer(database, root, change), read.scopes, read.mentions)
        outcomes = ((path, process_pool.outcome(resolver, path)) for path in paths)
    _put_resolutions(rows, outcomes, total, change.skipped, say)
    if not change.is_first:
        rows.drop_unused_packages()
        if database.meta("scip"):
            import_index.outrank(database, dirty)
    return total


def _put(database: MapDatabase, rows: Rows, change: Change, one: ReadFile) -> Facts | None:
    """Write what was read of a file; its facts, unless it is as it was or left out."""
    former = change.known.get(one.path)
    if one.skipped:
        change.leave_out(one, one.skipped)
        return None
    if former is not None and former["hash"] == one.hash:
        database.run("UPDATE files SET size = ?, mtime_ns = ? WHERE id = ?", (one.size, one.mtime_ns, former["id"]))
        return None
    facts = one.facts or (decode(one.stored) if one.stored else Facts())
    try:
        change.read[one.path] = rows.put(one, facts, change.former_id(one))
    except file_errors.NOT_OURS:
        raise
    except Exception as error:
        change.leave_out(one, file_errors.reason("writing", error))
        return None
    if former is not None and former["interface"] != one.interface:
        change.seen.add(former["id"])
    return facts


def _drop(rows: Rows, change: Change, dirty: set[int]) -> None:
    """Take out the files that went, and what was known of names that are followed anew."""
    for path, file in change.gone.items():
        if path not in change.renamed:
            rows.drop(file)
    if change.added or change.gone:
        rows.put_directories()
    if not change.is_first:
        rows.drop_edges(dirty)


def _misled(database: MapDatabase, root: Path, change: Change) -> set[int]:
    """The files whose names may mean something else now, although they did not change themselves."""
    if change.is_of_names:
        _note_names(database)
    if change.is_first:
        return set()
    importer = _importer(database, root, change)
    has_manifest = change.has_manifest
    if not has_manifest and not importer.tree.decisive.isdisjoint(change.paths):
        has_manifest = True
        _note_names(database)
    if has_manifest:
        return {row[0] for row in database.rows("SELECT id FROM files WHERE language != ''")}
    return touched_by(database, change, importer)


def _note_names(database: MapDatabase) -> None:
    """Note that imports may lead elsewhere than before."""
    database.note("names", f"{time.time_ns()} {os.getpid()}")


def _importer(database: MapDatabase, root: Path, change: Change) -> Importer:
    """What finds the files behind imports; kept as long as nothing changes that it was made from."""
    made_from = (str(root), database.meta("names"))
    if database.importer is None or database.importer[0] != made_from:
        left = change.gone.keys() - change.renamed.keys()
        paths = {row[0] for row in database.rows("SELECT path FROM files")} - left
        database.importer = (made_from, Importer(paths, partial(source_files.manifest, root)))
    return database.importer[1]


def _of_code(database: MapDatabase, ids: set[int]) -> list[str]:
    """Those of the files that have names to follow, in order."""
    sql = "SELECT path FROM files WHERE language != '' AND id IN (SELECT value FROM json_each(?)) ORDER BY path"
    return [path for (path,) in database.connection.execute(sql, (json.dumps(sorted(ids)),))]


def _put_resolutions(
    rows: Rows, outcomes: Iterable[process_pool.Outcome], total: int, skipped: list[source_files.Skipped], say: Say
) -> None:
    for at, (path, found) in enumerate(outcomes):
        say("resolving", at, total)
        reason = found if isinstance(found, str) else ""
        try:
            if not isinstance(found, str):
                rows.put_resolution(path, found)
        except file_errors.NOT_OURS:
            raise
        except Exception as error:
            reason = file_errors.reason("resolving", error)
        if reason:
            skipped.append(source_files.Skipped(path, reason))
            rows.read_again(path)


def _write_skipped(database: MapDatabase, skipped: list[source_files.Skipped], only: list[str] | None) -> None:
    if only is None:
        database.run("DELETE FROM skipped")
    else:
        database.run(f"DELETE FROM skipped WHERE path IN (SELECT path FROM skipped{_ASKED})", (json.dumps(only),))
    database.connection.executemany("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?)", skipped)
