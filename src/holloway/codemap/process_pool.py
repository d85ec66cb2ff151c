"""Worker processes of an index run: they parse files and resolve names in parallel, with cached and shared facts."""

from __future__ import annotations

import gc
import json
import os
from collections import deque
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeVar

from holloway.codemap.parse import parser, source_files
from holloway.codemap.parse.chunks import clear_word_cache
from holloway.codemap.parse.facts import decode_facts
from holloway.codemap.parse.parser import parse_batch
from holloway.codemap.resolve.imports.import_resolver import ImportResolver
from holloway.codemap.resolve.resolver import Resolver
from holloway.codemap.resolve.scopes import Scopes
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor

    from holloway.codemap.parse.parser import ParsedFile
    from holloway.codemap.resolve.resolution import Resolution

    FilesToParse = list[tuple[source_files.ListedFile, bytes]]
    Outcome = tuple[str, Resolution | str]
    """A path and its resolution, or the reason why resolving failed."""
    from collections.abc import Iterable

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.parse.facts import Facts
    from holloway.codemap.resolve.resolver import Mention


Work = TypeVar("Work")
Done = TypeVar("Done")

SAFE_PATH = "PYTHONSAFEPATH"
BATCH_FILES = 40
BATCHES_AHEAD = 2
"""Batches per process that may be finished before they are written: about 2 MB each."""
NO_OFFSET = -1
"""Offset of a file that has no facts."""
SCOPES_CACHED_MAX = 800
"""Files whose scopes stay in memory while others are resolved: about 13 MB; doubling it is not faster."""


class WorkerPool:
    """Pool of processes that parse files and, on a first index, resolve their names."""

    def __init__(self, pool: ProcessPoolExecutor, count: int, root: Path, facts_file: FactsFileWriter) -> None:
        self._pool = pool
        self._ahead = count * BATCHES_AHEAD
        self._root = str(root)
        self.facts_file = facts_file

    def parse_files(self, wanted: FilesToParse) -> Iterator[ParsedFile]:
        """Parse these files and yield the results in order; the list is consumed."""
        return self._run_batches(wanted, lambda batch: self._pool.submit(parse_batch, self._root, batch))

    def resolve_files(self, paths: list[str]) -> Iterator[Outcome]:
        """Resolve the names of these files, whose facts are all in the facts file. The list is consumed."""
        self.facts_file.finish()
        place = str(self.facts_file.path)
        return self._run_batches(paths, lambda batch: self._pool.submit(_resolve_batch, place, self._root, batch))

    def _run_batches(self, work: list[Work], submit: Callable[[list[Work]], Future[list[Done]]]) -> Iterator[Done]:
        """Yield results in order, and limit the batches in flight so that memory stays bounded."""
        batches = _split_batches(work)
        ahead = deque(submit(batch) for batch in islice(batches, self._ahead))
        while ahead:
            results = ahead.popleft().result()
            ahead.extend(submit(batch) for batch in islice(batches, 1))
            yield from results


def _split_batches(work: list[Work]) -> Iterator[list[Work]]:
    """Split the work into batches, in order, and release what was handed out."""
    work.reverse()
    while work:
        batch = work[-BATCH_FILES:]
        del work[-BATCH_FILES:]
        yield batch[::-1]


@contextmanager
def start_workers(count: int, root: Path, facts_path: Path) -> Iterator[WorkerPool]:
    """Start that many processes and stop them afterwards; they share a facts file at that path.

    Raises HollowayError when a process dies before it has finished.
    """
    # Small updates need no pool and should not wait for these imports.
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
    from multiprocessing import get_context

    try:
        with (
            create_facts_file(facts_path) as shared,
            _isolate_import_path(),
            ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=gc.disable) as pool,
        ):
            yield WorkerPool(pool, count, root, shared)
    except BrokenExecutor as error:
        raise HollowayError(
            f"A worker process that parses files of {root} died before it finished.",
            "Nothing was written. If memory is short, run `holloway index --workers 1`, which needs the least.",
        ) from error


@contextmanager
def _isolate_import_path() -> Iterator[None]:
    """Keep new processes from importing code from the current folder, which may be an untrusted project.

    Python starts each with `-c`, which puts that folder first in the import path; the parent's path is sent to them
    later.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _resolve_batch(facts_path: str, root: str, paths: list[str]) -> list[Outcome]:
    resolver = _get_resolver(facts_path, root)
    return [(path, _strip_edge_types(resolve_file(resolver, path))) for path in paths]


def _strip_edge_types(resolution: Resolution | str) -> Resolution | str:
    """Convert edges to plain tuples, which are pickled in half the time."""
    return (
        resolution if isinstance(resolution, str) else resolution._replace(edges=[edge[:] for edge in resolution.edges])
    )


@cache
def _get_resolver(facts_path: str, root: str) -> Resolver:
    clear_word_cache()
    facts_file = FactsFileReader(facts_path)
    facts_cache = FactsCache(facts_file)
    return Resolver(
        ImportResolver(facts_file.paths, partial(source_files.read_manifest, Path(root))),
        facts_cache.load_scopes,
        facts_cache.load_mentions,
    )


def resolve_file(resolver: Resolver, path: str) -> Resolution | str:
    """Resolve the names of a file; return the resolution, or the reason why it failed."""
    try:
        return resolver.resolve_file(path)
    except parser.FATAL_ERRORS:
        raise
    except Exception as error:
        return parser.format_reason("resolving", error)


class FactsFileWriter:
    """Writer of the facts file: one record per source file, each preceded by a JSON header line."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file

    def add_record(self, path: str, language: str, facts: bytes, mentions: bytes) -> None:
        """Append the facts and references of a file, or only its path if it is not code."""
        self._file.write(json.dumps((path, language, len(facts), len(mentions))).encode() + b"\n")
        self._file.write(facts)
        self._file.write(mentions)

    def finish(self) -> None:
        """Flush the file, so that other processes can read it."""
        self._file.flush()


@contextmanager
def create_facts_file(path: Path) -> Iterator[FactsFileWriter]:
    """Create an empty facts file and delete it afterwards; a file left by a killed index run is replaced."""
    path.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield FactsFileWriter(path, file)
    finally:
        path.unlink(missing_ok=True)


class FactsFileReader:
    """Reader of a facts file that another process wrote.

    It stores one offset per file, because every process holds all of them.
    """

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: PTH123, SIM115  (closed by close)
        self._offsets = dict(self._scan_records())

    def _scan_records(self) -> Iterator[tuple[str, int]]:
        offset = 0
        while line := self._file.readline():
            path, language, facts, mentions = json.loads(line)
            yield path, offset if language else NO_OFFSET
            offset = self._file.seek(facts + mentions, os.SEEK_CUR)

    @property
    def paths(self) -> Iterable[str]:
        """Paths of all files in the facts file."""
        return self._offsets.keys()

    def load_facts(self, path: str) -> tuple[str, bytes]:
        """Return a file's language and encoded facts."""
        language, length, _ = self._seek_record(path)
        return language, self._file.read(length)

    def load_mentions(self, path: str) -> bytes:
        """Return the encoded references of a file."""
        _, facts_length, length = self._seek_record(path)
        self._file.seek(facts_length, os.SEEK_CUR)
        return self._file.read(length)

    def _seek_record(self, path: str) -> tuple[str, int, int]:
        """Seek to a file's record; return its language and the lengths of its facts and of its references."""
        offset = self._offsets.get(path, NO_OFFSET)
        if offset == NO_OFFSET:
            return "", 0, 0
        self._file.seek(offset)
        _, language, facts, mentions = json.loads(self._file.readline())
        return language, facts, mentions

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class FactsSource(Protocol):
    """Storage that the facts of a file are loaded from."""

    def load_facts(self, path: str) -> tuple[str, bytes]:
        """Return a file's language and encoded facts; the language is empty if the file is missing or not code."""

    def load_mentions(self, path: str) -> bytes:
        """Return the encoded references of a file."""


class MapFactsSource:
    """Facts source that reads from the map database."""

    def __init__(self, database: MapDatabase) -> None:
        self._database = database

    def load_facts(self, path: str) -> tuple[str, bytes]:
        """Return a file's language and encoded facts."""
        row = self._database.fetch_row("SELECT language, facts FROM files WHERE path = ?", (path,))
        return (row[0], row[1]) if row is not None else ("", b"")

    def load_mentions(self, path: str) -> bytes:
        """Return the encoded references of a file."""
        sql = "SELECT m.data FROM files f JOIN mentions m ON m.file = f.id WHERE f.path = ?"
        return self._database.fetch_value(sql, (path,)) or b""


class FactsCache:
    """Cache of decoded facts, by path, in two generations."""

    def __init__(self, source: FactsSource) -> None:
        self._source = source
        self._young: dict[str, Scopes | None] = {}
        self._old: dict[str, Scopes | None] = {}
        """Entries not used since the last generation change; the next change discards them."""

    def add_parsed(self, path: str, language: str, facts: Facts) -> None:
        """Cache facts that were just parsed, while there is room: the first files are also resolved first."""
        if len(self._old) < SCOPES_CACHED_MAX // 2:
            self._old[path] = Scopes(path, language, facts._replace(references=()))

    def load_mentions(self, path: str) -> list[Mention]:
        """Return the references of a file as plain lists; not cached, because each file is resolved once."""
        data = self._source.load_mentions(path)
        return json.loads(data) if data else []

    def load_scopes(self, path: str) -> Scopes | None:
        """Return the scopes of a file; None if it is not in the map or not code."""
        try:
            return self._young[path]
        except KeyError:
            return self._promote_scopes(path)

    def _promote_scopes(self, path: str) -> Scopes | None:
        scopes = self._old.pop(path) if path in self._old else self._decode_scopes(path)
        if len(self._young) >= SCOPES_CACHED_MAX // 2:
            self._young, self._old = {}, self._young
        self._young[path] = scopes
        return scopes

    def _decode_scopes(self, path: str) -> Scopes | None:
        language, data = self._source.load_facts(path)
        return Scopes(path, language, decode_facts(data)) if language else None
