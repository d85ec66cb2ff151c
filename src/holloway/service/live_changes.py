"""Changes of a project as they happen, for pages that update themselves: polled, and cheap while nothing is new."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from holloway.service import background_worker
from holloway.store import registry
from holloway.store.change_state import StateReader
from holloway.store.told_log import TOLD_LOG_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.service.holloway import Holloway
    from holloway.store.change_state import StoreState


class ChangeKind(StrEnum):
    """The kinds of changes in a project."""

    MEMORIES = "memories"
    SESSION_STARTED = "session_started"
    SESSION_ENDED = "session_ended"
    """A session was learned from, for the first time or again."""
    TOLD = "told"
    PROPOSALS = "proposals"
    WORKER_STARTED = "worker_started"
    WORKER_DONE = "worker_done"
    PAUSE = "pause"


@dataclass(frozen=True, slots=True)
class LiveChange:
    """One change; `subject` is the session, if it is about one."""

    kind: ChangeKind
    subject: str = ""


class ChangeWatcher:
    """Tells what changed since the last look. Any thread may poll it, one at a time; close it afterwards.

    A poll without a change reads one number from the database and the times of a few files.
    """

    def __init__(self, memory: Holloway) -> None:
        self._folder = memory.project.folder
        self._home, self._key = str(memory.home), memory.project.key
        self._reader = StateReader(memory.project.database_path)
        self._version = self._reader.read_version()
        self._state = self._reader.read_state()
        self._log = self._read_log()
        self._paused = self._read_pause()
        self._worker = self._read_worker()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the database."""
        self._reader.close()

    def poll(self) -> tuple[LiveChange, ...]:
        """Return what changed since the last call, or since the watcher was made; empty if nothing did."""
        return (*self._poll_store(), *self._poll_files(), *self._poll_worker())

    def _poll_store(self) -> list[LiveChange]:
        version = self._reader.read_version()
        if version == self._version:
            return []
        before, self._state = self._state, self._reader.read_state()
        self._version = version
        return list(_compare_states(before, self._state))

    def _poll_files(self) -> list[LiveChange]:
        log, paused = self._read_log(), self._read_pause()
        # The log is deleted when the database takes it over, which is no news.
        changes = [LiveChange(ChangeKind.TOLD)] if log is not None and log != self._log else []
        changes += [LiveChange(ChangeKind.PAUSE)] if paused != self._paused else []
        self._log, self._paused = log, paused
        return changes

    def _poll_worker(self) -> list[LiveChange]:
        before, self._worker = self._worker, self._read_worker()
        if before == self._worker:
            return []
        started, ended = self._worker
        return [LiveChange(ChangeKind.WORKER_DONE if ended else ChangeKind.WORKER_STARTED)] if started else []

    def _read_log(self) -> tuple[int, int] | None:
        """Return time and size of the log of told texts; None without one."""
        try:
            about = (self._folder / TOLD_LOG_NAME).stat()
        except OSError:
            return None
        return about.st_mtime_ns, about.st_size

    def _read_pause(self) -> str:
        return registry.get_paused_mode(self._home, self._key)

    def _read_worker(self) -> tuple[str, str]:
        state = background_worker.read_state(str(self._folder))
        return str(state.get("started") or ""), str(state.get("ended") or "")


def _compare_states(before: StoreState, after: StoreState) -> Iterator[LiveChange]:
    if before.memories != after.memories:
        yield LiveChange(ChangeKind.MEMORIES)
    if before.told != after.told:
        yield LiveChange(ChangeKind.TOLD)
    if before.proposals != after.proposals:
        yield LiveChange(ChangeKind.PROPOSALS)
    for session, state in after.sessions.items():
        if session not in before.sessions:
            yield LiveChange(ChangeKind.SESSION_STARTED, session)
        if state[0] and before.sessions.get(session) != state:
            yield LiveChange(ChangeKind.SESSION_ENDED, session)
