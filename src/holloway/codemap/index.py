"""Bring the map up to the files: read what changed, write it, resolve what that touches, all in one transaction.

A reader sees the map before or after, never between. What is left after any sequence of edits is what one clean
index of the same files gives.
"""

from __future__ import annotations

import gc
import json
import os
import time
from collections import OrderedDict, deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway import git
from holloway.codemap import faults
from holloway.codemap.change import Change, touched_by
from holloway.codemap.reading import files
from holloway.codemap.reading.facts import Facts, decode, decode_references
from holloway.codemap.reading.read import ReadFile, read_file, read_many
from holloway.codemap.resolving.imports import Importer
from holloway.codemap.resolving.resolve import Resolver
from holloway.codemap.resolving.scopes import Scopes
from holloway.codemap.writing import Rows
from holloway.config import RULE_FILE_BYTES_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.reading.facts import Reference
    from holloway.store.database import Row

PARALLEL_FILES_MIN = 200
"""Fewer files are read faster than a second process starts."""
BATCH_FILES = 40
BATCHES_AHEAD = 4
"""Batches per process that are read before they can be written: about 2 MB each."""
SCOPES_KEPT = 1_000
"""Files whose names are kept in memory while others are resolved: about 25 MB; four times as many are no faster."""
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
    progress: Callable[[str, int, int], None] | None = None,
) -> Indexed:
    """Bring the map up to date; `only` looks at these paths alone and trusts the rest."""
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
    say: Callable[[str, int, int], None],
) -> tuple[Change, int]:
    is_first = database.value("SELECT 1 FROM files") is None
    known = _known(database, only)
    indexed_ns = int(database.meta("indexed_ns", "0"))
    now_ns = time.time_ns()
    if only is None:
        found, skipped = files.listed(root)
        gone = {path: known[path]["id"] for path in known.keys() - {one.path for one in found}}
    else:
        found, skipped, gone = _looked_at(root, only, known)
    wanted = [
        (one, known[one.path]["hash"] if one.path in known else b"")
        for one in found
        if one.path not in known
        or (known[one.path]["size"], known[one.path]["mtime_ns"]) != (one.size, one.mtime_ns)
        or one.mtime_ns >= indexed_ns - RACY_NS
    ]
    change = Change(known, gone, skipped, is_first=is_first)
    with database.filling() if is_first else nullcontext():
        resolved = _apply(database, root, change, _read_all(root, wanted, workers, say), say)
    _write_skipped(database, change.skipped, only)
    if only is None:
        database.note("indexed_ns", str(now_ns))
    return change, resolved


def _known(database: MapDatabase, only: list[str] | None) -> dict[str, Row]:
    """What the map says of all files, or of some."""
    sql = "SELECT id, path, size, mtime_ns, hash, interface, language FROM files"
    if only is None:
        rows = database.rows(sql)
    else:
        rows = database.rows(f"{sql} WHERE path IN (SELECT value FROM json_each(?))", (json.dumps(only),))
    return {row["path"]: row for row in rows}


@contextmanager
def _no_collection() -> Iterator[None]:
    """Hundreds of thousands of small rows and no cycle among them: looking for one would take half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _looked_at(
    root: Path, only: list[str], known: dict[str, Row]
) -> tuple[list[files.Listed], list[files.Skipped], dict[str, int]]:
    found: list[files.Listed] = []
    skipped: list[files.Skipped] = []
    gone: dict[str, int] = {}
    ignored = git.ignored(str(root), [path for path in only if path not in known])
    for path in only:
        if path in ignored:
            continue
        one = files.look(root, path)
        if isinstance(one, files.Listed):
            found.append(one)
        elif path in known:
            gone[path] = known[path]["id"]
        if isinstance(one, files.Skipped):
            skipped.append(one)
    return found, skipped, gone


def _read_all(
    root: Path, wanted: list[tuple[files.Listed, bytes]], workers: int, say: Callable[[str, int, int], None]
) -> Iterator[ReadFile]:
    count = workers or os.cpu_count() or 1
    if count == 1 or len(wanted) < PARALLEL_FILES_MIN:
        for at, (one, known) in enumerate(wanted):
            say("reading", at, len(wanted))
            yield read_file(root, one, known)
        return
    batches = [wanted[at : at + BATCH_FILES] for at in range(0, len(wanted), BATCH_FILES)]
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        # What is read is written in its order, and no more is read ahead than memory may hold.
        ahead = deque(pool.submit(read_many, str(root), batch) for batch in batches[: count * BATCHES_AHEAD])
        for at in range(len(batches)):
            say("reading", at * BATCH_FILES, len(wanted))
            yield from ahead.popleft().result()
            ahead.extend(
                pool.submit(read_many, str(root), batch)
                for batch in batches[at + count * BATCHES_AHEAD : at + count * BATCHES_AHEAD + 1]
            )


def _apply(
    database: MapDatabase,
    root: Path,
    change: Change,
    results: Iterable[ReadFile],
    say: Callable[[str, int, int], None],
) -> int:
    read = _FactsRead(database)
    rows = Rows(database, read.scopes)
    for one in results:
        former = change.known.get(one.path)
        if one.skipped:
            change.leave_out(one.path, one.skipped)
        elif former is not None and former["hash"] == one.hash:
            database.run("UPDATE files SET size = ?, mtime_ns = ? WHERE id = ?", (one.size, one.mtime_ns, former["id"]))
        else:
            facts = one.facts or (decode(one.stored) if one.stored else Facts())
            try:
                change.read[one.path] = rows.put(one, facts, change.former_id(one))
            except faults.NOT_OURS:
                raise
            except Exception as error:
                change.leave_out(one.path, faults.reason("writing", error))
                continue
            if former is not None and former["interface"] != one.interface:
                change.seen.add(former["id"])
            if one.language:
                read.keep(one.path, one.language, facts)
    if not change.read and not change.gone:
        return 0
    importer = _importer(database, root, change)
    dirty = touched_by(database, change, importer) | set(change.read.values())
    for path, file in change.gone.items():
        if path not in change.renamed:
            rows.drop(file)
    if change.added or change.gone:
        rows.put_directories()
    resolved = _resolve(database, rows, Resolver(importer, read.scopes, read.mentions), dirty, change.skipped, say)
    if not change.is_first:
        rows.drop_unused_packages()
    return resolved


def _importer(database: MapDatabase, root: Path, change: Change) -> Importer:
    """What finds the files behind imports; kept as long as nothing changes that it was made from."""
    if change.is_of_names:
        database.note("names", f"{time.time_ns()} {os.getpid()}")
    made_from = (str(root), database.meta("names"))
    if database.importer is None or database.importer[0] != made_from:
        left = change.gone.keys() - change.renamed.keys()
        paths = {row[0] for row in database.rows("SELECT path FROM files")} - left
        database.importer = (made_from, Importer(paths, partial(_manifest, root)))
    return database.importer[1]


def _resolve(
    database: MapDatabase,
    rows: Rows,
    resolver: Resolver,
    dirty: set[int],
    skipped: list[files.Skipped],
    say: Callable[[str, int, int], None],
) -> int:
    sql = "SELECT path FROM files WHERE language != '' AND id IN (SELECT value FROM json_each(?))"
    paths = [row[0] for row in database.rows(sql, (json.dumps(sorted(dirty)),))]
    rows.drop_edges(dirty)
    for at, path in enumerate(sorted(paths)):
        say("resolving", at, len(paths))
        try:
            rows.put_resolution(path, resolver.resolve(path))
        except faults.NOT_OURS:
            raise
        except Exception as error:
            skipped.append(files.Skipped(path, faults.reason("resolving", error)))
            rows.read_again(path)
    return len(paths)


class _FactsRead:
    """The facts of files with their names in order, as many as memory allows; the others are read from the map."""

    def __init__(self, database: MapDatabase) -> None:
        self._database = database
        self._kept: OrderedDict[str, Scopes | None] = OrderedDict()

    def keep(self, path: str, language: str, facts: Facts) -> None:
        """Keep what was just read, as long as there is room: those that come first are resolved first."""
        if len(self._kept) < SCOPES_KEPT:
            self._kept[path] = Scopes(path, language, facts._replace(references=()))

    def mentions(self, path: str) -> tuple[Reference, ...]:
        """What a file mentions; asked for once, while it is resolved."""
        sql = "SELECT m.data FROM files f JOIN mentions m ON m.file = f.id WHERE f.path = ?"
        data = self._database.value(sql, (path,))
        return decode_references(data) if data else ()

    def scopes(self, path: str) -> Scopes | None:
        """The names of a file; None where it is not in the map, or no code."""
        if path in self._kept:
            return self._kept[path]
        row = self._database.row("SELECT language, facts FROM files WHERE path = ?", (path,))
        found = Scopes(path, row["language"], decode(row["facts"])) if row is not None and row["language"] else None
        self._kept[path] = found
        if len(self._kept) > SCOPES_KEPT:
            self._kept.popitem(last=False)
        return found


def _manifest(root: Path, path: str) -> str:
    data = files.read(root, path)
    return data[:RULE_FILE_BYTES_MAX].decode("utf-8", "replace") if isinstance(data, bytes) else ""


def _write_skipped(database: MapDatabase, skipped: list[files.Skipped], only: list[str] | None) -> None:
    if only is None:
        database.run("DELETE FROM skipped")
    else:
        database.connection.executemany("DELETE FROM skipped WHERE path = ?", [(path,) for path in only])
    database.connection.executemany("INSERT OR REPLACE INTO skipped VALUES (?, ?)", skipped)
