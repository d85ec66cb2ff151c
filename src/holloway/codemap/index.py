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

from holloway.codemap import process_pool
from holloway.codemap.file_diff import MapChange, find_affected_files
from holloway.codemap.map_writer import MapWriter
from holloway.codemap.parse import source_files
from holloway.codemap.parse.facts import Facts, decode_facts
from holloway.codemap.parse.parser import FATAL_ERRORS, ParsedFile, format_reason, parse_file
from holloway.codemap.process_pool import FactsCache, MapFactsSource
from holloway.codemap.resolve.imports.import_resolver import ImportResolver
from holloway.codemap.resolve.resolver import Resolver
from holloway.codemap.scip import import_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from holloway.codemap.database import MapDatabase
    from holloway.store.database import Row

    ProgressCallback = Callable[[str, int, int], None]
    """Progress callback: stage, items done, total items."""
    FilesToParse = list[tuple[source_files.ListedFile, bytes]]

PARALLEL_FILES_MIN = 200
"""Below this number of files, parsing is faster than starting a second process."""
RACY_NS = 2_000_000_000
"""A file modified this shortly before the last index may have changed again within the clock's resolution, so it is
parsed again."""


class IndexResult(NamedTuple):
    """Counts of an index run."""

    files: int
    read: int
    removed: int
    resolved: int
    skipped: int
    renamed: dict[str, str]
    """Files that reappeared under another name with the same content: old path to new path."""
    seconds: float


def update_index(
    database: MapDatabase,
    root: Path,
    *,
    workers: int = 0,
    only: Iterable[str] | None = None,
    progress: ProgressCallback | None = None,
) -> IndexResult:
    """Bring the map up to date; `only` restricts the comparison to these files, and to files in these folders."""
    started = time.perf_counter()
    only = None if only is None else sorted(set(only))
    say = progress or (lambda stage, count, total: None)
    # The lock is taken before the comparison: of two processes, the second has nothing left to do.
    with _pause_gc(), database.write_transaction():
        change, resolved = _update_map(database, root, workers, only, say)
        total = int(database.fetch_value("SELECT COUNT(*) FROM files"))
    return IndexResult(
        total,
        len(change.written_ids),
        len(change.removed_ids),
        resolved,
        len(change.skipped),
        change.renamed,
        time.perf_counter() - started,
    )


def _update_map(
    database: MapDatabase,
    root: Path,
    workers: int,
    only: list[str] | None,
    report: ProgressCallback,
) -> tuple[MapChange, int]:
    now_ns = time.time_ns()
    change, wanted = _compare_files(database, root, only)
    count = (workers or os.cpu_count() or 1) if len(wanted) >= PARALLEL_FILES_MIN else 1
    with (
        database.bulk_load() if change.is_first else nullcontext(),
        process_pool.start_workers(count, root, database.path.with_suffix(".facts"))
        if count > 1
        else nullcontext() as pool,
    ):
        resolved = _apply_change(database, root, change, _parse_all(root, wanted, pool, report), pool, report)
    _write_skipped(database, change.skipped, only)
    if only is None:
        database.set_meta("indexed_ns", str(now_ns))
    return change, resolved


def _compare_files(database: MapDatabase, root: Path, only: list[str] | None) -> tuple[MapChange, FilesToParse]:
    """Compare file sizes and times with the map; return the difference so far, and the files to parse."""
    is_first = database.fetch_value("SELECT 1 FROM files") is None
    stored_rows = {row["path"]: row for row in _query_rows(database, _FILES_SQL, only)}
    unfit = {source_files.ListedFile(row[0], row[2], row[3]): row for row in _query_rows(database, _UNFIT_SQL, only)}
    settled_ns = int(database.get_meta("indexed_ns", "0")) - RACY_NS
    if only is None:
        listed_files, skipped = source_files.list_files(root)
        removed_ids = {
            path: stored_rows[path]["id"]
            for path in stored_rows.keys() - {listed_file.path for listed_file in listed_files}
        }
    else:
        listed_files, skipped, removed_ids = _check_paths(root, only, stored_rows)
    wanted: FilesToParse = []
    for listed_file in listed_files:
        former = stored_rows.get(listed_file.path)
        is_same = former is not None and (former["size"], former["mtime_ns"]) == (
            listed_file.size,
            listed_file.mtime_ns,
        )
        if listed_file.mtime_ns >= settled_ns or not (is_same or listed_file in unfit):
            wanted.append((listed_file, former["hash"] if former is not None else b""))
        elif listed_file in unfit:
            skipped.append(source_files.SkippedFile(*unfit[listed_file]))
    return MapChange(stored_rows, removed_ids, skipped, is_first=is_first), wanted


_FILES_SQL = "SELECT id, path, size, mtime_ns, hash, interface, language FROM files"
_UNFIT_SQL = "SELECT path, reason, size, mtime_ns FROM (SELECT * FROM skipped WHERE mtime_ns)"
_REQUESTED_SQL = (
    ", (SELECT value AS asked FROM json_each(?)) WHERE path = asked OR (path > asked || '/' AND path < asked || '0')"
)
"""SQL filter for the requested paths and everything inside requested folders; '0' is the character after '/'."""


def _query_rows(database: MapDatabase, sql: str, only: list[str] | None) -> list[Row]:
    """Run a query for all files, or only for the requested ones."""
    return (
        database.fetch_rows(sql) if only is None else database.fetch_rows(f"{sql}{_REQUESTED_SQL}", (json.dumps(only),))
    )


@contextmanager
def _pause_gc() -> Iterator[None]:
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


def _check_paths(
    root: Path, only: list[str], stored_rows: dict[str, Row]
) -> tuple[list[source_files.ListedFile], list[source_files.SkippedFile], dict[str, int]]:
    listed_files: list[source_files.ListedFile] = []
    skipped: list[source_files.SkippedFile] = []
    removed_ids: dict[str, int] = {}
    for path in sorted({*stored_rows, *source_files.list_matching(root, set(only) - stored_rows.keys())}):
        status = source_files.check_file(root, path)
        if isinstance(status, source_files.ListedFile):
            listed_files.append(status)
        elif path in stored_rows:
            removed_ids[path] = stored_rows[path]["id"]
        if isinstance(status, source_files.SkippedFile):
            skipped.append(status)
    return listed_files, skipped, removed_ids


def _parse_all(
    root: Path, wanted: FilesToParse, pool: process_pool.WorkerPool | None, report: ProgressCallback
) -> Iterator[ParsedFile]:
    total = len(wanted)
    parsed_files = (
        pool.parse_files(wanted)
        if pool
        else (parse_file(root, listed_file, former_hash) for listed_file, former_hash in wanted)
    )
    for count, parsed_file in enumerate(parsed_files):
        report("reading", count, total)
        yield parsed_file


def _apply_change(
    database: MapDatabase,
    root: Path,
    change: MapChange,
    results: Iterable[ParsedFile],
    pool: process_pool.WorkerPool | None,
    report: ProgressCallback,
) -> int:
    """Write the parsed files and resolve all affected names; return the number of files resolved."""
    facts_cache = FactsCache(MapFactsSource(database))
    rows = MapWriter(database, facts_cache.load_scopes)
    # Workers resolve names only on a first index: facts of unchanged files are in the map alone.
    shared = pool if change.is_first else None
    for parsed_file in results:
        facts = _write_file(database, rows, change, parsed_file)
        if facts is not None and shared:
            shared.facts_file.add_record(
                parsed_file.path, parsed_file.language, parsed_file.stored, parsed_file.mentions
            )
        elif facts is not None and parsed_file.language:
            facts_cache.add_parsed(parsed_file.path, parsed_file.language, facts)
    if not change.written_ids and not change.removed_ids:
        return 0
    dirty = set(change.written_ids.values()) | _find_stale_files(database, root, change)
    _delete_outdated(rows, change, dirty)
    paths = _list_code_paths(database, dirty)
    total = len(paths)
    if shared:
        outcomes = shared.resolve_files(paths)
    else:
        resolver = Resolver(_get_importer(database, root, change), facts_cache.load_scopes, facts_cache.load_mentions)
        outcomes = ((path, process_pool.resolve_file(resolver, path)) for path in paths)
    _write_resolutions(rows, outcomes, total, change.skipped, report)
    if not change.is_first:
        rows.delete_unused_packages()
        if database.get_meta("scip"):
            import_index.outrank_syntax_edges(database, dirty)
    return total


def _write_file(database: MapDatabase, rows: MapWriter, change: MapChange, parsed_file: ParsedFile) -> Facts | None:
    """Write a parsed file; return its facts, or None if it is unchanged or skipped."""
    former = change.stored_rows.get(parsed_file.path)
    if parsed_file.skipped:
        change.skip_file(parsed_file, parsed_file.skipped)
        return None
    if former is not None and former["hash"] == parsed_file.hash:
        database.execute(
            "UPDATE files SET size = ?, mtime_ns = ? WHERE id = ?",
            (parsed_file.size, parsed_file.mtime_ns, former["id"]),
        )
        return None
    facts = parsed_file.facts or (decode_facts(parsed_file.stored) if parsed_file.stored else Facts())
    try:
        change.written_ids[parsed_file.path] = rows.write_file(parsed_file, facts, change.reuse_id(parsed_file))
    except FATAL_ERRORS:
        raise
    except Exception as error:
        change.skip_file(parsed_file, format_reason("writing", error))
        return None
    if former is not None and former["interface"] != parsed_file.interface:
        change.changed_interface_ids.add(former["id"])
    return facts


def _delete_outdated(rows: MapWriter, change: MapChange, dirty: set[int]) -> None:
    """Delete removed files, and the resolved names of files that are resolved again."""
    for path, file in change.removed_ids.items():
        if path not in change.renamed:
            rows.delete_file(file)
    if change.added_paths or change.removed_ids:
        rows.update_directories()
    if not change.is_first:
        rows.delete_edges(dirty)


def _find_stale_files(database: MapDatabase, root: Path, change: MapChange) -> set[int]:
    """Return the ids of unchanged files whose names may resolve differently now."""
    if change.affects_imports:
        _invalidate_importer(database)
    if change.is_first:
        return set()
    importer = _get_importer(database, root, change)
    has_manifest = change.has_manifest
    if not has_manifest and not importer.tree.referenced_manifests.isdisjoint(change.changed_paths):
        has_manifest = True
        _invalidate_importer(database)
    if has_manifest:
        return {row[0] for row in database.fetch_rows("SELECT id FROM files WHERE language != ''")}
    return find_affected_files(database, change, importer)


def _invalidate_importer(database: MapDatabase) -> None:
    """Invalidate the cached import resolver: imports may resolve differently than before."""
    database.set_meta("names", f"{time.time_ns()} {os.getpid()}")


def _get_importer(database: MapDatabase, root: Path, change: MapChange) -> ImportResolver:
    """Return the import resolver, cached until the state that it was built from changes."""
    made_from = (str(root), database.get_meta("names"))
    if database.importer is None or database.importer[0] != made_from:
        removed_paths = change.removed_ids.keys() - change.renamed.keys()
        paths = {row[0] for row in database.fetch_rows("SELECT path FROM files")} - removed_paths
        database.importer = (made_from, ImportResolver(paths, partial(source_files.read_manifest, root)))
    return database.importer[1]


def _list_code_paths(database: MapDatabase, ids: set[int]) -> list[str]:
    """Return the paths of those files that are code, sorted."""
    sql = "SELECT path FROM files WHERE language != '' AND id IN (SELECT value FROM json_each(?)) ORDER BY path"
    return [path for (path,) in database.connection.execute(sql, (json.dumps(sorted(ids)),))]


def _write_resolutions(
    rows: MapWriter,
    outcomes: Iterable[process_pool.Outcome],
    total: int,
    skipped: list[source_files.SkippedFile],
    report: ProgressCallback,
) -> None:
    for count, (path, resolution) in enumerate(outcomes):
        report("resolving", count, total)
        reason = resolution if isinstance(resolution, str) else ""
        try:
            if not isinstance(resolution, str):
                rows.write_resolution(path, resolution)
        except FATAL_ERRORS:
            raise
        except Exception as error:
            reason = format_reason("resolving", error)
        if reason:
            skipped.append(source_files.SkippedFile(path, reason))
            rows.mark_changed(path)


def _write_skipped(database: MapDatabase, skipped: list[source_files.SkippedFile], only: list[str] | None) -> None:
    if only is None:
        database.execute("DELETE FROM skipped")
    else:
        database.execute(
            f"DELETE FROM skipped WHERE path IN (SELECT path FROM skipped{_REQUESTED_SQL})", (json.dumps(only),)
        )
    database.connection.executemany("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?)", skipped)
