"""The work of an index that processes of its own share: reading files, and following names from file to file."""

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
from holloway.codemap.facts_cache import FactsRead
from holloway.codemap.facts_file import Shelf, Shelved, shelf
from holloway.codemap.parse import source_files
from holloway.codemap.parse.chunks import forget_words
from holloway.codemap.parse.parse_file import read_many
from holloway.codemap.resolve.imports.import_resolver import Importer
from holloway.codemap.resolve.resolver import Resolver
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor

    from holloway.codemap.parse.parse_file import ReadFile
    from holloway.codemap.resolve.edges import Resolution

    Wanted = list[tuple[source_files.Listed, bytes]]
    Outcome = tuple[str, Resolution | str]
    """A file and what its names mean, or why that is not known."""

Work = TypeVar("Work")
Done = TypeVar("Done")

SAFE_PATH = "PYTHONSAFEPATH"
BATCH_FILES = 40
BATCHES_AHEAD = 2
"""Batches per process that are done before they can be written: about 2 MB each."""


class Processes:
    """Processes that read files, and where all are read at once follow their names too."""

    def __init__(self, pool: ProcessPoolExecutor, count: int, root: Path, shelf: Shelf) -> None:
        self._pool = pool
        self._ahead = count * BATCHES_AHEAD
        self._root = str(root)
        self.shelf = shelf

    def read(self, wanted: Wanted) -> Iterator[ReadFile]:
        """Read these files, in their order; the list is used up."""
        return self._in_turns(wanted, lambda batch: self._pool.submit(read_many, self._root, batch))

    def resolve(self, paths: list[str]) -> Iterator[Outcome]:
        """Follow the names of these files; the facts of all are on the shelf. The list is used up."""
        self.shelf.finish()
        place = str(self.shelf.path)
        return self._in_turns(paths, lambda batch: self._pool.submit(_resolve_many, place, self._root, batch))

    def _in_turns(self, work: list[Work], submit: Callable[[list[Work]], Future[list[Done]]]) -> Iterator[Done]:
        """What is done comes in its order, and no more is done ahead than memory may hold."""
        batches = _batches(work)
        ahead = deque(submit(batch) for batch in islice(batches, self._ahead))
        while ahead:
            done = ahead.popleft().result()
            ahead.extend(submit(batch) for batch in islice(batches, 1))
            yield from done


def _batches(work: list[Work]) -> Iterator[list[Work]]:
    """The work in its order, what is handed out being held no longer."""
    work.reverse()
    while work:
        batch = work[-BATCH_FILES:]
        del work[-BATCH_FILES:]
        yield batch[::-1]


@contextmanager
def started(count: int, root: Path, place: Path) -> Iterator[Processes]:
    """So many processes, for as long as they are needed; what they share lies in that place."""
    # Few files need no other process, and whoever waits for those should not wait for this.
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
    from multiprocessing import get_context

    try:
        with (
            shelf(place) as shared,
            _safe_path(),
            ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=gc.disable) as pool,
        ):
            yield Processes(pool, count, root, shared)
    except BrokenExecutor as error:
        raise HollowayError(
            f"A process that read files of {root} ended before it was done.",
            "Nothing was written. Where memory is short, `holloway index --workers 1` needs least.",
        ) from error


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let processes that start meanwhile import nothing from the current folder, which may be a stranger's project.

    Python starts each with `-c`, which puts that folder first; what this process imports from is told to them later.
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


def _resolve_many(place: str, root: str, paths: list[str]) -> list[Outcome]:
    resolver = _resolver(place, root)
    return [(path, _plain(outcome(resolver, path))) for path in paths]


def _plain(found: Resolution | str) -> Resolution | str:
    """The same with edges that are sent in half the time."""
    return found if isinstance(found, str) else found._replace(edges=[edge[:] for edge in found.edges])


@cache
def _resolver(place: str, root: str) -> Resolver:
    forget_words()
    shelved = Shelved(place)
    read = FactsRead(shelved)
    return Resolver(Importer(shelved.paths, partial(source_files.manifest, Path(root))), read.scopes, read.mentions)


def outcome(resolver: Resolver, path: str) -> Resolution | str:
    """What a file's names mean, or why that is not known."""
    try:
        return resolver.resolve(path)
    except file_errors.NOT_OURS:
        raise
    except Exception as error:
        return file_errors.reason("resolving", error)
