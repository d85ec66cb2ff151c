"""What was read from all files, in a file of its own, so that several processes can follow names at once.

The map cannot serve them: until its transaction ends, nobody else sees what is in it.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NOWHERE = -1
"""The place of a file that has no facts."""


class Shelf:
    """Written by one process, and then read by others: one file after the other, a line before each says what it is."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file

    def add(self, path: str, language: str, facts: bytes, mentions: bytes) -> None:
        """Put down what was read from a file, or that there is one."""
        self._file.write(json.dumps((path, language, len(facts), len(mentions))).encode() + b"\n")
        self._file.write(facts)
        self._file.write(mentions)

    def finish(self) -> None:
        """Let others read what was put down."""
        self._file.flush()


@contextmanager
def shelf(path: Path) -> Iterator[Shelf]:
    """An empty shelf in that file, for as long as it is needed; what an index that was killed left there goes."""
    path.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield Shelf(path, file)
    finally:
        path.unlink(missing_ok=True)


class Shelved:
    """What another process put down. Where it lies is a number for each file, because every process holds them all."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: PTH123, SIM115  (closed by whoever reads)
        self._places = dict(self._contents())

    def _contents(self) -> Iterator[tuple[str, int]]:
        place = 0
        while line := self._file.readline():
            path, language, facts, mentions = json.loads(line)
            yield path, place if language else NOWHERE
            place = self._file.seek(facts + mentions, os.SEEK_CUR)

    @property
    def paths(self) -> Iterable[str]:
        """All files."""
        return self._places.keys()

    def facts(self, path: str) -> tuple[str, bytes]:
        """The language of a file and its facts."""
        language, length, _ = self._found(path)
        return language, self._file.read(length)

    def mentions(self, path: str) -> bytes:
        """What a file mentions."""
        _, before, length = self._found(path)
        self._file.seek(before, os.SEEK_CUR)
        return self._file.read(length)

    def _found(self, path: str) -> tuple[str, int, int]:
        """The language of a file, the length of its facts, which come next, and that of its mentions after them."""
        place = self._places.get(path, NOWHERE)
        if place == NOWHERE:
            return "", 0, 0
        self._file.seek(place)
        _, language, facts, mentions = json.loads(self._file.readline())
        return language, facts, mentions

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
