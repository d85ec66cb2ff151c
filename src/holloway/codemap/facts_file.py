"""Temporary file with the facts of all files, shared by the worker processes that resolve names in parallel.

The map cannot serve them: its rows are invisible to other processes until its transaction ends.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NO_OFFSET = -1
"""Offset of a file that has no facts."""


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
