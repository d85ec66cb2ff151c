"""The agent that an injection is written for, and the store as that agent may see it. Light: hooks load this."""

from __future__ import annotations

import os

from holloway import git
from holloway.config import trust_override

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from holloway.store.lookup import Viewer


class Reader:
    """One session of an agent, or one subagent of it, in one project. A plain class, as hooks need.

    `session` is its name in the ledger, `folder` the project's data folder, `wait_ms` the longest wait for a lock.
    """

    def __init__(self, *, session: str, agent: str, folder: str, root: str, now: str, wait_ms: int) -> None:
        self.session = session
        self.agent = agent
        self.folder = folder
        self.root = root
        self.wait_ms = wait_ms
        self.missing: list[str] = []
        """Ids of memories that were withheld because a file or code that they name does not exist."""
        self.phase = ""
        """The phase of the work, if its host or caller names one: the types that it needs come first."""
        self._now = now

    def now(self) -> str:
        """Return the time of the event."""
        return self._now

    def open(self, *, is_asked: bool = False) -> StoreView | None:
        """Open the store for one injection; None without a store. `is_asked`: somebody asked for the memories."""
        connection = self.connect()
        if connection is None:
            return None
        try:
            return StoreView(self, connection, is_asked=is_asked)
        except BaseException:
            self.release(connection)
            raise

    def connect(self) -> sqlite3.Connection | None:
        """Return a connection to the store."""
        from holloway.store import lookup  # loads sqlite3, which an event without a lookup does not need

        return lookup.open_store(os.path.join(self.folder, "memory.db"), self.wait_ms)

    def release(self, connection: sqlite3.Connection) -> None:
        """Close a connection that `connect` returned."""
        connection.close()

    def forget_shown(self) -> None:
        """Begin a new context after a compaction: every memory may be shown again."""
        if view := self.open():
            with view:
                view.begin_context()


class StoreView:
    """An open store as one reader sees it. Use it as a context manager."""

    __slots__ = ("_is_asked", "_viewer", "connection", "phase", "reader")

    def __init__(self, reader: Reader, connection: sqlite3.Connection, *, is_asked: bool) -> None:
        self.reader = reader
        self.connection = connection
        self.phase = reader.phase
        """The phase of the work at this point: the reader's, or what its last event shows."""
        self._is_asked = is_asked
        self._viewer: Viewer | None = None

    def __enter__(self) -> StoreView:
        return self

    def __exit__(self, *error: object) -> None:
        self.reader.release(self.connection)

    @property
    def viewer(self) -> Viewer:
        """The session, branch and trust level that decide which memories may be shown."""
        if self._viewer is None:
            from holloway.store import lookup  # loaded with the store

            self._viewer = lookup.Viewer(
                session=self.reader.session,
                context=lookup.read_context(self.connection, self.reader.session),
                branch=git.current_branch(self.reader.root),
                now=self.reader.now(),
                level=trust_override() or lookup.read_trust_level(self.connection),
                is_asked=self._is_asked,
                agent=self.reader.agent,
            )
        return self._viewer

    def in_store(self, connection: sqlite3.Connection) -> StoreView:
        """Return a view of another open store for the same reader."""
        view = StoreView(self.reader, connection, is_asked=self._is_asked)
        view.phase = self.phase
        return view

    def claim(self, ids: list[str], point: str) -> list[str]:
        """Record memories as injected, so that none comes twice; returns those that no parallel process claimed."""
        return self._record(ids, point) if ids else []

    def begin_context(self, ids: list[str] | None = None, point: str = "") -> None:
        """Record that the host compacted the context, and what is shown at the start of the new one."""
        self._record(ids or [], point, compacted=True)

    def open_session(self, ids: list[str], point: str) -> None:
        """Record that the session started, and what it is shown."""
        self._record(ids, point)

    def _record(self, ids: list[str], point: str, *, compacted: bool = False) -> list[str]:
        from holloway.store import lookup  # loaded with the store

        session, agent, now = self.reader.session, self.reader.agent, self.reader.now()
        return lookup.claim_injections(
            self.connection, ids, session=session, agent=agent, point=point, now=now, compacted=compacted
        )
