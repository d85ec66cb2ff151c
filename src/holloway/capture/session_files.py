"""Session files (an agent's transcript or our journal): each is read once, and given up after several failures."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from filelock import FileLock, Timeout

from holloway.capture import (
    claude_code,
    codex,
    copilot,
    droid,
    gemini,
    hosts,
    journal_reader,
    opencode,
    opencode_storage,
    pi,
    qwen,
)
from holloway.capture.event_filter import EventFilter
from holloway.capture.exclusions import load_exclusions
from holloway.capture.json_lines import parse_time, read_objects
from holloway.config import LEARN_ATTEMPTS_MAX, LOCK_WAIT_S, SESSION_SILENCE_S
from holloway.domain.event import Started
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.observer.observer import Observer
from holloway.store import learned_files, registry
from holloway.store.database import DatabaseBusy
from holloway.store.learned_files import LearnedFile
from holloway.store.pause_state import read_uncaptured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holloway.capture.journal_reader import Journal
    from holloway.capture.opencode_storage import StoredSession
    from holloway.domain.event import Event
    from holloway.observer.scratchpad import Scratchpad
    from holloway.store.store import Store


Lesson = TypeVar("Lesson")
"""The result of learning from a session; the caller defines its type."""
TRANSCRIPT_START_LINES = 50
"""Number of lines searched for the start time of a transcript."""
ROW_IDS_BYTES_MAX = 64 * 1024 * 1024
"""Size of a transcript up to which it is compared with others by the ids of its rows."""
_ROW_ID = re.compile(rb'"uuid": ?"([0-9A-Za-z_-]{1,64})"')
SUBAGENT_DEPTH_MAX = 8
"""Maximum depth of subagents that start subagents."""


class TranscriptReader(Protocol):
    """A module that reads the transcripts of a host, one file for each session."""

    def find_transcripts(self, home: Path, root: Path) -> list[Path]:
        """Return the transcripts of a project."""

    def session_id(self, path: Path) -> str:
        """Return the session id of a transcript."""

    def read_session(self, path: Path, root: Path) -> Iterator[Event]:
        """Return the events of a session."""


READERS: dict[str, TranscriptReader] = {
    hosts.COPILOT: copilot,
    hosts.GEMINI: gemini,
    hosts.QWEN: qwen,
    hosts.PI: pi,
    hosts.DROID: droid,
}
STORING_HOSTS = (hosts.OPENCODE, hosts.KILO)
"""Hosts that keep their sessions in a database."""


class Unlearned(HollowayError):
    """A session file that nothing could be learned from."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """The file of a session: the agent's own transcript, our journal, or both."""

    session: str
    path: Path
    size: int
    modified_at: float
    transcript: Transcript | None = None
    journal: Path | None = None


def from_transcript(transcript: Transcript) -> SessionFile:
    """Return the file of a session that only its transcript records."""
    parts = [part for part in (_measure_part(path, transcript.agent) for path in transcript.parts) if part]
    size = transcript.size + sum(size for size, _ in parts)
    modified_at = max([transcript.modified_at, *(changed_at for _, changed_at in parts)])
    return SessionFile(transcript.session, transcript.path, size, modified_at, transcript)


def _measure_part(path: Path, agent: str) -> tuple[int, float] | None:
    """Return the size of a subagent's session and the time of its last change; None if it no longer exists."""
    if agent in STORING_HOSTS:
        stored = opencode_storage.describe_session(path)
        return (stored.size, stored.modified_at) if stored else None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime


def from_journal(journal: Journal) -> SessionFile | None:
    """Return the file of a session that hooks have watched: its transcript if it has one; None if both are missing."""
    transcript = open_transcript(journal.transcript, journal.agent) if journal.transcript else None
    if transcript is not None:
        return replace(from_transcript(transcript), session=journal.session, journal=journal.path)
    try:
        status = journal.path.stat()
    except OSError:
        return None
    return SessionFile(journal.session, journal.path, status.st_size, status.st_mtime, journal=journal.path)


class SessionFiles(Generic[Lesson]):
    """Reads the session files of one project, and hands each version of a file to `learn` once.

    `transcripts_known` are transcripts that the caller has listed already; one may repeat the beginning of another.
    """

    def __init__(
        self,
        store: Store,
        home: Path,
        learn: Callable[[SessionFile, Scratchpad, bool], Lesson],
        transcripts_known: Iterable[Transcript] = (),
    ) -> None:
        self._store = store
        self._database = store.database
        self._learn_pad = learn
        self._transcripts = {transcript.path: transcript for transcript in transcripts_known}
        self._row_ids: dict[Path, dict[int, None]] = {}
        self._listed_folders: set[Path] = {path.parent for path in self._transcripts}
        self._lock = FileLock(str(store.project.folder / "learning.lock"), mode=0o600)
        self._uncaptured = [*read_uncaptured(home), *read_uncaptured(store.project.folder)]
        folder = str(store.project.folder)
        self._exclusions = load_exclusions(folder)
        if registry.read_hook_settings(folder).get("excluded"):
            self._uncaptured.append((0.0, None))

    def is_done(self, file: SessionFile) -> bool:
        """Return whether this version of a file was learned from, or failed too often."""
        read = learned_files.find_learned_file(self._database, str(file.path))
        return read is not None and _is_same(read, file) and not 0 < read.attempts < LEARN_ATTEMPTS_MAX

    def has_failed(self, file: SessionFile) -> bool:
        """Return whether the last attempt to learn from this version of a file failed."""
        read = learned_files.find_learned_file(self._database, str(file.path))
        return read is not None and _is_same(read, file) and read.attempts > 0

    def learn(self, file: SessionFile, *, settle: bool = True) -> Lesson | None:
        """Learn from a session; None if it was learned from already, or has no action and no note.

        Raises Unlearned for a file that cannot be learned from; any other error is not the fault of the session.
        """
        try:
            with self._lock.acquire(timeout=LOCK_WAIT_S):
                return None if self.is_done(file) else self._learn_once(file, settle=settle)
        except Timeout:
            raise DatabaseBusy("Another process is learning from sessions.", "Try again in a moment.") from None

    def _learn_once(self, file: SessionFile, *, settle: bool) -> Lesson | None:
        before = learned_files.find_learned_file(self._database, str(file.path))
        attempts = before.attempts if before and _is_same(before, file) else 0
        first_at = before.first_at if before else format_stamp(self._store.clock.now())
        read = LearnedFile(str(file.path), file.session, file.size, file.modified_at, first_at)
        # Counted before anything is read, so that a file that crashes the process counts as tried.
        learned_files.save_learned_file(
            self._database, replace(read, attempts=attempts + 1, error="the process ended while reading it")
        )
        try:
            pad = self.read_scratchpad(file, first_at)
            lesson = self._learn_pad(file, pad, settle) if pad.actions or pad.notes else None
        except Exception as error:
            if isinstance(error, HollowayError) and not isinstance(error, InvalidInput):
                self._restore_record(before, read)
                raise
            why = str(error) if isinstance(error, _Unreadable) else type(error).__name__
            learned_files.save_learned_file(self._database, replace(read, attempts=attempts + 1, error=why))
            raise Unlearned(f"{file.path}: {why}.", "`holloway doctor` lists such sessions.") from error
        except BaseException:  # for example Ctrl-C, which is not a failure of the session
            self._restore_record(before, read)
            raise
        learned_files.save_learned_file(self._database, read)
        return lesson

    def _restore_record(self, before: LearnedFile | None, read: LearnedFile) -> None:
        """Restore the record of a file as it was before an attempt that does not count."""
        with suppress(HollowayError):  # the caller raises the first error
            if before is None:
                learned_files.delete_learned_file(self._database, read.path)
            else:
                learned_files.save_learned_file(self._database, before)

    def read_scratchpad(self, file: SessionFile, first_at: str) -> Scratchpad:
        """Return the scratchpad of a session, without entries repeated from another session or from paused times."""
        observer = Observer()
        root = self._store.project.root
        if file.transcript is not None:
            entries_read: set[int] = set()
            for earlier in self._find_earlier(file.transcript, first_at):
                for _ in read_events(earlier, root, entries_read):
                    pass
            self._observe_events(observer, read_events(file.transcript, root, entries_read))
        if not observer.pad.events and file.journal is not None:
            self._observe_events(observer, journal_reader.read_session(file.journal, root))
        if not observer.pad.events and file.size and next(read_objects(file.path), None) is None:
            raise _Unreadable("nothing in it can be read")
        return observer.pad

    def _observe_events(self, observer: Observer, events: Iterator[Event]) -> None:
        admitted_events = map(EventFilter(self._exclusions).admit, events)
        for event in admitted_events:
            if event is not None and (isinstance(event, Started) or not self._is_paused(event.at)):
                observer.observe_event(event)

    def _is_paused(self, at: float) -> bool:
        """Return whether capturing was paused at a time."""
        return any(start <= at and (end is None or at < end) for start, end in self._uncaptured)

    def _find_earlier(self, transcript_read: Transcript, first_at: str) -> list[Transcript]:
        """Return the transcripts whose beginning this one repeats: a resumed session may be written out again."""
        if transcript_read.agent != hosts.CLAUDE_CODE:
            return []
        self._list_folder(transcript_read.path.parent)
        sharing = [
            transcript
            for transcript in self._transcripts.values()
            if transcript.path != transcript_read.path
            and transcript.agent == transcript_read.agent
            and self._shares_rows(transcript_read, transcript)
        ]
        if not sharing:
            return []
        reads = learned_files.load_learned_files(self._database)

        def order(transcript: Transcript) -> tuple[str, float, str]:
            read = reads.get(str(transcript.path))
            first = first_at if transcript.path == transcript_read.path else read.first_at if read else "~"
            return first, transcript.modified_at, str(transcript.path)

        return [other for other in sharing if order(other) < order(transcript_read)]

    def _shares_rows(self, transcript: Transcript, other: Transcript) -> bool:
        """Return whether one of two sessions repeats rows of the other: they start together, or in the midst of it."""
        if transcript.started_at == other.started_at:
            return True
        earlier, later = (transcript, other) if transcript.started_at < other.started_at else (other, transcript)
        if later.started_at > earlier.modified_at:
            return False
        first_id = next(iter(self._list_row_ids(later.path)), None)
        return first_id is not None and first_id in self._list_row_ids(earlier.path)

    def _list_row_ids(self, path: Path) -> dict[int, None]:
        """Return the hashed ids of the rows of a transcript, in their order; each file is read once."""
        if path not in self._row_ids:
            with suppress(OSError):
                ids = _ROW_ID.findall(path.read_bytes()) if path.stat().st_size <= ROW_IDS_BYTES_MAX else []
                self._row_ids[path] = dict.fromkeys(map(hash, ids))
        return self._row_ids.setdefault(path, {})

    def _list_folder(self, folder: Path) -> None:
        """List the transcripts of a folder, once."""
        if folder in self._listed_folders:
            return
        self._listed_folders.add(folder)
        for path in sorted(folder.glob("*.jsonl")):
            if path not in self._transcripts and not path.name.startswith("agent-"):
                transcript = open_transcript(path, hosts.CLAUDE_CODE)
                if transcript is not None:
                    self._transcripts[path] = transcript


class _Unreadable(Exception):
    """A file without a readable line."""


def _is_same(read: LearnedFile, file: SessionFile) -> bool:
    return (read.size, read.modified_at) == (file.size, file.modified_at)


def list_running(store: Store) -> list[Journal]:
    """Return the journals of the sessions that hooks are watching and that are not over."""
    journals = journal_reader.list_journals(store.project.journal_folder)
    over = list_ended(journals, store.clock.now().timestamp(), SESSION_SILENCE_S)
    return [journal for journal in journals if journal not in over]


def list_ended(journals: Sequence[Journal], now: float, silence_s: float) -> list[Journal]:
    """Return the journals whose sessions are over: the host said so, or they were silent for that long."""
    return [journal for journal in journals if journal.ended or now - last_event_at(journal) > silence_s]


def last_event_at(journal: Journal) -> float:
    """Return when a session last wrote to its journal or to its transcript."""
    with suppress(OSError):
        if journal.transcript is not None:
            return max(journal.modified_at, journal.transcript.stat().st_mtime)
    return journal.modified_at


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session on disk; `parts` are files of its subagents whose names do not refer to it."""

    agent: str
    path: Path
    session: str
    started_at: float
    size: int
    modified_at: float
    parts: tuple[Path, ...] = ()


def find_transcripts(root: Path, home: Path | None = None) -> list[Transcript]:
    """Return the transcripts of a project from all supported agents, oldest first."""
    person = home or Path.home()
    listed = [_describe_file(hosts.CLAUDE_CODE, path, path.stem) for path in claude_code.find_transcripts(person, root)]
    listed += [
        open_transcript(path, agent)
        for agent, reader in READERS.items()
        if agent != hosts.DROID
        for path in reader.find_transcripts(person, root)
    ]
    existing = [transcript for transcript in listed if transcript]
    existing += _group_subagents(_list_rollouts(person, root))
    existing += _group_subagents(_list_droid_sessions(person, root))
    for agent in STORING_HOSTS:
        sessions = opencode.find_sessions(person, root, agent)
        existing += _group_subagents([(_from_stored(stored, agent), stored.parent) for stored in sessions])
    return sorted(existing, key=lambda transcript: (transcript.started_at, str(transcript.path)))


def read_events(transcript: Transcript, root: Path, seen_entries: set[int] | None = None) -> Iterator[Event]:
    """Return the events of a session; entries that are already in `seen_entries` are left out."""
    if transcript.agent == hosts.CLAUDE_CODE:
        return claude_code.read_session(transcript.path, root, seen_entries)
    if transcript.agent in STORING_HOSTS:
        return opencode.read_session(transcript.path, root, transcript.parts, transcript.agent)
    read_session = READERS[transcript.agent].read_session if transcript.agent in READERS else codex.read_session
    streams = [read_session(path, root) for path in (transcript.path, *transcript.parts)]
    return heapq.merge(*streams, key=lambda event: event.at)


def open_transcript(path: Path, agent: str) -> Transcript | None:
    """Return the transcript in a file that this agent wrote; None if it does not exist or cannot be read."""
    if agent in STORING_HOSTS:
        stored = opencode_storage.describe_session(path)
        return _from_stored(stored, agent) if stored else None
    if agent == hosts.CLAUDE_CODE:
        return _describe_file(agent, path, path.stem)
    if agent in READERS:
        return _describe_file(agent, path, READERS[agent].session_id(path))
    return (
        _describe_file(agent, path, codex.session_id(codex.read_metadata(path), path)) if agent == hosts.CODEX else None
    )


def _from_stored(stored: StoredSession, agent: str) -> Transcript:
    return Transcript(agent, stored.path, stored.session, stored.started_at, stored.size, stored.modified_at)


def _list_rollouts(person: Path, root: Path) -> list[tuple[Transcript, str]]:
    """Return the rollouts of a project, each with the id of the session that started it as a subagent."""
    rollouts = []
    for path in codex.find_rollouts(person, root):
        metadata = codex.read_metadata(path)
        if transcript := _describe_file(hosts.CODEX, path, codex.session_id(metadata, path)):
            rollouts.append((transcript, codex.parent_session(metadata)))
    return rollouts


def _list_droid_sessions(person: Path, root: Path) -> list[tuple[Transcript, str]]:
    """Return the sessions of Droid in a project, each with the id of the session that started it as a subagent."""
    listed = [(open_transcript(path, hosts.DROID), path) for path in droid.find_transcripts(person, root)]
    return [(transcript, droid.calling_session(path)) for transcript, path in listed if transcript]


def _group_subagents(listed: list[tuple[Transcript, str]]) -> list[Transcript]:
    """Return the sessions of people: a subagent's session is a part of the one that started it, if that exists.

    Each transcript comes with the id of the session that started it, or an empty one.
    """
    owners = {transcript.session: (transcript, parent) for transcript, parent in listed}
    parts: dict[Path, list[Path]] = {}
    sessions: dict[Path, Transcript] = {}
    for transcript, parent in listed:
        owner, above = transcript, parent
        for _ in range(SUBAGENT_DEPTH_MAX):
            owner, above = owners.get(above, (owner, ""))
        sessions[owner.path] = owner
        parts.setdefault(owner.path, []).append(transcript.path)
    return [
        replace(session, parts=tuple(part for part in parts[path] if part != path))
        for path, session in sessions.items()
    ]


def _describe_file(agent: str, path: Path, session: str) -> Transcript | None:
    try:
        about = path.stat()
    except OSError:
        return None
    rows = gemini.read_rows(path) if agent == hosts.GEMINI else read_objects(path)
    stamps = (row.get("timestamp", row.get("startTime")) for row in islice(rows, TRANSCRIPT_START_LINES))
    times = (parse_time(stamp, 0.0) for stamp in stamps)
    started = next((time for time in times if time), about.st_mtime)
    return Transcript(agent, path, session, started, about.st_size, about.st_mtime)
