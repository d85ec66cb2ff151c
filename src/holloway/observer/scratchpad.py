"""The scratchpad: the in-memory log of one session's actions and notes, in order and bounded, without I/O.

Nothing is classified here. Detectors read the scratchpad on demand, so the same events give the same signals whether
the scratchpad lived in one process, was restored from a checkpoint or was rebuilt from a journal.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from holloway import config
from holloway.config import CALL_ID_CHARS_MAX
from holloway.domain import event as events
from holloway.domain.event import ToolKind
from holloway.safety.secrets import redact_secrets
from holloway.text.edit_lines import EDIT_LINE_CHARS_MAX
from holloway.text.sketch import SKETCH_DIGESTS_ALONE, SKETCH_READ_CHARS_MAX, sketch_text
from holloway.text.truncation import cut_end, cut_start

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.domain.event import Event, PlanItem
    from holloway.domain.work import Outcome

ENTRY_BYTES = 400
"""Estimated size of an entry without its texts."""

EVICTION_ORDER: tuple[tuple[str, frozenset[ToolKind]], ...] = (
    ("time_anomaly", frozenset({ToolKind.OTHER})),
    ("file_access", frozenset({ToolKind.READ})),
    ("sequence", frozenset({ToolKind.SHELL})),
    ("co_access", frozenset({ToolKind.READ})),
    ("import_chase", frozenset({ToolKind.SEARCH})),
    ("glob_ignore", frozenset({ToolKind.LIST})),
    ("test_order", frozenset({ToolKind.SHELL, ToolKind.SEARCH})),
)
"""Eviction order of a scratchpad over its byte budget: the signal that loses evidence, and the kinds of its actions."""
EVICTED_VOICES = ("host", "thought", "summary", "agent", "user")
"""Voices whose notes are evicted next, in this order; records of the agent are never evicted."""
DELIVERED_REPORT = "report"
DELIVERED_OUTSIDE = "outside"
"""Types of notes with text that the host delivered: a report of a subagent, and a file outside of the project."""
RESULT_DIGESTS_MAX = 1_000
PROTECTED_NOTES_MAX = 200
"""Limit of notes of a voice that survive eviction because they carry a correction: ten times what a session yields."""

_REDIRECTION = re.compile(r"(?:^|[^-=0-9&])>(?!&)")
_WRITING_COMMANDS = ("sed -i", "perl -", "tee ", "patch", "cp ", "mv ", "rm ", "touch ")
"""Shell commands that may change a file: evidence of a conflict between two agents."""


@dataclass(slots=True)
class Action:
    """One tool call, with its result once that is known."""

    step: int
    at: float
    kind: ToolKind
    call: str = ""
    tool: str = ""
    path: str = ""
    pattern: str = ""
    command: str = ""
    url: str = ""
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    outside: bool = False
    actor: str = ""
    ok: bool | None = None
    ended_at: float = 0.0
    text: str = ""
    files: tuple[str, ...] = ()
    count: int = 0
    changed_by_user: bool = False
    untracked: bool = False
    applied: tuple[str, ...] = ()
    whole: str = ""
    """The whole text of a long result, in memory only."""
    digests: tuple[int, ...] = ()
    """Sketch of a long result whose whole text was not recorded."""

    def drop_whole_text(self) -> None:
        """Replace the whole text of a long result by its sketch."""
        if self.whole:
            self.digests = tuple(sketch_text(self.whole, RESULT_DIGESTS_MAX, SKETCH_DIGESTS_ALONE))
            self.whole = ""


@dataclass(slots=True)
class Note:
    """A statement: its voice (user, agent, thought, summary, record, host), its text, and the step that it followed.

    The host's is a text that it delivered, with `files` for the file that has it and `type` for its origin.
    """

    step: int
    at: float
    voice: str
    text: str
    actor: str = ""
    type: str = ""
    files: tuple[str, ...] = ()
    details: str = ""
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class Subtask:
    """A finished subtask, and whether it was validated."""

    step: int
    name: str
    validated: bool


Entry = TypeVar("Entry", Action, Note)


def _is_never_protected(text: str) -> bool:
    return False


@dataclass(slots=True)
class Scratchpad:
    """The bounded log of one running session."""

    start: events.Started | None = None
    last_at: float = 0.0
    step: int = 0
    actions: list[Action] = field(default_factory=list)
    plan: tuple[PlanItem, ...] = ()
    first_plan: int = 0
    plan_mode: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    context_peak: int = 0
    interrupted_at: int = -1
    redirected: bool = False
    """Whether the user sent a prompt after the interruption."""
    subtasks: list[Subtask] = field(default_factory=list)
    qa_passed: bool | None = None
    qa_findings: tuple[str, ...] = ()
    qa_verdicts: tuple[bool, ...] = ()
    """Whether each QA check passed, in order."""
    ended: str | None = None
    outcome: Outcome | None = None
    events: int = 0
    failed: int = 0
    """Number of events that could not be recorded."""
    slow: int = 0
    """Number of events that exceeded their time budget."""
    bytes: int = 0
    evicted: tuple[str, ...] = ()
    _notes: list[Note] = field(default_factory=list)
    _unread_notes: deque[Note] = field(default_factory=deque, init=False)
    """Notes as they were said. Secrets are cut out when somebody reads a note, because now the agent waits."""
    _reading: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)
    _calls: dict[str, Action] = field(default_factory=dict)
    _is_protected: Callable[[str], bool] = _is_never_protected

    @property
    def notes(self) -> list[Note]:
        """The statements of the session in order, with secrets cut out."""
        # Not later: a lesson changes case and line breaks, by which the scanner recognises some secrets.
        with self._reading:
            while self._unread_notes:
                note = self._unread_notes[0]
                self._notes.append(replace(note, text=redact_secrets(note.text)[0]))
                self._unread_notes.popleft()
        return self._notes

    @notes.setter
    def notes(self, notes: list[Note]) -> None:
        self._notes = notes
        self._unread_notes.clear()

    def count_notes(self, voice: str) -> int:
        """Count the statements of one voice."""
        return sum(note.voice == voice for note in (*self._notes, *self._unread_notes))

    def protect_notes(self, is_protected: Callable[[str], bool]) -> None:
        """Set the check for notes that eviction must keep; the scratchpad itself cannot recognise a correction."""
        self._is_protected = is_protected

    def add_event(self, event: Event) -> None:
        """Record one event; a duplicate call or a result without a call is ignored."""
        self.events += 1
        self.last_at = max(self.last_at, event.at)
        _HANDLERS[type(event)](self, event)
        if self.bytes > config.SCRATCHPAD_BYTES_MAX:
            self._evict_entries()

    def _evict_entries(self) -> None:
        """Evict entries until the scratchpad fits its byte budget.

        The stages drop the older half of the least useful actions, then results, notes, and changed lines. File
        changes, their actors, failures and notes that carry a correction stay; the older half of failures and then of
        all actions goes only as a last resort.
        """
        action_stages = [partial(self._drop_actions, *row) for row in EVICTION_ORDER]
        note_stages = [partial(self._drop_notes, voice) for voice in EVICTED_VOICES]
        last_stages = [self._drop_lines, self._drop_failures, self._drop_oldest]
        stages: list[Callable[[], None]] = [
            self._drop_whole_texts,
            *action_stages,
            self._drop_results,
            *note_stages,
            *last_stages,
        ]
        for stage in stages:
            if self.bytes <= config.SCRATCHPAD_BYTES_MAX:
                break
            stage()
            self.bytes = self._estimate_size()

    def _estimate_size(self) -> int:
        notes = (*self._notes, *self._unread_notes)
        return sum(map(estimate_bytes, self.actions)) + sum(map(estimate_bytes, notes))

    def _drop_whole_texts(self) -> None:
        for action in self.actions:
            action.drop_whole_text()

    def _drop_actions(self, signal: str, kinds: frozenset[ToolKind]) -> None:
        self._drop_older_half(
            [
                action
                for action in self.actions
                if action.kind in kinds and action.ok is not False and not _is_file_write(action)
            ]
        )
        self.evicted = tuple(dict.fromkeys((*self.evicted, signal)))

    def _drop_failures(self) -> None:
        self._drop_older_half([action for action in self.actions if action.ok is False and not _is_file_write(action)])

    def _drop_oldest(self) -> None:
        self._drop_older_half(self.actions)

    def _drop_older_half(self, candidates: list[Action]) -> None:
        dropped = {id(action): action for action in _older_half(candidates)}
        self.actions = [action for action in self.actions if id(action) not in dropped]
        for action in dropped.values():
            self._calls.pop(action.call, None)

    def _drop_results(self) -> None:
        for action in self.actions:
            if action.ok is not False:
                action.text, action.files, action.whole = "", (), ""

    def _drop_notes(self, voice: str) -> None:
        old = _older_half([note for note in self.notes if note.voice == voice])
        retained = {
            id(note) for note in islice((note for note in old if self._is_protected(note.text)), PROTECTED_NOTES_MAX)
        }
        dropped = {id(note) for note in old} - retained
        self.notes = [note for note in self.notes if id(note) not in dropped]

    def _drop_lines(self) -> None:
        for action in _older_half(self.actions):
            action.removed, action.added, action.applied = (), (), ()


def _older_half(entries: list[Entry]) -> list[Entry]:
    """Return the older half; a single entry stays, because otherwise a full scratchpad could never record another."""
    return entries[: len(entries) // 2]


def _is_file_write(action: Action) -> bool:
    if action.kind is not ToolKind.SHELL:
        return False
    redirects = ">" in action.command and _REDIRECTION.search(action.command)
    return bool(redirects) or any(writer in action.command for writer in _WRITING_COMMANDS)


def estimate_bytes(entry: Action | Note) -> int:
    """Estimate the size of an entry in bytes."""
    if isinstance(entry, Note):
        return ENTRY_BYTES + len(entry.text)
    request = len(entry.command) + len(entry.path) + len(entry.pattern) + len(entry.url)
    lines = sum(map(_estimate_line_bytes, (entry.removed, entry.added, entry.applied)))
    return ENTRY_BYTES + request + lines + _estimate_result_bytes(entry)


def _estimate_result_bytes(action: Action) -> int:
    return len(action.text) + len(action.whole) + 8 * len(action.digests) + 64 * len(action.files)


def _estimate_line_bytes(lines: tuple[str, ...]) -> int:
    return sum(map(len, lines)) + 64 * len(lines)


def truncate_middle(text: str, limit: int) -> str:
    """Truncate a text in the middle: keep its beginning and twice as much of its end, with errors and verdicts."""
    if len(text) <= limit:
        return text
    head = limit // 3
    return cut_start(text, head) + "\n…\n" + cut_end(text, limit - head)


def _add_start(pad: Scratchpad, event: events.Started) -> None:
    if pad.start is None:
        pad.start = replace(event, task=cut_start(event.task, config.SCRATCHPAD_TEXT_CHARS_MAX))


def _add_prompt(pad: Scratchpad, event: events.Prompt) -> None:
    pad.redirected = pad.redirected or (pad.interrupted_at >= 0 and bool(event.text.strip()))
    _append_note(pad, Note(pad.step, event.at, "user", cut_start(event.text, config.SCRATCHPAD_TEXT_CHARS_MAX)))


def _add_statement(pad: Scratchpad, event: events.Said) -> None:
    voice = "thought" if event.thinking else "agent"
    _append_note(
        pad, Note(pad.step, event.at, voice, truncate_middle(event.text, config.SCRATCHPAD_TEXT_CHARS_MAX), event.actor)
    )


def _add_summary(pad: Scratchpad, event: events.Summarized) -> None:
    _append_note(pad, Note(pad.step, event.at, "summary", cut_start(event.text, config.SCRATCHPAD_TEXT_CHARS_MAX)))


def _add_delivery(pad: Scratchpad, event: events.Delivered) -> None:
    origin = DELIVERED_REPORT if event.report else DELIVERED_OUTSIDE if event.outside else ""
    files = (event.path[: config.PATH_CHARS_MAX],) if event.path else ()
    text = truncate_middle(event.text, config.SCRATCHPAD_TEXT_CHARS_MAX)
    _append_note(pad, Note(pad.step, event.at, "host", text, type=origin, files=files))


def _add_record(pad: Scratchpad, event: events.Recorded) -> None:
    if pad.count_notes("record") < config.RECORDS_PER_SESSION_MAX:
        text = cut_start(event.text, config.SCRATCHPAD_TEXT_CHARS_MAX)
        files = event.files[: config.MEMORY_FILES_MAX]
        details = event.details if len(event.details) <= config.RECORD_DETAILS_CHARS_MAX else ""
        tags = event.tags[: config.MEMORY_TAGS_MAX]
        _append_note(pad, Note(pad.step, event.at, "record", text, event.actor, event.type, files, details, tags))


def _append_note(pad: Scratchpad, note: Note) -> None:
    pad._unread_notes.append(note)
    pad.bytes += ENTRY_BYTES + len(note.text) + len(note.details)


def _add_call(pad: Scratchpad, event: events.Call) -> None:
    call = event.call[:CALL_ID_CHARS_MAX]
    if call and call in pad._calls:
        return
    pad.step += 1
    action = Action(
        pad.step,
        event.at,
        event.kind,
        call,
        event.tool[:100],
        event.path[: config.PATH_CHARS_MAX],
        cut_start(event.pattern, config.SHORT_TEXT_CHARS_MAX),
        cut_start(event.command, config.SCRATCHPAD_TEXT_CHARS_MAX),
        cut_start(event.url, config.SHORT_TEXT_CHARS_MAX),
        _limit_lines(event.removed),
        _limit_lines(event.added),
        event.outside,
        event.actor,
    )
    pad.actions.append(action)
    if call:
        pad._calls[call] = action
    pad.bytes += estimate_bytes(action)


def _limit_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    limited = lines[: config.SCRATCHPAD_LINES_MAX]
    has_long_line = max(map(len, limited), default=0) > EDIT_LINE_CHARS_MAX
    return tuple(cut_start(line, EDIT_LINE_CHARS_MAX) for line in limited) if has_long_line else limited


def _add_result(pad: Scratchpad, event: events.Result) -> None:
    action = pad._calls.get(event.call[:CALL_ID_CHARS_MAX])
    if action is None or action.ok is not None:
        return
    action.ok = event.ok
    action.ended_at = max(action.at, event.at)
    action.text = truncate_middle(event.text, config.SCRATCHPAD_RESULT_CHARS_MAX)
    if len(event.text) > config.SCRATCHPAD_RESULT_CHARS_MAX and action.kind not in (ToolKind.EDIT, ToolKind.WRITE):
        action.whole = truncate_middle(event.text, SKETCH_READ_CHARS_MAX)
    action.digests = event.digests[:RESULT_DIGESTS_MAX]
    action.files = event.files[: config.SCRATCHPAD_FILES_MAX]
    action.count = event.count or len(event.files)
    action.changed_by_user = event.changed_by_user
    action.untracked = event.untracked
    action.applied = _limit_lines(event.applied)
    pad.bytes += (
        len(action.text)
        + len(action.whole)
        + 8 * len(action.digests)
        + 64 * len(action.files)
        + _estimate_line_bytes(action.applied)
    )


def _add_usage(pad: Scratchpad, event: events.Usage) -> None:
    pad.tokens_in += max(0, event.tokens_in)
    pad.tokens_out += max(0, event.tokens_out)
    pad.context_peak = max(pad.context_peak, event.context)


def _set_plan(pad: Scratchpad, event: events.Plan) -> None:
    pad.plan_mode = pad.plan_mode or event.mode
    if event.items:
        items = event.items[: config.SCRATCHPAD_PLAN_ITEMS_MAX]
        pad.plan = tuple([replace(item, text=cut_start(item.text, config.SHORT_TEXT_CHARS_MAX)) for item in items])
        pad.first_plan = pad.first_plan or len(pad.plan)


def _mark_interrupted(pad: Scratchpad, event: events.Interrupted) -> None:
    pad.interrupted_at, pad.redirected = pad.step, False


def _add_subtask(pad: Scratchpad, event: events.SubtaskDone) -> None:
    if len(pad.subtasks) < config.SCRATCHPAD_SUBTASKS_MAX:
        pad.subtasks.append(Subtask(pad.step, cut_start(event.name, config.SHORT_TEXT_CHARS_MAX), event.validated))


def _add_qa_findings(pad: Scratchpad, event: events.QaFindings) -> None:
    pad.qa_passed = event.passed
    pad.qa_verdicts = (*pad.qa_verdicts, event.passed)[: config.SCRATCHPAD_SUBTASKS_MAX]
    pad.qa_findings = tuple(
        cut_start(text, config.SHORT_TEXT_CHARS_MAX) for text in event.findings[: config.DETAIL_ITEMS_MAX]
    )


def _mark_ended(pad: Scratchpad, event: events.Ended) -> None:
    pad.ended = event.reason[: config.TAG_CHARS_MAX]
    pad.outcome = event.outcome or pad.outcome


_HANDLERS: dict[type, Callable[[Scratchpad, Any], None]] = {
    events.Started: _add_start,
    events.Prompt: _add_prompt,
    events.Call: _add_call,
    events.Result: _add_result,
    events.Said: _add_statement,
    events.Summarized: _add_summary,
    events.Delivered: _add_delivery,
    events.Usage: _add_usage,
    events.Plan: _set_plan,
    events.Interrupted: _mark_interrupted,
    events.Recorded: _add_record,
    events.SubtaskDone: _add_subtask,
    events.QaFindings: _add_qa_findings,
    events.Ended: _mark_ended,
}
