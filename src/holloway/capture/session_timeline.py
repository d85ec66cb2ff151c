"""Timeline of a session: prompts, statements and tool calls, read from the host's own transcript and never stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import hosts, journal_reader, session_files
from holloway.capture.event_filter import EventFilter
from holloway.capture.exclusions import load_exclusions
from holloway.capture.session_files import from_journal, from_transcript
from holloway.capture.tool_events import whole_call_id
from holloway.config import (
    TIMELINE_ENTRIES_MAX,
    TIMELINE_RESULT_CHARS_MAX,
    TIMELINE_TEXT_CHARS_MAX,
    TIMELINE_TRANSCRIPT_BYTES_MAX,
)
from holloway.domain.event import Call, Interrupted, Prompt, Result, Said, Summarized
from holloway.safety.paths import safe_name
from holloway.safety.secrets import redact_path, redact_secrets
from holloway.store import learned_files, readings
from holloway.text.sanitize import clean_text
from holloway.text.tokens import cited_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holloway.capture.session_files import SessionFile
    from holloway.domain.event import Event
    from holloway.domain.work import SessionSummary
    from holloway.store.store import Store

PATHS_SHOWN_MAX = 20


class TranscriptState(StrEnum):
    """The fate of a session's transcript."""

    READ = "read"
    GONE = "gone"
    """The host has deleted it, or it never wrote one that could be found."""
    NONE = "none"
    """The session was no host's: a program that uses holloway keeps no transcript."""
    TOO_LARGE = "too_large"


class EntryKind(StrEnum):
    """The kinds of entries of a timeline."""

    PROMPT = "prompt"
    SAID = "said"
    THOUGHT = "thought"
    TOOL = "tool"
    SUMMARIZED = "summarized"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One prompt, statement or tool call. A tool call has its tool, what it was about, and its result."""

    kind: EntryKind
    at: float
    """Seconds since 1970."""
    text: str = ""
    actor: str = ""
    """Name of the subagent; empty for the main agent."""
    tool: str = ""
    action: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""
    succeeded: bool | None = None
    """None while there is no result."""
    result: str = ""
    cited: tuple[str, ...] = ()
    """Ids of the memories that the text cites."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The entries of a session in their order, and the state of the transcript that they were read from."""

    state: TranscriptState
    entries: tuple[TimelineEntry, ...] = ()
    is_complete: bool = True
    """False for a session with more entries than a timeline holds."""


def load_timeline(store: Store, session: SessionSummary) -> Timeline:
    """Read the timeline of a session from its transcript, or from its journal while there is one."""
    file = find_session_file(store, session)
    if file is None:
        return Timeline(TranscriptState.GONE if session.agent in hosts.READABLE_HOSTS else TranscriptState.NONE)
    if file.size > TIMELINE_TRANSCRIPT_BYTES_MAX:
        return Timeline(TranscriptState.TOO_LARGE)
    root, event_filter = store.project.root, EventFilter(load_exclusions(str(store.project.folder)))
    if file.transcript is not None:
        events = session_files.read_events(file.transcript, root)
    else:
        events = journal_reader.read_session(file.path, root)
    admitted_events = (event for event in map(event_filter.admit, events) if event is not None)
    entries = build_entries(admitted_events)
    return Timeline(
        TranscriptState.READ, tuple(entries[:TIMELINE_ENTRIES_MAX]), is_complete=len(entries) <= TIMELINE_ENTRIES_MAX
    )


def find_session_file(store: Store, session: SessionSummary) -> SessionFile | None:
    """Return the transcript or the journal of a session; None if neither exists any more."""
    journal_path = store.project.journal_folder / f"{safe_name(session.id)}.jsonl"
    journals = journal_reader.list_journals(store.project.journal_folder) if journal_path.exists() else []
    journal = next((journal for journal in journals if journal.session == session.id), None)
    if journal is not None and (file := from_journal(journal)):
        return file
    for path in _list_recorded_paths(store, session.id):
        transcript = session_files.open_transcript(path, session.agent)
        if transcript is not None:
            return replace(from_transcript(transcript), session=session.id)
    return None


def _list_recorded_paths(store: Store, session: str) -> Iterator[Path]:
    """Yield the files that a session was learned or read from."""
    for record in learned_files.load_learned_files(store.database).values():
        if record.session == session:
            yield Path(record.path)
    if reading := readings.find_reading(store.database, session):
        yield Path(reading.path)


def build_entries(events: Iterable[Event]) -> list[TimelineEntry]:
    """Return the entries of a session's events, one for each tool call, up to one more than a timeline holds."""
    entries: list[TimelineEntry] = []
    positions: dict[str, int] = {}
    for event in events:
        if isinstance(event, Result):
            position = positions.get(whole_call_id(event.call))
            if position is not None:
                entries[position] = _add_result(entries[position], event)
            continue
        if isinstance(event, Call) and (position := positions.get(whole_call_id(event.call))) is not None:
            entries[position] = _add_call(entries[position], event)
            continue
        entry = _start_entry(event)
        if entry is None:
            continue
        if isinstance(event, Call):
            positions[whole_call_id(event.call)] = len(entries)
        entries.append(entry)
        if len(entries) > TIMELINE_ENTRIES_MAX:
            break
    return entries


def _start_entry(event: Event) -> TimelineEntry | None:
    if isinstance(event, Prompt):
        return TimelineEntry(EntryKind.PROMPT, event.at, event.text)
    if isinstance(event, Said):
        kind = EntryKind.THOUGHT if event.thinking else EntryKind.SAID
        return TimelineEntry(kind, event.at, event.text, event.actor, cited=tuple(dict.fromkeys(cited_in(event.text))))
    if isinstance(event, Summarized):
        return TimelineEntry(EntryKind.SUMMARIZED, event.at, event.text)
    if isinstance(event, Interrupted):
        return TimelineEntry(EntryKind.INTERRUPTED, event.at)
    if not isinstance(event, Call):
        return None
    return TimelineEntry(
        EntryKind.TOOL,
        event.at,
        text=event.pattern or event.url,
        actor=event.actor,
        tool=event.tool,
        action=event.kind,
        paths=(event.path,) if event.path else (),
        command=event.command,
    )


def _add_call(entry: TimelineEntry, call: Call) -> TimelineEntry:
    """Add another file of the same tool call."""
    if not call.path or call.path in entry.paths or len(entry.paths) >= PATHS_SHOWN_MAX:
        return entry
    return replace(entry, paths=(*entry.paths, call.path))


def _add_result(entry: TimelineEntry, result: Result) -> TimelineEntry:
    succeeded = result.ok if entry.succeeded is None else entry.succeeded and result.ok
    return replace(entry, succeeded=succeeded, result=entry.result or result.text)


def redact_entries(entries: Sequence[TimelineEntry]) -> tuple[TimelineEntry, ...]:
    """Return entries as a person may see them: truncated, and without secrets and control characters."""
    return tuple(_redact_entry(entry) for entry in entries)


def _redact_entry(entry: TimelineEntry) -> TimelineEntry:
    return replace(
        entry,
        text=_redact_text(entry.text, TIMELINE_TEXT_CHARS_MAX),
        command=_redact_text(entry.command, TIMELINE_TEXT_CHARS_MAX),
        result=_redact_text(entry.result, TIMELINE_RESULT_CHARS_MAX),
        paths=tuple(redact_path(path) for path in entry.paths),
    )


def _redact_text(text: str, chars_max: int) -> str:
    """Redact before truncating: a secret that is cut in two is not recognised."""
    redacted = redact_secrets(clean_text(text[: 2 * chars_max]))[0] if text else ""
    return redacted if len(redacted) <= chars_max else f"{redacted[:chars_max]}…"
