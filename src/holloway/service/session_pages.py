"""Sessions as a person looks at them: the list, and one session with all that was told, used, learned and dropped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from holloway.capture.session_timeline import (
    TimelineEntry,
    TranscriptState,
    load_timeline,
    redact_entries,
)
from holloway.config import TASK_CHARS_MAX
from holloway.domain.codec import encode
from holloway.domain.ports import format_stamp, parse_stamp
from holloway.errors import InvalidInput
from holloway.proof.record_fields import complete_record
from holloway.safety.repository_text import only_paths
from holloway.service.activity_feed import NamedMemory
from holloway.service.health import TokenBalance, balance_tokens
from holloway.service.session_report import explain_session
from holloway.store import candidates as ledger
from holloway.store import session_ledger, told_texts
from holloway.text.sanitize import first_paragraph, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.work import SessionSummary
    from holloway.service.holloway import Holloway
    from holloway.service.session_report import SessionReport
    from holloway.store.candidates import StoredCandidate
    from holloway.store.session_ledger import ListedSession

SESSION_ROWS = 50
SESSION_ROWS_MAX = 200
TIMELINE_ROWS = 200
_END_OF_TIME = "9999"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in the list, with its record, which is empty before it was learned from."""

    session: SessionSummary
    record: dict[str, Any]
    title: str
    seconds: int
    """How long it took so far."""
    told: int
    """Memories that it was told."""
    learned: int
    """Memories that came from it."""
    tokens: TokenBalance | None

    def to_json(self) -> dict[str, Any]:
        """Return what the row adds to a session and its record, as JSON fields."""
        tokens = {**encode(self.tokens), "net": self.tokens.net} if self.tokens else None
        return {"seconds": self.seconds, "told": self.told, "learned_count": self.learned, "tokens": tokens}


@dataclass(frozen=True, slots=True)
class SessionPage:
    """One page of the list, and the key of the page after it; the key is empty on the last page."""

    sessions: tuple[SessionRow, ...]
    next_key: str = ""


def list_session_page(memory: Holloway, *, after: str = "", limit: int = SESSION_ROWS) -> SessionPage:
    """Return the page of sessions that follows a key, or the first one. Raises InvalidInput for a broken key."""
    limit = max(1, min(limit, SESSION_ROWS_MAX))
    at, separator, session = after.partition("~")
    if after and (not separator or not at[:4].isdigit() or "\0" in after or len(after) > TASK_CHARS_MAX):
        raise InvalidInput("This is not the key of a page.", "Use the key that the page before it has.")
    before = (at, session) if after else (_END_OF_TIME, "")
    rows = session_ledger.list_sessions_before(memory.store.database, before, limit + 1)
    page = tuple(_describe_row(row) for row in rows[:limit])
    last = page[-1].session if len(rows) > limit else None
    return SessionPage(page, f"{last.started_at}~{last.id}" if last else "")


def _describe_row(listed: ListedSession) -> SessionRow:
    session = listed.session
    ended_at = session.ended_at or session.last_event_at
    return SessionRow(
        session,
        complete_record(listed.record),
        title=one_line(first_paragraph(session.task), TASK_CHARS_MAX),
        seconds=max(0, int((parse_stamp(ended_at) - parse_stamp(session.started_at)).total_seconds())),
        told=listed.told,
        learned=listed.learned,
        tokens=balance_tokens(session.id, listed.record),
    )


class MemoryUse(StrEnum):
    """The use that a session made of a memory, the most telling first."""

    CONTRADICTED = "contradicted"
    CITED = "cited"
    ACTED_ON = "acted_on"
    REPORTED = "reported"
    """The agent said that it helped."""
    DISMISSED = "dismissed"
    UNKNOWN = "unknown"
    """The session was not learned from yet."""


@dataclass(frozen=True, slots=True)
class ToldMemory:
    """A memory that a session was told, and what became of it there."""

    memory: NamedMemory
    use: MemoryUse
    exists: bool = True
    """False once it was erased."""


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """One text that holloway gave an agent: when, at which point, and the memories in it."""

    at: str
    point: str
    memories: tuple[ToldMemory, ...]
    actor: str = ""
    """Name of the subagent; empty for the main agent."""
    hook_event: str = ""
    text: str | None = None
    """The text word for word; None if it is not kept any more."""
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A row of a timeline: an entry of the transcript, or a text that holloway gave the agent."""

    at: str
    entry: TimelineEntry | None = None
    told: ToldEvent | None = None


@dataclass(frozen=True, slots=True)
class SessionStory:
    """One session: its row, what it was told, its timeline, and what came of the candidates found in it."""

    row: SessionRow
    told: tuple[ToldEvent, ...]
    used: tuple[Memory, ...]
    learned: tuple[Memory, ...]
    held: tuple[StoredCandidate, ...]
    dropped: tuple[StoredCandidate, ...]
    timeline: tuple[TimelineRow, ...]
    """One page of it."""
    timeline_total: int
    transcript: TranscriptState
    is_complete: bool
    """Whether the timeline has every entry of the transcript."""

    def to_json(self, *, raw: bool = False) -> dict[str, Any]:
        """Return timeline and told texts as JSON fields; texts of the transcript only with `raw`."""
        return {
            **self.row.to_json(),
            "told_events": [told_json(event) for event in self.told],
            "transcript": str(self.transcript),
            "timeline_total": self.timeline_total,
            "timeline": [_row_json(row, raw=raw) for row in self.timeline],
        }


def told_json(event: ToldEvent) -> dict[str, Any]:
    """Return a text that holloway gave an agent as JSON fields."""
    memories = [
        {"id": told_memory.memory.id, "summary": told_memory.memory.summary, "use": str(told_memory.use)}
        for told_memory in event.memories
    ]
    return {**encode(event), "memories": memories}


def _row_json(row: TimelineRow, *, raw: bool) -> dict[str, Any]:
    if row.told is not None:
        return {"at": row.at, "kind": "told", "point": row.told.point, "text": row.told.text} | {
            "memories": [told_memory.memory.id for told_memory in row.told.memories]
        }
    entry = row.entry
    assert entry is not None  # noqa: S101  (a row has one of both)
    fields = encode(entry) | {"at": row.at, "paths": list(only_paths(entry.paths))}
    return (
        fields
        if raw
        else {name: fields[name] for name in ("at", "kind", "actor", "tool", "action", "paths")}
        | {
            "succeeded": entry.succeeded,
            "cited": list(entry.cited),
        }
    )


def load_story(memory: Holloway, reference: str, *, first: int = 0, limit: int = TIMELINE_ROWS) -> SessionStory:
    """Return one session, by the beginning of its id or `last`, with the page of its timeline from row `first` on.

    Prompts and tool calls are read from the host's transcript now. Raises InvalidInput for an unknown session.
    """
    report = explain_session(memory, reference)
    session = report.session
    listed = session_ledger.count_session(memory.store.database, session.id)
    told_events = list_told(memory, session.id, report.record)
    timeline = load_timeline(memory.store, session)
    rows = _merge_rows(timeline.entries, told_events)
    page = rows[max(0, first) : max(0, first) + max(1, min(limit, TIMELINE_ROWS))]
    return SessionStory(
        row=_describe_row(session_ledger.ListedSession(session, report.record, *listed)),
        told=told_events,
        used=report.used,
        learned=tuple(lesson for lesson in report.learned if lesson.session == session.id),
        held=_select_candidates(report, ledger.HELD),
        dropped=_select_candidates(report, ledger.DROPPED),
        timeline=_redact_rows(page),
        timeline_total=len(rows),
        transcript=timeline.state,
        is_complete=timeline.is_complete,
    )


def _select_candidates(report: SessionReport, state: str) -> tuple[StoredCandidate, ...]:
    return tuple(candidate for candidate in report.candidates if candidate.state == state)


def _merge_rows(entries: Sequence[TimelineEntry], told_events: Iterable[ToldEvent]) -> list[TimelineRow]:
    """Merge entries and told texts by time; a text comes after the entry that it answers."""
    rows = [TimelineRow(format_stamp(datetime.fromtimestamp(entry.at, UTC)), entry) for entry in entries]
    rows += [TimelineRow(event.at, told=event) for event in told_events]
    return sorted(rows, key=lambda row: (row.at, row.told is not None))


def _redact_rows(rows: Sequence[TimelineRow]) -> tuple[TimelineRow, ...]:
    """Redact the entries of one page only: scanning a whole transcript for secrets takes seconds."""
    redacted = iter(redact_entries([row.entry for row in rows if row.entry is not None]))
    return tuple(TimelineRow(row.at, next(redacted)) if row.entry is not None else row for row in rows)


def list_told(memory: Holloway, session: str, record: dict[str, Any]) -> tuple[ToldEvent, ...]:
    """Return the texts that a session and its subagents were given, oldest first.

    An entry of the ledger that is too old for its text to be kept comes without text.
    """
    database = memory.store.database
    told_texts.collect_told(database, memory.project.folder)
    texts = told_texts.list_session_texts(database, session)
    tellings = session_ledger.list_session_tellings(database, session)
    reported = {telling.memory for telling in tellings if telling.point == session_ledger.REPORTED_USEFUL}

    def describe(memory_ids: Iterable[str]) -> tuple[ToldMemory, ...]:
        return tuple(_describe_told(memory, memory_id, record, reported) for memory_id in memory_ids)

    events = [
        ToldEvent(text.at, text.point, describe(text.memories), text.actor, text.event, text.text or None, text.tokens)
        for text in texts
    ]
    stored = {(text.actor, memory_id) for text in texts for memory_id in text.memories}
    untold: dict[tuple[str, str, str], list[str]] = {}
    for telling in tellings:
        if telling.point != session_ledger.REPORTED_USEFUL and (telling.actor, telling.memory) not in stored:
            untold.setdefault((telling.at, telling.point, telling.actor), []).append(telling.memory)
    events += [ToldEvent(at, point, describe(ids), actor) for (at, point, actor), ids in untold.items()]
    return tuple(sorted(events, key=lambda event: event.at))


def _describe_told(memory: Holloway, memory_id: str, record: dict[str, Any], reported: set[str]) -> ToldMemory:
    store = next((store for store in memory.stores() if store.memories.has_memory(memory_id)), None)
    summary = store.memories.get_memory(memory_id).summary if store else ""
    return ToldMemory(NamedMemory(memory_id, summary), find_use(memory_id, record, reported), exists=store is not None)


def find_use(memory_id: str, record: dict[str, Any], reported: set[str]) -> MemoryUse:
    """Return what a session made of a memory that it was told, from the session's record."""
    for use in (MemoryUse.CONTRADICTED, MemoryUse.CITED, MemoryUse.ACTED_ON):
        if memory_id in (record.get(use) or ()):
            return use
    if memory_id in reported:
        return MemoryUse.REPORTED
    return MemoryUse.DISMISSED if record else MemoryUse.UNKNOWN
