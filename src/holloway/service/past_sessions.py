"""Learning from session files: sessions that ended, and those that agents left here before they were watched."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import hosts, journal_reader, session_files
from holloway.capture.session_files import SessionFiles, Unlearned, from_transcript, list_running
from holloway.domain.ports import parse_stamp
from holloway.injection import experiment
from holloway.proof.session_facts import HookAnswer, SessionFacts
from holloway.safety.paths import safe_name
from holloway.service.session_learning import Learned, Learning
from holloway.store import answer_log, candidates
from holloway.store.candidates import HELD, PROMOTED, REINFORCED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.capture.session_files import SessionFile, Transcript
    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway

AGENTS = tuple(name for name in hosts.HOSTS if name in hosts.READABLE_HOSTS)


@dataclass(frozen=True, slots=True)
class PastSessions:
    """The sessions on this machine: those to learn from, and the numbers of those learned from or still running."""

    sessions: tuple[Transcript, ...]
    transcripts: tuple[Transcript, ...]
    """All sessions; one may repeat the beginning of another."""
    known: int = 0
    running: int = 0


@dataclass(slots=True)
class PastLessons:
    """The result of learning from past sessions."""

    read: int = 0
    failed: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    """Ids of the memories that were created or reinforced."""
    to_review: int = 0
    held: int = 0
    interrupted: bool = False


def open_session_files(memory: Holloway, transcripts_known: Iterable[Transcript] = ()) -> SessionFiles[Learned]:
    """Return the reader of a project's session files; it learns from each version of a file once."""
    learning = Learning(memory.opened)

    def learn_pad(file: SessionFile, pad: Scratchpad, settle: bool) -> Learned:
        return learning.learn(pad, settle=settle, before=_read_journal_facts(memory, file))

    return SessionFiles(memory.store, memory.home, learn_pad, transcripts_known)


def _read_journal_facts(memory: Holloway, file: SessionFile) -> SessionFacts:
    """Return the facts that hooks recorded about a session in addition to its events."""
    journal = file.journal or memory.project.journal_folder / f"{safe_name(file.session)}.jsonl"
    is_watched = journal.exists()
    group = _find_group(memory, file.session, journal) if is_watched else None
    is_resumed, resumed_at = journal_reader.find_resume(journal)
    return SessionFacts(
        group=(group or experiment.FULL) if is_watched else None,
        is_randomised=group is not None,
        located=journal_reader.located_files(journal),
        resumed=is_resumed,
        resumed_at=resumed_at,
        answers=_read_answers(memory, file.session) if is_watched else None,
    )


def _find_group(memory: Holloway, session: str, journal: Path) -> str | None:
    """Return the experiment group of a session; None without an experiment, or if it had not begun by then."""
    running = experiment.load_experiment(str(memory.project.folder))
    if running is None or journal_reader.find_start(journal) < parse_stamp(running.since).timestamp():
        return None
    return running.assign_group(session)


def _read_answers(memory: Holloway, session: str) -> tuple[HookAnswer, ...]:
    """Return the outcomes of the answers that hooks owed a session."""
    answers = answer_log.read_answers(str(memory.project.folder), session=session)
    return tuple(HookAnswer(answer.point, answer.outcome, answer.step, answer.milliseconds) for answer in answers)


def find(memory: Holloway, *, since: float = 0.0, agent: str = "", home: Path | None = None) -> PastSessions:
    """Find the sessions of this project that agents left here, in any of its working trees, the oldest first."""
    listed = session_files.find_transcripts(memory.project.root, home)
    chosen = (
        transcript
        for transcript in listed
        if transcript.started_at >= since and (not agent or transcript.agent == agent)
    )
    # Of sessions that share their beginning, the one that ended first owns it.
    ordered = sorted(chosen, key=lambda session: (session.started_at, session.modified_at, str(session.path)))
    files = open_session_files(memory, ordered)
    running = {journal.session for journal in list_running(memory.store)}  # the worker learns from them at their end
    new = [transcript for transcript in ordered if not files.is_done(from_transcript(transcript))]
    due = tuple(transcript for transcript in new if transcript.session not in running)
    return PastSessions(due, tuple(ordered), len(ordered) - len(new), len(new) - len(due))


def learn(memory: Holloway, past: PastSessions, progress: Callable[[str, int, int], None] | None = None) -> PastLessons:
    """Learn from sessions, one after the other. An interrupt keeps the lessons so far."""
    files, lessons = open_session_files(memory, past.transcripts), PastLessons()
    learned_ids: list[str] = []
    try:
        for number, transcript in enumerate(past.sessions):
            if progress:
                progress("learning", number, len(past.sessions))
            try:
                _count(lessons, learned_ids, files.learn(from_transcript(transcript), settle=False))
            except Unlearned as error:
                lessons.failed.append(error.message)
            lessons.read += 1
        _settle(memory, lessons)
    except KeyboardInterrupt:
        lessons.interrupted = True
    _sum_up(memory, lessons, learned_ids)
    return lessons


def _count(lessons: PastLessons, learned_ids: list[str], learned: Learned | None) -> None:
    if learned is None:
        return
    learned_ids.append(learned.session.id)
    promoted = (candidate for state in (PROMOTED, REINFORCED) for candidate in learned.promotion.list_in_state(state))
    lessons.kept |= {candidate.memory for candidate in promoted if candidate.memory}
    lessons.kept |= {memory.id for synthesised in learned.synthesised for memory in synthesised.memories}


def _settle(memory: Holloway, lessons: PastLessons) -> None:
    """Settle reverted work and held candidates once, after all sessions."""
    learning = Learning(memory.opened)
    learning.take_back()
    lessons.kept |= {candidate.memory for candidate in learning.settle_held() if candidate.memory}


def _sum_up(memory: Holloway, lessons: PastLessons, learned_ids: list[str]) -> None:
    database, memories = memory.store.database, memory.store.memories
    lessons.kept = {
        kept_id for kept_id in lessons.kept if memories.has_memory(kept_id) and memories.get_memory(kept_id).is_alive
    }
    lessons.to_review = sum(1 for kept_id in lessons.kept if memories.get_memory(kept_id).review)
    session_candidates = (
        candidate for session in learned_ids for candidate in candidates.list_session_candidates(database, session)
    )
    lessons.held = sum(1 for candidate in session_candidates if candidate.state == HELD)
