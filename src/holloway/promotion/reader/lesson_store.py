"""Storing judged lessons: each becomes a candidate of its session with its quotes, and the accepted ones memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from holloway.config import READER_ORIGIN, TAG_CHARS_MAX
from holloway.domain import confidence
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State
from holloway.domain.memory_details import CausalDependency, Decision, ErrorFix
from holloway.domain.ports import format_stamp
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.words.normative import is_normative
from holloway.promotion import pipeline
from holloway.promotion.candidate import Candidate
from holloway.promotion.gates import HELD_DAYS, GateDecision
from holloway.promotion.memory_kinds import choose_memory_type, parse_statement_details
from holloway.promotion.reader.lesson_checks import DECIDED_KINDS, Treatment
from holloway.promotion.reader.lesson_evidence import content_words, count_shared_words, cue
from holloway.promotion.reader.repeated_lessons import find_stored_lesson
from holloway.promotion.reader.view_rows import Voice
from holloway.store import candidates as ledger
from holloway.store.candidates import DROPPED, HELD, StoredCandidate
from holloway.store.filter import Filter
from holloway.store.lookup import COMMAND_TAG_PREFIX
from holloway.text.failures import fingerprint_failure
from holloway.text.fingerprint import fingerprint_text
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.memory_details import Details
    from holloway.domain.work import SessionSummary
    from holloway.promotion.candidate import CodeMapLookup
    from holloway.promotion.reader.lesson_evidence import Lesson
    from holloway.promotion.reader.reader import JudgedLesson
    from holloway.store.store import Store

FIRST_NUMBER = 1_001
"""Number of a session's first lesson among its candidates; those of its signals come before."""
RULE_CONFIDENCE = 0.90
"""A rule that the person laid down for good."""
WISH_CONFIDENCE = 0.70
"""A statement of the person that may be about the task at hand."""
CORROBORATED_CONFIDENCE = 0.80
CONCLUDED_CONFIDENCE = 0.66
REPEATED_SHARE = 0.8
"""Share of the words of a memory that are in one quote, when the memory is that quote."""
PERSONS_SHARE_MIN = 0.25
"""Share of the words of a lesson that the person must have used for it to be their word."""
RULE_SHARE_MIN = 0.12
"""That share for what the reader calls a rule of the person: rules are short, and their reason is in other words."""


def store_lessons(
    store: Store,
    session: SessionSummary,
    judged: Sequence[JudgedLesson],
    places: CodeMapLookup,
    branch_only: str = "",
) -> list[StoredCandidate]:
    """Store the lessons of a session with the decision on each, in one transaction; returns them as candidates."""
    now = store.clock.now()
    until = format_stamp(now + timedelta(days=HELD_DAYS))
    with store.database.write_transaction():
        stored = ledger.list_session_candidates(store.database, session.id)
        number = max([FIRST_NUMBER - 1, *(row.number for row in stored)]) + 1
        rows = []
        for offset, judgement in enumerate(judged):
            candidate = _decide_lesson(store, session, judgement, number + offset, places, branch_only)
            row = candidate.to_ledger_row(session.id, format_stamp(now), until)
            rows.append(replace(row, draft=row.draft | _describe_proposal(judgement)))
        for row in rows:
            ledger.insert_candidate(store.database, row)
    return rows


def _decide_lesson(
    store: Store,
    session: SessionSummary,
    judgement: JudgedLesson,
    number: int,
    places: CodeMapLookup,
    branch_only: str,
) -> Candidate:
    """Return a lesson as a candidate: dropped, held, or stored unless it is known or a person rejected it."""
    lesson, finding = judgement.lesson, judgement.finding
    quotes = tuple(quote.text for quote in lesson.own_quotes) if lesson else ()
    signal = Signal(SignalName.READ_LESSON, judgement.text, lesson.step if lesson else 0, quotes=quotes or ("",))
    candidate = Candidate(number, signal, GateDecision("open"))
    if lesson is None or finding.treatment is Treatment.REFUSE:
        candidate.drop(f"{finding.check}: {finding.reason}")
        return candidate
    candidate.draft = build_draft(judgement, lesson, session, places, branch_only)
    if finding.treatment is Treatment.REVIEW:
        candidate.signal = replace(signal, taint=_name_source(lesson))
    pipeline.deduplicate_candidates(store, [candidate])
    if candidate.is_undecided and candidate.duplicate_of is None and finding.treatment is None:
        candidate.duplicate_of = find_stored_lesson(store, lesson.text, session.id)
    pipeline.reject_known(store, [candidate])
    pipeline.resolve_contradictions([candidate])
    if not candidate.is_undecided:
        return candidate
    if finding.treatment is Treatment.WAIT:
        candidate.state, candidate.reason = HELD, f"{finding.check}: {finding.reason}"
        return candidate
    if candidate.duplicate_of is None and candidate.replaces is None:
        candidate.replaces = _find_raw_memory(store, candidate.draft, lesson)
    pipeline.store_candidate(store, candidate, candidate.draft)
    if candidate.state != DROPPED and not candidate.reason:
        candidate.reason = f"{finding.check}: {finding.reason}" if finding.reason else judgement.corroboration
    return candidate


def _find_raw_memory(store: Store, draft: Draft, lesson: Lesson) -> Memory | None:
    """Return the memory of the same session that is a sentence which a lesson quotes: the lesson takes its place.

    A memory that anybody confirmed, or that may be believed more, stays.
    """
    for memory in store.memories.find_memories(Filter(session=draft.session), limit=-1):
        is_open = memory.state is State.UNCONFIRMED and memory.confidence <= (draft.confidence or 0.0)
        words = content_words(memory.content)
        if is_open and not memory.origin.startswith(READER_ORIGIN) and words:
            quotes = (quote.text for quote in lesson.stating_quotes)
            if any(len(words & content_words(quote)) >= REPEATED_SHARE * len(words) for quote in quotes):
                return memory
    return None


def build_draft(
    judgement: JudgedLesson, lesson: Lesson, session: SessionSummary, places: CodeMapLookup, branch_only: str = ""
) -> Draft:
    """Build the draft of a lesson: its text as proposed, and a source and confidence by the voice of its quotes."""
    source, initial = _choose_source(judgement, lesson)
    memory_type = choose_memory_type(lesson.proposal.kind, lesson.text)
    module = places.module_of(lesson.files[0]) if lesson.files else ""
    for_review = judgement.finding.treatment is Treatment.REVIEW
    is_rule = memory_type in (MemoryType.PREFERENCE, MemoryType.REQUIREMENT, MemoryType.PATTERN)
    return Draft(
        content=lesson.text,
        type=memory_type,
        details=_build_details(memory_type, lesson),
        files=lesson.files,
        modules=(module,) if module else (),
        tags=_choose_tags(lesson, for_review=for_review),
        source=source,
        state=State.QUARANTINED if for_review else None,
        confidence=initial * (confidence.TAINTED_FACTOR if for_review else 1.0),
        review=_choose_review(source, lesson, for_review=for_review),
        session=session.id,
        agent=session.agent,
        branch=session.branch,
        branch_only="" if is_rule else branch_only,
        commit=session.commit,
        work_unit=session.work_unit,
        origin=f"{READER_ORIGIN}{fingerprint_text(lesson.text, '')[:16]}",
        stated_at=session.last_event_at,
    )


def _choose_tags(lesson: Lesson, *, for_review: bool) -> tuple[str, ...]:
    """Return the topic or the command that a lesson is told with, and the untrusted source of one for review."""
    kind, value = lesson.proposal.trigger
    prefix = COMMAND_TAG_PREFIX if kind == "command" else ""
    topic = one_line(prefix + value.strip("`$ "), TAG_CHARS_MAX) if kind in ("topic", "command") and value else ""
    source = f"from {_name_source(lesson)}"[:60] if for_review else ""
    return tuple(filter(None, (topic, source)))


def _choose_review(source: Source, lesson: Lesson, *, for_review: bool) -> ReviewReason | None:
    if for_review:
        return ReviewReason.TAINTED
    is_rule = source is Source.USER_CORRECTION and lesson.proposal.kind in DECIDED_KINDS
    return ReviewReason.STATED if is_rule else None


def _choose_source(judgement: JudgedLesson, lesson: Lesson) -> tuple[Source, float]:
    """Return who says a lesson and how far it may be believed at birth: only a person's rule for good stands alone."""
    if _is_persons_claim(lesson):
        if lesson.proposal.kind not in DECIDED_KINDS:
            return Source.USER_CORRECTION, CORROBORATED_CONFIDENCE
        return Source.USER_CORRECTION, RULE_CONFIDENCE if _is_for_good(lesson) else WISH_CONFIDENCE
    if not judgement.corroboration:
        return Source.AGENT_CONCLUDED, CONCLUDED_CONFIDENCE
    if any(quote.row.voice is Voice.COMMIT for quote in lesson.stating_quotes):
        return Source.COMMIT_AUTO, CORROBORATED_CONFIDENCE
    return Source.AGENT_NOTE, CORROBORATED_CONFIDENCE


def _is_persons_claim(lesson: Lesson) -> bool:
    """Return whether the person's own words make up enough of a claim to say "you said"."""
    words = content_words(lesson.text)
    share_min = RULE_SHARE_MIN if lesson.proposal.kind == "user_rule" else PERSONS_SHARE_MIN
    quotes = (quote.text for quote in set(lesson.person_quotes) & set(lesson.stating_quotes))
    return any(count_shared_words(lesson.text, quote) >= share_min * len(words) for quote in quotes)


def _is_for_good(lesson: Lesson) -> bool:
    """Return whether the person's words are general by their form, and state the claim."""
    return any(
        is_normative(quote.text) and not cue("task_only").search(quote.row.text)
        for quote in lesson.stating_quotes
        if quote.row.voice is Voice.PERSON
    )


def _build_details(memory_type: MemoryType, lesson: Lesson) -> Details | None:
    """Return the details that the parts of a proposal give; None where a type has none, or they are missing."""
    why, (trigger, value) = lesson.proposal.why, lesson.proposal.trigger
    if memory_type is MemoryType.DECISION and why:
        return Decision(why)
    if memory_type is MemoryType.ERROR_PATTERN and trigger == "error" and value:
        return ErrorFix(value, lesson.text, fingerprint=fingerprint_failure(value))
    if memory_type is MemoryType.CAUSAL_DEPENDENCY and trigger == "file" and value:
        return CausalDependency(value, lesson.text, why)
    return parse_statement_details(memory_type, lesson.text)


def _name_source(lesson: Lesson) -> str:
    return next((quote.source for quote in lesson.quotes if quote.source), "output of the project")


def _describe_proposal(judgement: JudgedLesson) -> dict[str, Any]:
    """Return the fields that are stored with the draft: reason, trigger, quotes with their voice, corroboration."""
    lesson = judgement.lesson
    fields: dict[str, Any] = {"content": judgement.text} if judgement.text else {}
    if lesson is None:
        return fields
    return fields | {
        "type": str(choose_memory_type(lesson.proposal.kind, lesson.text)),
        "why": lesson.proposal.why,
        "trigger": list(lesson.proposal.trigger),
        "corroboration": judgement.corroboration,
        "quotes": [
            {"voice": str(quote.row.voice), "row": quote.row.number, "source": quote.source, "text": quote.text}
            for quote in lesson.quotes
        ],
    }
