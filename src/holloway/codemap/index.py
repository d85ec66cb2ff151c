"""Incremental indexing: parse changed files, write them to the map and resolve affected names, in one transaction.

A reader sees the map before or after an update, never in between. After any sequence of edits the map equals the result
of one clean index of the same files.
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
    """Progress callback: stage, items done, total items."""
    Wanted = list[tuple[source_files.Listed, bytes]]

PARALLEL_FILES_MIN = 200
"""Below this number of files, parsing is faster than starting a second process."""
RACY_NS = 2_000_000_000
"""A file modified this shortly before the last index may have changed again within the clock's resolution, so it is
parsed again."""


class Indexed(NamedTuple):
    """Counts of an index run."""

    files: int
    read: int
    removed: int
    resolved: int
    skipped: int
    renamed: dict[str, str]
    """Files that reappeared under another name with the same content: old path to new path."""
    seconds: float


def index(
    database: MapDatabase,
    root: Path,
    *,
    workers: int = 0,
    only: Iterable[str] | None = None,
    progress: Say | None = None,
) -> Indexed:
    """Bring the map up to date; `only` restricts the comparison to these files, and to files in these folders."""
    started = time.perf_counter()
    only = None if only is None else sorted(set(only))
    say = progress or (lambda stage, count, total: None)
    # The lock is taken before the comparison: of two processes, the second has nothing left to do.
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
        process_pool.started(count, root, database.path.with_suffix(".facts")) if count > 1 else nullcontext() as pool,
    ):
        resolved = _apply(database, root, change, _read_all(root, wanted, pool, say), pool, say)
    _write_skipped(database, change.skipped, only)
    if only is None:
        database.note("indexed_ns", str(now_ns))
    return change, resolved


def _compared(database: MapDatabase, root: Path, only: list[str] | None) -> tuple[Change, Wanted]:
    """Compare file sizes and times with the map; return the difference so far, and the files to parse."""
    is_first = database.value("SELECT 1 FROM files") is None
    stored_rows = {row["path"]: row for row in _rows(database, _KNOWN, only)}
    unfit = {source_files.Listed(row[0], row[2], row[3]): row for row in _rows(database, _UNFIT, only)}
    settled_ns = int(database.meta("indexed_ns", "0")) - RACY_NS
    if only is None:
        listed_files, skipped = source_files.listed(root)
        removed_ids = {
            path: stored_rows[path]["id"]
            for path in stored_rows.keys() - {listed_file.path for listed_file in listed_files}
        }
    else:
        listed_files, skipped, removed_ids = _looked_at(root, only, stored_rows)
    wanted: Wanted = []
    for listed_file in listed_files:
        former = stored_rows.get(listed_file.path)
        is_same = former is not None and (former["size"], former["mtime_ns"]) == (
            listed_file.size,
            listed_file.mtime_ns,
        )
        if listed_file.mtime_ns >= settled_ns or not (is_same or listed_file in unfit):
            wanted.append((listed_file, former["hash"] if former is not None else b""))
        elif listed_file in unfit:
            skipped.append(source_files.Skipped(*unfit[listed_file]))
    return Change(stored_rows, removed_ids, skipped, is_first=is_first), wanted


_KNOWN = "SELECT id, path, size, mtime_ns, hash, interface, language FROM files"
_UNFIT = "SELECT path, reason, size, mtime_ns FROM (SELECT * FROM skipped WHERE mtime_ns)"
_ASKED = (
    ", (SELECT value AS asked FROM json_each(?)) WHERE path = asked OR (path > asked || '/' AND path < asked || '0')"
)
"""SQL filter for the requested paths and everything inside requested folders; '0' is the character after '/'."""


def _rows(database: MapDatabase, sql: str, only: list[str] | None) -> list[Row]:
    """Run a query for all files, or only for the requested ones."""
    return database.rows(sql) if only is None else database.rows(f"{sql}{_ASKED}", (json.dumps(only),))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Disable garbage collection: with hundreds of thousands of small rows and no cycles it takes half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # Move the survivors to the oldest generation, so that the next allocation does not scan all of them.
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _looked_at(
    root: Path, only: list[str], known: dict[str, Row]
) -> tuple[list[source_files.Listed], list[source_files.Skipped], dict[str, int]]:
    listed_files: list[source_files.Listed] = []
    skipped: list[source_files.Skipped] = []
    removed_ids: dict[str, int] = {}
    for path in sorted({*known, *source_files.among(root, set(only) - known.keys())}):
        status = source_files.look(root, path)
        if isinstance(status, source_files.Listed):
            listed_files.append(status)
        elif path in known:
            removed_ids[path] = known[path]["id"]
        if isinstance(status, source_files.Skipped):
            skipped.append(status)
    return listed_files, skipped, removed_ids


def _read_all(root: Path, wanted: Wanted, others: process_pool.Processes | None, say: Say) -> Iterator[ReadFile]:
    total = len(wanted)
    parsed_files = (
        others.read(wanted)
        if others
        else (read_file(root, listed_file, former_hash) for listed_file, former_hash in wanted)
    )
    for count, parsed_file in enumerate(parsed_files):
        say("reading", count, total)
        yield parsed_file


def _apply(
    database: MapDatabase,
    root: Path,
    change: Change,
    results: Iterable[ReadFile],
    others: process_pool.Processes | None,
    say: Say,
) -> int:
    """Write the parsed files and resolve all affected names; return the number of files resolved."""
    facts_cache = FactsRead(InMap(database))
    rows = Rows(database, facts_cache.scopes)
    # Workers resolve names only on a first index: facts of unchanged files are in the map alone.
    shared = others if change.is_first else None
    for parsed_file in results:
        facts = _put(database, rows, change, parsed_file)
        if facts is not None and shared:
            shared.shelf.add(parsed_file.path, parsed_file.language, parsed_file.stored, parsed_file.mentions)
        elif facts is not None and parsed_file.language:
            facts_cache.keep(parsed_file.path, parsed_file.language, facts)
    if not change.read and not change.gone:
        return 0
    dirty = set(change.read.values()) | _misled(database, root, change)
    _drop(rows, change, dirty)
    paths = _of_code(database, dirty)
    total = len(paths)
    if shared:
        outcomes = shared.resolve(paths)
    else:
        resolver = Resolver(_importer(database, root, change), facts_cache.scopes, facts_cache.mentions)
        outcomes = ((path, process_pool.outcome(resolver, path)) for path in paths)
    _put_resolutions(rows, outcomes, total, change.skipped, say)
    if not change.is_first:
        rows.drop_unused_packages()
        if database.meta("scip"):
            import_index.outrank(database, dirty)
    return total


def _put(database: MapDatabase, rows: Rows, change: Change, one: ReadFile) -> Facts | None:
    """Write a parsed file; return its facts, or None if it is unchanged or skipped."""
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
    """Delete removed files, and the resolved names of files that are resolved again."""
    for path, file in change.gone.items():
        if path not in change.renamed:
            rows.drop(file)
    if change.added or change.gone:
        rows.put_directories()
    if not change.is_first:
        rows.drop_edges(dirty)


def _misled(database: MapDatabase, root: Path, change: Change) -> set[int]:
    """Return the ids of unchanged files whose names may resolve differently now."""
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
    """Invalidate the cached import resolver: imports may resolve differently than before."""
    database.note("names", f"{time.time_ns()} {os.getpid()}")


def _importer(database: MapDatabase, root: Path, change: Change) -> Importer:
    """Return the import resolver, cached until the state that it was built from changes."""
    made_from = (str(root), database.meta("names"))
    if database.importer is None or database.importer[0] != made_from:
        removed_paths = change.gone.keys() - change.renamed.keys()
        paths = {row[0] for row in database.rows("SELECT path FROM files")} - removed_paths
        database.importer = (made_from, Importer(paths, partial(source_files.manifest, root)))
    return database.importer[1]


def _of_code(database: MapDatabase, ids: set[int]) -> list[str]:
    """Return the paths of those files that are code, sorted."""
    sql = "SELECT path FROM files WHERE language != '' AND id IN (SELECT value FROM json_each(?)) ORDER BY path"
    return [path for (path,) in database.connection.execute(sql, (json.dumps(sorted(ids)),))]


def _put_resolutions(
    rows: Rows, outcomes: Iterable[process_pool.Outcome], total: int, skipped: list[source_files.Skipped], say: Say
) -> None:
    for count, (path, resolution) in enumerate(outcomes):
        say("resolving", count, total)
        reason = resolution if isinstance(resolution, str) else ""
        try:
            if not isinstance(resolution, str):
                rows.put_resolution(path, resolution)
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
