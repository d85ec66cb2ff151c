"""How much of the files of memories changed between their commit and any later one, asked of one git for all."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import machine

if TYPE_CHECKING:
    from holloway.domain.memory import Memory, Sketch


class Content(NamedTuple):
    """A file at a commit: the hash of its content, and how often it has each line."""

    hash: bytes
    lines: Counter[bytes]


class Rewritten:
    """The files of a repository as they were at its commits, compared line by line without regard to order.

    The service asks git about twenty commits a question and keeps the answers while HEAD stands. Here HEAD moves with
    every question, so all that are asked for are answered.
    """

    def __init__(self, repository: Path) -> None:
        command = ["git", "-C", os.fspath(repository), "cat-file", "--batch"]
        self._git = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=machine.environment(), bufsize=1 << 16
        )
        self._content = lru_cache(maxsize=4_000)(self._read)
        self._known: dict[tuple[bytes, bytes], float] = {}

    def shares(self, memories: Sequence[Memory | Sketch], now: str) -> Mapping[str, Mapping[str, float]]:
        """By the memory's id and path, what of the file at `now` is not as it was; 1 where it is gone."""
        return {
            memory.id: {path: self._share(memory.commit, now, path) for path in memory.files} for memory in memories
        }

    def _share(self, then: str, now: str, path: str) -> float:
        before, after = self._content(then, path), self._content(now, path)
        if before is None or after is None:
            return 1.0
        key = (before.hash, after.hash)
        if key not in self._known:
            longer = max(before.lines.total(), after.lines.total(), 1)
            self._known[key] = 1.0 - (before.lines & after.lines).total() / longer if key[0] != key[1] else 0.0
        return self._known[key]

    def _read(self, commit: str, path: str) -> Content | None:
        assert self._git.stdin is not None
        assert self._git.stdout is not None
        self._git.stdin.write(f"{commit}:{path}\n".encode())
        self._git.stdin.flush()
        about = self._git.stdout.readline().split()
        if about[-1] == b"missing":
            return None
        content = self._git.stdout.read(int(about[-1]) + 1)
        return Content(about[0], Counter(content[:-1].splitlines())) if about[-2] == b"blob" else None

    def close(self) -> None:
        """Let git go."""
        self._git.communicate()
