"""Notes that an agent records through a tool, kept on disk until its session is over.

The same note may arrive twice: at the server that the agent calls, and at the hooks that watch the call. The watched
session is the better source, because it knows what the agent had read before and how its work ended. So hooks and
transcripts turn the call itself into a record of the host's session, and the server keeps a copy only for hosts
without hooks: when it ends, it drops the notes that a watched session also has; the others wait for a person's review.
"""

from __future__ import annotations

import secrets
from threading import Lock
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from holloway.capture import journal_reader
from holloway.config import RECORDS_PER_SESSION_MAX
from holloway.domain import memory_json
from holloway.domain.event import Ended
from holloway.domain.memory import Draft, MemoryType, Source
from holloway.errors import InvalidInput
from holloway.observer.observer import detect_signals
from holloway.observer.signals.signal import SignalName
from holloway.promotion.candidate import build_sighting_key
from holloway.service.session import Session, checkpoint_file
from holloway.service.session_learning import Learning, moment_of
from holloway.store import observations, session_ledger
from holloway.store.write_gate import sanitize_draft
from holloway.text.fingerprint import fingerprint_text
from holloway.text.sanitize import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway
    from holloway.service.session_learning import Learned

PREFIX = "mcp-"
SHELL_NOTES = "shell-"
UNSEEN = "an agent that was not watched"


def record_once(memory: Holloway, text: str, *, kind: MemoryType, files: Sequence[str]) -> tuple[str, ...]:
    """Keep one note of an agent that uses the shell; returns the secrets that were redacted.

    The worker decides on it later, like on the notes of a server that was killed: hooks may have seen the same note.
    Raises InvalidInput if too many notes wait.
    """
    waiting = list(memory.project.checkpoints_folder.glob(f"{PREFIX}{SHELL_NOTES}*.json"))
    if len(waiting) >= RECORDS_PER_SESSION_MAX:
        raise InvalidInput(f"{len(waiting)} notes wait to be looked at.", "Keep to what the next session needs.")
    recording = Recording(f"{PREFIX}{SHELL_NOTES}{secrets.token_hex(6)}")
    try:
        return recording.record(memory, text, kind=kind, files=files, agent="shell")[1]
    finally:
        recording.release()


class Recording:
    """Records of one connection. Calls may come from several threads."""

    def __init__(self, session: str) -> None:
        self.session = session
        self._guard = Lock()
        self._held: FileLock | None = None

    def record(
        self,
        memory: Holloway,
        text: str,
        *,
        kind: MemoryType,
        files: Sequence[str] = (),
        agent: str = "",
        details: Mapping[str, object] | None = None,
        tags: Sequence[str] = (),
    ) -> tuple[int, tuple[str, ...]]:
        """Keep a sentence until the session ends; returns how many are kept now, and the secrets that were redacted."""
        fields = memory_json.merge_record_details({"details": dict(details or {})})
        own_fields, relations = memory_json.split_record_relations(fields)
        typed = memory_json.parse_details(kind, own_fields)
        draft = Draft(text, kind, details=typed, files=tuple(files), tags=tuple(tags), source=Source.AGENT_EXPLICIT)
        admitted = sanitize_draft(draft, str(memory.project.root))
        with self._guard:
            self._hold(memory)
            session = Session(memory.opened, self.session, agent=agent)
            if _records(session.pad) >= RECORDS_PER_SESSION_MAX:
                message = f"This session has asked for {RECORDS_PER_SESSION_MAX} things to be remembered."
                raise InvalidInput(message, "Keep to what the next session needs.")
            session.record(
                admitted.draft.content,
                type=str(kind),
                files=admitted.draft.files,
                details=memory_json.details_json(admitted.draft.details or {}) | memory_json.group_relations(relations),
                tags=admitted.draft.tags,
            )
            session.checkpoint()
            return _records(session.pad), admitted.redacted

    def count(self, memory: Holloway) -> int:
        """Return how many notes this session has recorded."""
        file = checkpoint_file(memory.project, self.session)
        return _records(Session(memory.opened, self.session).pad) if file.exists() else 0

    def finish(self, memory: Holloway) -> Learned | None:
        """End the session: learn from the notes that no watched session has, and delete its files."""
        with self._guard:
            learned = _settle(memory, self.session)
            self._release()
            return learned

    def release(self) -> None:
        """Leave the notes to the worker."""
        with self._guard:
            self._release()

    def _hold(self, memory: Holloway) -> None:
        """Show other processes that this session is alive, by a lock that is released when the process ends."""
        if self._held is None:
            folder = memory.project.checkpoints_folder
            folder.mkdir(mode=0o700, exist_ok=True)
            self._held = _lock(folder, self.session)
            self._held.acquire(timeout=0)

    def _release(self) -> None:
        if self._held is not None:
            _let_go(self._held)
            self._held = None


def finish_left(memory: Holloway) -> int:
    """Learn from connections whose process was killed; returns how many there were."""
    folder = memory.project.checkpoints_folder
    left = 0
    for file in sorted(folder.glob(f"{PREFIX}*.json")):
        lock = _lock(folder, file.stem)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        try:
            _settle(memory, file.stem)
            left += 1
        finally:
            _let_go(lock)
    return left


def _settle(memory: Holloway, name: str) -> Learned | None:
    file = checkpoint_file(memory.project, name)
    if not file.exists():
        return None
    pad = Session(memory.opened, name).pad
    recorded_elsewhere = _told_elsewhere(memory, pad, name)
    pad.notes = [note for note in pad.notes if fingerprint_text(note.text, "") not in recorded_elsewhere]
    learned = None
    if _records(pad):
        pad.add_event(Ended(pad.last_at, "finished"))
        learned = Learning(memory.opened).learn(pad, unseen=UNSEEN)
    file.unlink(missing_ok=True)
    return learned


def _told_elsewhere(memory: Holloway, pad: Scratchpad, name: str) -> set[str]:
    """Return the fingerprints of notes that a watched session of the same time also has, in its journal or learned."""
    fingerprints = {
        fingerprint_text(clean_text(note), "") for note in journal_reader.recorded_notes(memory.project.journal_folder)
    }
    database = memory.store.database
    began = moment_of(pad.start.at if pad.start else pad.last_at)
    for signal in detect_signals(pad):
        if signal.name is SignalName.AGENT_RECORD:
            (other_sessions,) = observations.list_sessions_with_signals(
                database, [(signal.name, build_sighting_key(signal))], name
            )
            if any(
                session.last_event_at >= began
                for other in other_sessions
                for session in session_ledger.find_sessions(database, other)
            ):
                fingerprints.add(fingerprint_text(str(signal.facts["text"]), ""))
    return fingerprints


def _records(pad: Scratchpad) -> int:
    return pad.count_notes("record")


def _lock(folder: Path, name: str) -> FileLock:
    # The thread that finishes may differ from the one that recorded first.
    return FileLock(str(folder / f"{name}.lock"), mode=0o600, thread_local=False)


def _let_go(lock: FileLock) -> None:
    from pathlib import Path  # the lock stores its path as a string

    lock.release()
    Path(lock.lock_file).unlink(missing_ok=True)
