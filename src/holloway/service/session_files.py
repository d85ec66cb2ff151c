"""One session's file, learned from once: what was read is remembered, what fails is counted and then left alone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from holloway.capture import claude_code, journal_reader, transcripts
from holloway.capture.json_lines import objects
from holloway.config import LEARN_ATTEMPTS_MAX, SESSION_SILENCE_S
from holloway.domain.event import Started
from holloway.domain.ports import stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.observer.observer import Observer
from holloway.proof.session_facts import FULL, Answer, Before
from holloway.safety.paths import safe_name
from holloway.service.pause_state import uncaptured
from holloway.service.session_learning import Learning
from holloway.store import answer_log, learned_files
from holloway.store.database import Busy
from holloway.store.learned_files import Read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holloway.capture.journal_reader import Journal
    from holloway.capture.transcripts import Transcript
    from holloway.domain.event import Event
    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway
    from holloway.service.session_learning import Learned

LOCK_WAIT_S = 120


class Unlearned(HollowayError):
    """A session's file that nothing could be learned from."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a session is told: in the agent's own transcript, in our journal, or in both."""

    session: str
    path: Path
    size: int
    modified_at: float
    transcript: Transcript | None = None
    journal: Path | None = None


def of_transcript(found: Transcript) -> Source:
    """A session by its transcript alone."""
    parts = [part.stat() for part in found.parts if part.exists()]
    size = found.size + sum(part.st_size for part in parts)
    modified = max([found.modified_at, *(part.st_mtime for part in parts)])
    return Source(found.session, found.path, size, modified, found)


def of_journal(found: Journal) -> Source | None:
    """A session that hooks have watched, by its transcript where there is one; nothing where the journal is gone."""
    told = transcripts.at(found.transcript, found.agent) if found.transcript else None
    if told is not None:
        return replace(of_transcript(told), session=found.session, journal=found.path)
    try:
        about = found.path.stat()
    except OSError:
        return None
    return Source(found.session, found.path, about.st_size, about.st_mtime, journal=found.path)


class Sources:
    """Learns from sessions' files for one project, each as it is once."""

    def __init__(self, memory: Holloway, beside: Iterable[Transcript] = ()) -> None:
        """`beside` are transcripts that are known already; one of them may tell the beginning of another."""
        self._memory = memory
        self._database = memory.store.database
        self._learning = Learning(memory)
        self._beside = {each.path: each for each in beside}
        self._folders: set[Path] = {each.path.parent for each in self._beside.values()}
        self._lock = FileLock(str(memory.project.folder / "learning.lock"), mode=0o600)
        self._silent = [*uncaptured(memory.home), *uncaptured(memory.project.folder)]

    def is_done(self, source: Source) -> bool:
        """Whether nothing is to be expected of a file as it is: it was learned from, or failed too often."""
        known = learned_files.of(self._database, str(source.path))
        return known is not None and _same(known, source) and not 0 < known.attempts < LEARN_ATTEMPTS_MAX

    def failed(self, source: Source) -> bool:
        """Whether the last try to learn from a file came to nothing."""
        known = learned_files.of(self._database, str(source.path))
        return known is not None and _same(known, source) and known.attempts > 0

    def learn(self, source: Source, *, settle: bool = True) -> Learned | None:
        """Learn from a session; nothing comes of one that was learned from already, or in which nobody did anything.

        A file that cannot be learned from raises Unlearned; any other error is not the session's fault.
        """
        try:
            with self._lock.acquire(timeout=LOCK_WAIT_S):
                return None if self.is_done(source) else self._learn(source, settle=settle)
        except Timeout:
            raise Busy("Another process is learning from sessions.", "Try again in a moment.") from None

    def _learn(self, source: Source, *, settle: bool) -> Learned | None:
        before = learned_files.of(self._database, str(source.path))
        attempts = before.attempts if before and _same(before, source) else 0
        first_at = before.first_at if before else stamp(self._memory.clock.now())
        kept = Read(str(source.path), source.session, source.size, source.modified_at, first_at)
        # Counted before anything is read: a file that takes the whole process with it has been tried too.
        learned_files.note(
            self._database, replace(kept, attempts=attempts + 1, error="the process ended while reading it")
        )
        try:
            pad = self._pad(source, first_at)
            learned = self._learned(source, pad, settle=settle) if pad.actions or pad.notes else None
        except Exception as error:
            if isinstance(error, HollowayError) and not isinstance(error, InvalidInput):
                self._restore(before, kept)
                raise
            why = str(error) if isinstance(error, _Unreadable) else type(error).__name__
            learned_files.note(self._database, replace(kept, attempts=attempts + 1, error=why))
            raise Unlearned(f"{source.path}: {why}.", "`holloway doctor` lists such sessions.") from error
        except BaseException:  # the person pressed Ctrl-C; that is no failure of the session
            self._restore(before, kept)
            raise
        learned_files.note(self._database, kept)
        return learned

    def _learned(self, source: Source, pad: Scratchpad, *, settle: bool) -> Learned:
        watched = source.journal or self._memory.project.journal / f"{safe_name(source.session)}.jsonl"
        is_resumed, resumed_at = journal_reader.resumed(watched)
        before = Before(
            group=FULL if watched.exists() else None,
            located=journal_reader.located(watched),
            resumed=is_resumed,
            resumed_at=resumed_at,
            answers=self._answers(source.session) if watched.exists() else None,
        )
        return self._learning.learn(pad, settle=settle, before=before)

    def _answers(self, session: str) -> tuple[Answer, ...]:
        """What became of the answers that hooks owed a session."""
        owed = answer_log.read(str(self._memory.project.folder), session=session)
        return tuple(Answer(answer.point, answer.outcome, answer.step, answer.milliseconds) for answer in owed)

    def _restore(self, before: Read | None, kept: Read) -> None:
        with suppress(HollowayError):  # what went wrong is about to be told
            if before is None:
                learned_files.drop(self._database, kept.path)
            else:
                learned_files.note(self._database, before)

    def _pad(self, source: Source, first_at: str) -> Scratchpad:
        """What a session did, without what it repeats of another and what nobody was to see."""
        observer = Observer()
        root = self._memory.project.root
        if source.transcript is not None:
            seen: set[int] = set()
            for other in self._before(source.transcript, first_at):
                for _ in transcripts.events(other, root, seen):
                    pass
            self._observe(observer, transcripts.events(source.transcript, root, seen))
        if not observer.pad.events and source.journal is not None:
            self._observe(observer, journal_reader.read(source.journal, root))
        if not observer.pad.events and source.size and next(objects(source.path), None) is None:
            raise _Unreadable("nothing in it can be read")
        return observer.pad

    def _observe(self, observer: Observer, told: Iterator[Event]) -> None:
        for event in told:
            if isinstance(event, Started) or not self._unseen(event.at):
                observer.observe(event)

    def _unseen(self, at: float) -> bool:
        """Whether capturing was paused then."""
        return any(start <= at and (end is None or at < end) for start, end in self._silent)

    def _before(self, own: Transcript, first_at: str) -> list[Transcript]:
        """The transcripts whose beginning this one repeats: a session that was resumed may be written out again."""
        if own.agent != claude_code.AGENT:
            return []
        self._look_into(own.path.parent)
        alike = [
            each for each in self._beside.values() if each.started_at == own.started_at and each.agent == own.agent
        ]
        if len(alike) < 2:
            return []
        known = learned_files.everything(self._database)

        def came(one: Transcript) -> tuple[str, float, str]:
            read = known.get(str(one.path))
            first = first_at if one.path == own.path else read.first_at if read else "~"
            return first, one.modified_at, str(one.path)

        return [each for each in alike if each.path != own.path and came(each) < came(own)]

    def _look_into(self, folder: Path) -> None:
        """Note when the sessions in a folder began, once."""
        if folder in self._folders:
            return
        self._folders.add(folder)
        for path in sorted(folder.glob("*.jsonl")):
            if path not in self._beside and not path.name.startswith("agent-"):
                found = transcripts.at(path, claude_code.AGENT)
                if found is not None:
                    self._beside[path] = found


class _Unreadable(Exception):
    """A file in which nothing is a session."""


def _same(known: Read, source: Source) -> bool:
    return (known.size, known.modified_at) == (source.size, source.modified_at)


def running(memory: Holloway) -> list[Journal]:
    """The journals of the sessions that hooks are watching and that are not over."""
    watched = journal_reader.sessions(memory.project.journal)
    over = waiting(watched, memory.clock.now().timestamp(), SESSION_SILENCE_S)
    return [each for each in watched if each not in over]


def waiting(journals: Sequence[Journal], now: float, silence_s: float) -> list[Journal]:
    """The journals whose sessions are over: the host said so, or nothing was heard of them for long."""
    return [each for each in journals if each.ended or now - _last_heard(each) > silence_s]


def _last_heard(told: Journal) -> float:
    with suppress(OSError):
        if told.transcript is not None:
            return max(told.modified_at, told.transcript.stat().st_mtime)
    return told.modified_at
