"""Reading finished sessions: a language model, where the user chose one, proposes lessons that are then checked.

A session is queued when it was learned from, and read once no agent has worked in the project for some minutes. Nothing
waits for it: learning without a model is over by then. A reader may be killed at any time. It stores each answer before
it asks again, and the lessons of a session in one transaction.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.capture import journal_reader, session_files
from holloway.capture.session_files import SessionFile, SessionFiles, from_transcript
from holloway.config import READER_ATTEMPTS_MAX, READER_DEADLINE_S, READER_IDLE_S
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.llm.providers import CapReached, NotAsked, RateLimited, Stopped
from holloway.llm.reader_choice import open_reader, record_read_session
from holloway.promotion.reader.checkout_search import CheckoutSearch
from holloway.promotion.reader.lesson_evidence import SessionEvidence
from holloway.promotion.reader.lesson_store import store_lessons
from holloway.promotion.reader.reader import ask_reader, build_prompts, judge_answers
from holloway.promotion.reader.session_view import build_session_view
from holloway.safety.secrets import redact_secrets
from holloway.service.session_learning import Learning
from holloway.store import readings, session_ledger
from holloway.store.candidates import PROMOTED, REINFORCED
from holloway.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.capture.session_files import Transcript
    from holloway.domain.ports import Writer
    from holloway.domain.work import SessionSummary
    from holloway.observer.scratchpad import Scratchpad
    from holloway.promotion.reader.reader import JudgedLesson, StretchPrompt
    from holloway.promotion.reader.session_view import ReaderView
    from holloway.service.holloway import Holloway
    from holloway.store.candidates import StoredCandidate
    from holloway.store.readings import Reading

PAST_S_MAX = 4 * 60 * 60.0
"""Longest time for reading past sessions while a person waits."""
CALL_S_MIN = 20.0
"""Remaining time below which no call is begun."""
_NOT_NOW = (CapReached, RateLimited, Stopped, NotAsked)
"""Answers after which no further session is tried, and that are no fault of the session."""
_NEVER_LEARNED = "it was never learned from, or has no events any more"


@dataclass(slots=True)
class ReadingResult:
    """The outcome of a run of the reader: sessions read, lessons stored, and why it stopped early, if it did."""

    read: int = 0
    stored: int = 0
    failed: int = 0
    stopped: str = ""
    must_wait: bool = False
    """Whether it stopped because an agent is at work."""

    def describe(self) -> str:
        """Return the result in a line; empty if nothing happened."""
        parts = [f"{self.read} read, {self.stored} lessons stored"] if self.read else []
        parts += [f"{self.failed} failed"] if self.failed else []
        return ", ".join([*parts, self.stopped] if self.stopped else parts)


class _OutOfTime(Exception):
    """The worker has no time left for another call; the session stays in the queue."""


def queue_session(memory: Holloway, file: SessionFile) -> bool:
    """Queue a session that was learned from, if a reader is on; returns whether it waits to be read.

    A reader that cannot be reached now may be later.
    """
    if not is_on(memory):
        return False
    database = memory.store.database
    agent = file.transcript.agent if file.transcript else ""
    now = format_stamp(memory.clock.now())
    readings.queue_reading(database, file.session, str(file.path), agent, file.size, now)
    reading = readings.find_reading(database, file.session)
    return reading is not None and reading.state == readings.WAITING


class ReadingPlan(NamedTuple):
    """Past sessions to read, the tokens of their prompts, or the reason why nothing can be read."""

    transcripts: tuple[Transcript, ...] = ()
    tokens: int = 0
    reason: str = ""


def plan_reading(memory: Holloway, transcripts: Sequence[Transcript], limit: int) -> ReadingPlan:
    """Choose the newest past sessions that were not read yet, and estimate the cost without asking anybody."""
    choice = open_reader(memory.store, memory.settings)
    if choice.reader is None:
        return ReadingPlan(reason=choice.reason)
    newest = sorted(transcripts, key=lambda transcript: -transcript.modified_at)
    unread = [transcript for transcript in newest if not _is_read(memory, transcript)][:limit]
    files = open_files(memory)
    pads = (files.read_scratchpad(from_transcript(transcript), "") for transcript in unread)
    prompts = (prompt for pad in pads for prompt in build_prompts(memory.project.name, build_session_view(pad)))
    return ReadingPlan(tuple(unread), sum(estimate_tokens(prompt.text) for prompt in prompts))


def _is_read(memory: Holloway, transcript: Transcript) -> bool:
    reading = readings.find_reading(memory.store.database, transcript.session)
    return reading is not None and reading.state == readings.DONE


def read_past(memory: Holloway, plan: ReadingPlan, writer: Writer | None = None) -> ReadingResult:
    """Read the past sessions of a plan now, because a person asked for it."""
    for transcript in plan.transcripts:
        queue_session(memory, from_transcript(transcript))
    return read_sessions(memory, Learning(memory.opened), PAST_S_MAX, writer, is_asked=True)


def is_idle(memory: Holloway) -> bool:
    """Return whether no agent has worked in the project for some minutes."""
    now = memory.clock.now().timestamp()
    journals = journal_reader.list_journals(memory.project.journal_folder)
    return all(now - session_files.last_event_at(journal) > READER_IDLE_S for journal in journals)


def is_on(memory: Holloway) -> bool:
    """Return whether the person chose a reader for this project."""
    return memory.settings.get_text("reader.provider") != "off"


def has_waiting(memory: Holloway) -> bool:
    """Return whether sessions wait for a reader that is on."""
    return is_on(memory) and bool(readings.list_waiting(memory.store.database))


def read_sessions(
    memory: Holloway, learning: Learning, seconds: float, writer: Writer | None = None, *, is_asked: bool = False
) -> ReadingResult:
    """Read the waiting sessions, the oldest first, until the time is over or the provider refuses.

    `is_asked`: a person asked for it now, so that nobody need be idle.
    """
    result = ReadingResult()
    choice = open_reader(memory.store, memory.settings, writer)
    if choice.reader is None:
        result.stopped = choice.reason
        return result
    end = time.monotonic() + seconds
    for reading in readings.list_waiting(memory.store.database):
        if not is_asked and not is_idle(memory):
            result.stopped, result.must_wait = "an agent is at work", True
        elif time.monotonic() > end - CALL_S_MIN:
            result.stopped = "left for the next run"
        else:
            _read_session(memory, learning, choice.reader, reading, end, result)
        if result.stopped:
            break
    return result


def _read_session(
    memory: Holloway, learning: Learning, writer: Writer, reading: Reading, end: float, result: ReadingResult
) -> None:
    """Read one session; a failure is counted and never raised, so that the next one is tried."""
    database = memory.store.database
    readings.count_attempt(database, reading.session)
    try:
        rows = read_one(memory, learning, writer, reading, end)
    except _OutOfTime:
        readings.undo_attempt(database, reading.session)
        result.stopped = "left for the next run"
        return
    except _NOT_NOW as error:
        readings.undo_attempt(database, reading.session)
        result.stopped = error.message
        return
    except HollowayError as error:
        result.failed += 1
        if reading.attempts + 1 >= READER_ATTEMPTS_MAX:
            _finish(memory, reading, readings.READING_FAILED, error.message)
        return
    result.read += 1
    result.stored += sum(row.state in (PROMOTED, REINFORCED) for row in rows)


def read_one(
    memory: Holloway, learning: Learning, writer: Writer, reading: Reading, end: float
) -> list[StoredCandidate]:
    """Read one session and store its lessons; returns them with the decision on each.

    Raises HollowayError if the provider fails, and _OutOfTime before a call for which no time is left.
    """
    pad = _load_pad(memory, reading)
    session = _find_summary(memory, pad)
    if pad is None or session is None:
        _finish(memory, reading, readings.READING_FAILED, _NEVER_LEARNED)
        return []
    view = build_session_view(pad)
    answers = _collect_answers(memory, writer, reading, build_prompts(memory.project.name, view), end)
    judged = judge_session(memory, learning, pad, view, session, answers)
    with memory.store.database.write_transaction():
        rows = store_lessons(memory.store, session, judged, learning.places, learning.find_branch_only(session))
        _finish(memory, reading, readings.DONE)
        record_read_session(memory.store, session.id)
    return rows


def judge_session(
    memory: Holloway,
    learning: Learning,
    pad: Scratchpad,
    view: ReaderView,
    session: SessionSummary,
    answers: dict[int, str],
) -> list[JudgedLesson]:
    """Judge the lessons in the answers to the stretches of a session; nothing is written yet."""
    root = str(memory.project.root)
    evidence = SessionEvidence(pad, view, CheckoutSearch(root), root)
    return judge_answers(answers, evidence, learning.trust(session.commit, session.id))


def _collect_answers(
    memory: Holloway, writer: Writer, reading: Reading, prompts: Sequence[StretchPrompt], end: float
) -> dict[int, str]:
    """Return the answers by stretch, asking only for those that are not stored yet."""
    database = memory.store.database
    stored_answers = readings.load_answers(database, reading.session)
    answers: dict[int, str] = {}
    for prompt in prompts:
        answer = stored_answers.get(prompt.hash)
        if prompt.hash not in stored_answers:
            seconds = end - time.monotonic()
            if seconds < CALL_S_MIN:
                raise _OutOfTime
            answer = ask_reader(writer, prompt, min(seconds, READER_DEADLINE_S)).text
            answer = redact_secrets(answer)[0]
            readings.save_answer(database, reading.session, prompt.hash, answer)
        if answer is not None:
            answers[prompt.stretch] = answer
    return answers


def _load_pad(memory: Holloway, reading: Reading) -> Scratchpad | None:
    """Return the scratchpad of a session, read from its file again; None if the file or its events are gone."""
    path = Path(reading.path)
    transcript = session_files.open_transcript(path, reading.agent) if reading.agent else None
    if transcript is not None:
        file = from_transcript(transcript)
    elif not reading.agent and path.is_file():
        status = path.stat()
        file = SessionFile(reading.session, path, status.st_size, status.st_mtime, journal=path)
    else:
        return None
    pad = open_files(memory).read_scratchpad(file, "")
    return pad if pad.notes else None


def open_files(memory: Holloway) -> SessionFiles[None]:
    """Return the reader of a project's session files, for their events only."""
    return SessionFiles(memory.store, memory.home, lambda file, pad, settle: None)


def _find_summary(memory: Holloway, pad: Scratchpad | None) -> SessionSummary | None:
    """Return the session as it was learned; None if it was forgotten or never learned from."""
    session = pad.start.session if pad and pad.start else ""
    matches = session_ledger.find_sessions(memory.store.database, session) if session else []
    return matches[0] if matches and matches[0].id == session else None


def _finish(memory: Holloway, reading: Reading, state: str, reason: str = "") -> None:
    now = format_stamp(memory.clock.now())
    readings.finish_reading(memory.store.database, reading.session, state, now, reason)
