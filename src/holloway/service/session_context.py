"""The reader of injections of a session in process, and the memories that its messages already cite."""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import get_ident, local
from typing import TYPE_CHECKING

from holloway.config import POINT_WAIT_MS
from holloway.domain.ports import format_stamp
from holloway.injection.reader import Reader
from holloway.text.tokens import cited_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from holloway.injection.reader import StoreView
    from holloway.service.open_project import OpenProject

AGENT_MESSAGE_CHARS_MAX = 50_000
MESSAGES_READ_MAX = 50


class SessionReader(Reader):
    """The reader of one session, also from threads of its framework: a connection belongs to the thread that opened it.

    The thread that began the session keeps its connection open; other threads open one for each injection.
    """

    def __init__(self, memory: OpenProject, session: str, agent: str) -> None:
        folder, root = str(memory.project.folder), str(memory.project.root)
        super().__init__(session=session, agent=agent, folder=folder, root=root, now="", wait_ms=POINT_WAIT_MS)
        self._memory = memory
        self._visitor = local()
        self._pause_files = [str(path / "paused") for path in (memory.home, memory.project.folder)]
        self._thread = get_ident()
        self._connection: sqlite3.Connection | None = None
        memory.at_close(self.close)

    @property
    def memory(self) -> OpenProject:
        """The memory, opened for the calling thread."""
        visited: OpenProject = getattr(self._visitor, "memory", self._memory)
        return visited

    @contextmanager
    def visit(self) -> Iterator[None]:
        """Open the full memory for the calling thread, for the duration of the context."""
        if hasattr(self._visitor, "memory"):
            yield
            return
        with self._memory.here() as self._visitor.memory:
            try:
                yield
            finally:
                del self._visitor.memory

    def is_paused(self, part: str) -> bool:
        """Tell whether `capture` or `injection` is paused now; cheap, because every event checks it."""
        return any(map(os.path.exists, self._pause_files)) and self.memory.paused(part)

    def now(self) -> str:
        """Return the time by the memory's clock."""
        return format_stamp(self._memory.clock.now())

    def open(self, *, is_asked: bool = False) -> StoreView | None:
        """Open the store for one injection; None without a store or while injection is paused."""
        return None if self.is_paused("injection") else super().open(is_asked=is_asked)

    def connect(self) -> sqlite3.Connection | None:
        """Return the connection of this thread."""
        if get_ident() != self._thread:
            return super().connect()
        self._connection = self._connection or super().connect()
        return self._connection

    def release(self, connection: sqlite3.Connection) -> None:
        """Close a connection, unless the session keeps it."""
        if connection is not self._connection:
            connection.close()

    def close(self) -> None:
        """Close the kept connection; a later injection opens it again."""
        if self._connection is not None and get_ident() == self._thread:
            self._connection.close()
            self._connection = None


class CitedMessages:
    """Follows the messages of an agent, reading each once, and collects the ids of the memories that they cite."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self._count = 0

    def read(self, messages: Sequence[object]) -> None:
        """Read the new messages; fewer messages than before mean that the host compacted them."""
        if len(messages) < self._count:
            self.forget()
        for message in messages[self._count :][-MESSAGES_READ_MAX:]:
            self.ids |= set(cited_in(str(message)[:AGENT_MESSAGE_CHARS_MAX]))
        self._count = len(messages)

    def forget(self) -> None:
        """Forget all citations, because the agent's context was compacted."""
        self.ids.clear()
        self._count = 0
