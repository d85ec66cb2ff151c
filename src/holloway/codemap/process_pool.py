"""Worker processes of an index run: they parse files and resolve names in parallel."""

from __future__ import annotations

import gc
import os
from collections import deque
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from holloway.codemap import file_errors
from holloway.codemap.facts_cache import FactsCache
from holloway.codemap.facts_file import FactsFileReader, FactsFileWriter, create_facts_file
from holloway.codemap.parse import source_files
from holloway.codemap.parse.chunks import clear_word_cache
from holloway.codemap.parse.parse_file import parse_batch
from holloway.codemap.resolve.imports.import_resolver import ImportResolver
from holloway.codemap.resolve.resolver import Resolver
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor

    from holloway.codemap.parse.parse_file import ParsedFile
    from holloway.codemap.resolve.edges import Resolution

    FilesToParse = list[tuple[source_files.ListedFile, bytes]]
    Outcome = tuple[str, Resolution | str]
    """A path and its resolution, or the reason why resolving failed."""

Work = TypeVar("Work")
Done = TypeVar("Done")

SAFE_PATH = "PYTHONSAFEPATH"
BATCH_FILES = 40
BATCHES_AHEAD = 2
"""Batches per process that may be finished before they are written: about 2 MB each."""


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
    except file_errors.FATAL_ERRORS:
        raise
    except Exception as error:
        return file_errors.format_reason("resolving", error)
