"""Bring the map up to the files: read what changed, write it, resolve what that touches, all in one transaction.

A reader sees the map before or after, never between. What is left after any sequence of edits is what one clean
index of the same files gives.
"""

from __future__ import annotations

import gc
import os
import time
from collections import OrderedDict, deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway import git
from holloway.codemap import faults
from holloway.codemap.reading import files
from holloway.codemap.reading.facts import Facts, decode
from holloway.codemap.reading.languages import family
from holloway.codemap.reading.read import ReadFile, read_file, read_many
from holloway.codemap.resolving.imports import FACES, MANIFESTS, PACKAGE_FAMILIES, Importer
from holloway.codemap.resolving.resolve import Resolver
from holloway.codemap.resolving.scopes import Scopes
from holloway.codemap.writing import Rows
from holloway.config import RULE_FILE_BYTES_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holloway.codemap.database import MapDatabase
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


class _Change:
    """What is known so far of the difference between the files and the map."""

    def __init__(self, known: dict[str, Row], gone: dict[str, int], skipped: list[files.Skipped]) -> None:
        self.known = known
        self.gone = gone
        self.skipped = skipped
        self.read: dict[str, int] = {}
        self.seen: set[int] = set()
        """Files that others may see differently now."""
        self.renamed: dict[str, str] = {}
        self._by_hash = {known[path]["hash"]: path for path in sorted(gone, reverse=True)}

    @property
    def added(self) -> set[str]:
        """Files that were not in the map."""
        return self.read.keys() - self.known.keys()

    def former_id(self, one: ReadFile) -> int | None:
        """The id that a file keeps: its own, or that of a file with the same bytes that went."""
        if one.path in self.known:
            return int(self.known[one.path]["id"])
        old = self._by_hash.pop(one.hash, None)
        if old is None:
            return None
        self.renamed[old] = one.path
        return self.gone[old]

    def leave_out(self, path: str, reason: str) -> None:
        """A file is not read after all, and what is known of it goes."""
        self.skipped.append(files.Skipped(path, reason))
        self.renamed = {old: new for old, new in self.renamed.items() if new != path}
        if path in self.known:
            self.gone[path] = self.known[path]["id"]


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
    total = len(change.known) - len(change.gone) + len(change.added)
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
) -> tuple[_Change, int]:
    columns = "id, path, size, mtime_ns, hash, interface, language"
    known = {row["path"]: row for row in database.rows(f"SELECT {columns} FROM files")}
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
    change = _Change(known, gone, skipped)
    with database.filling() if not known else nullcontext():
        resolved = _apply(database, root, change, _read_all(root, wanted, workers, say), say)
    _write_skipped(database, change.skipped, only)
    if only is None:
        database.note("indexed_ns", str(now_ns))
    return change, resolved


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
    change: _Change,
    results: Iterable[ReadFile],
    say: Callable[[str, int, int], None],
) -> int:
    rows = Rows(database)
    read = _FactsRead(database)
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
    languages = {row["path"]: row["language"] for row in database.rows("SELECT path, language FROM files")}
    for path in change.gone.keys() - change.renamed.keys():
        del languages[path]
    importer = Importer(languages, lambda path: _manifest(root, path))
    dirty = _touched_by(database, change, importer) | set(change.read.values())
    for path, file in change.gone.items():
        if path not in change.renamed:
            rows.drop(file)
    if change.added or change.gone:
        rows.put_directories()
    resolved = _resolve(database, rows, Resolver(importer, read.scopes), dirty, change.skipped, say)
    if change.known:
        rows.drop_unused_packages()
    return resolved


def _touched_by(database: MapDatabase, change: _Change, importer: Importer) -> set[int]:
    """Files whose names may mean something else now."""
    came_or_went = change.added | change.gone.keys()
    if not change.known:
        return set()
    if any(path.rpartition("/")[2] in MANIFESTS for path in change.read.keys() | change.gone.keys()):
        return {row[0] for row in database.rows("SELECT id FROM files WHERE language != ''")}
    folders = {path.rpartition("/")[0] for path in came_or_went}
    neighbours = {
        row["id"]
        for path, row in change.known.items()
        if path.rpartition("/")[0] in folders and family(row["language"]) in PACKAGE_FAMILIES
    }
    changed = neighbours | _below_faces(change, came_or_went)
    words = {word for path in came_or_went for word in importer.words_for(path)}
    other_folders = _folders(change.known) ^ _folders(importer.paths)
    for path in came_or_went:
        passed, names = _way_down(database, change.known, path, other_folders)
        changed |= passed
        words |= names
    for word in words:
        changed.update(row[0] for row in database.rows("SELECT file FROM import_words WHERE word = ?", (word,)))
    dirty = set(changed)
    # Who looked at a file whose imports may lead elsewhere now looked through it.
    for file in changed | change.seen | set(change.gone.values()):
        dirty.update(row[0] for row in database.rows("SELECT file FROM consulted WHERE seen = ?", (file,)))
    return dirty


def _below_faces(change: _Change, came_or_went: set[str]) -> set[int]:
    """What lies below a package's own file may reach it without naming it: `from . import x`, `super::x`."""
    stems = ((path.rpartition("/")[0], path.rpartition("/")[2].partition(".")[0]) for path in came_or_went)
    faces = {(folder, FACES[stem]) for folder, stem in stems if stem in FACES}
    return {
        row["id"]
        for path, row in change.known.items()
        for folder, language in faces
        if family(row["language"]) == language and (not folder or path.startswith(folder + "/"))
    }


def _way_down(
    database: MapDatabase, known: dict[str, Row], path: str, other_folders: set[str]
) -> tuple[set[int], set[str]]:
    """How `package.module` may lead to a file without an import of it.

    The files that looked into the package and write the module's name; where folders without a package's own file, or
    ones that were not there, lie between, their names.
    """
    passed: set[int] = set()
    names: set[str] = set()
    folder, _, name = path.rpartition("/")
    name = name.partition(".")[0]
    is_python = path.endswith((".py", ".pyi"))
    if is_python and name == "__init__":
        folder, _, name = folder.rpartition("/")
    while is_python or folder in other_folders:
        package = known.get(f"{folder}/__init__.py".lstrip("/"), known.get(f"{folder}/__init__.pyi".lstrip("/")))
        if package is not None:
            sql = "SELECT c.file FROM consulted c JOIN files f ON f.id = c.file WHERE c.seen = ? AND instr(f.facts, ?)"
            passed.update(row[0] for row in database.rows(sql, (package["id"], name.encode())))
        if not folder or (package is not None and folder not in other_folders):
            break
        folder, _, name = folder.rpartition("/")
        names.add(name)
    return passed, names


def _folders(paths: Iterable[str]) -> set[str]:
    """The folders that hold these files, and those above them."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _resolve(
    database: MapDatabase,
    rows: Rows,
    resolver: Resolver,
    dirty: set[int],
    skipped: list[files.Skipped],
    say: Callable[[str, int, int], None],
) -> int:
    listed = database.rows("SELECT id, path FROM files WHERE language != ''")
    paths = [row["path"] for row in listed if row["id"] in dirty]
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
            self._kept[path] = Scopes(path, language, facts)

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
