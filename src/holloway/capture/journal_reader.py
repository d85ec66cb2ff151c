"""Reader of the journals that our hooks wrote; a journal is enough to follow a session without its transcript."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import hosts, tool_events
from holloway.capture.host_text import extract_user_text, list_inserted_texts
from holloway.capture.journal import DIGESTS_KEPT_MAX
from holloway.capture.journal_fields import TARGET_FIELDS, TASK
from holloway.capture.json_lines import as_count, as_items, as_mapping, as_text, parse_time, read_objects
from holloway.capture.session_reader import SAME_PROMPT_S, Following
from holloway.config import PATH_CHARS_MAX, SCRATCHPAD_LINES_MAX, SHORT_TEXT_CHARS_MAX
from holloway.domain.event import Call, Ended, Interrupted, Plan, PlanItem, Said, Started, Summarized, ToolKind
from holloway.text.tools import TOOL_FILES_MAX

if TYPE_CHECKING:
    from holloway.domain.event import Event

ENTRIES_COMPARED_MAX = 256
"""Number of earlier entries that an entry is compared with: other hosts may run the same hooks."""
JOURNAL_ID_CHARS_MAX = 200

_WAKING = frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event"})
"""Sources of prompts that no user typed."""
_NOTHING = "No files found"
"""Output of a search without matches, as the agent sees it; a hook only receives the count."""
_DIGEST = re.compile(r"[0-9a-f]{1,16}")
_TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a session; `transcript` is the host's transcript of it, if that is readable."""

    path: Path
    session: str
    agent: str
    started_at: float
    modified_at: float
    ended: bool
    transcript: Path | None = None


def list_journals(folder: Path) -> list[Journal]:
    """Return the journals in a folder, oldest first, each with the host's transcript if that is readable."""
    headers = (_read_header(path) for path in sorted(folder.glob("*.jsonl")))
    journals = (journal for journal in headers if journal)
    return sorted(journals, key=lambda journal: (journal.started_at, journal.session))


def _read_header(path: Path) -> Journal | None:
    try:
        modified = path.stat().st_mtime
    except OSError:
        return None
    fields: dict[str, str] = {}
    started, last = 0.0, ""
    for row in read_objects(path):
        started = started or parse_time(row.get("at"), 0.0)
        last = as_text(row.get("event"), JOURNAL_ID_CHARS_MAX) or last
        fields |= {name: value for name in ("session", "host", "transcript") if (value := as_text(row.get(name)))}
    named = _transcript_file(fields["transcript"]) if "transcript" in fields else None
    return Journal(
        path,
        fields.get("session", path.stem),
        _agent_name(fields),
        started or modified,
        modified,
        last == "SessionEnd",
        named,
    )


def _agent_name(entry: Mapping[str, object]) -> str:
    rollout = Path(as_text(entry.get("transcript"))).name.startswith("rollout-")
    return as_text(entry.get("host"), SHORT_TEXT_CHARS_MAX) or (hosts.CODEX if rollout else hosts.CLAUDE_CODE)


def _transcript_file(named: str) -> Path | None:
    """Return the path of a transcript; None if it is not a readable file."""
    try:
        path = Path(named).expanduser()
        return path if path.suffix == ".jsonl" and path.is_file() and os.access(path, os.R_OK) else None
    except (OSError, ValueError, RuntimeError):
        return None


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """Yield the events of a session from its journal alone."""
    reader = _Reader(path.stem, root)
    for row in read_objects(path):
        yield from reader.parse_row(row)


def recorded_notes(folder: Path) -> Iterator[str]:
    """Yield the texts that agents asked to remember, from all journals in a folder."""
    for path in sorted(folder.glob("*.jsonl")):
        for row in read_objects(path):
            if text := as_text(as_mapping(row.get("record")).get("text")):
                yield text


def located_files(path: Path) -> dict[str, float]:
    """Return the files that a journal says were suggested to the session, with the time of the first suggestion."""
    first_times: dict[str, float] = {}
    for row in read_objects(path):
        if row.get("event") == "Located":
            for named in as_items(row.get("files")):
                first_times.setdefault(as_text(named, PATH_CHARS_MAX), parse_time(row.get("at"), math.inf))
    return first_times


def find_start(path: Path) -> float:
    """Return the time of the first line of a journal; 0 if there is none."""
    return next((at for row in read_objects(path) if (at := parse_time(row.get("at"), 0.0))), 0.0)


def find_resume(path: Path) -> tuple[bool | None, float]:
    """Return whether and when the host last resumed a session; None and 0 if its journal records no start."""
    is_resumed: bool | None = None
    at = 0.0
    for row in read_objects(path):
        if row.get("event") == "SessionStart" and (source := as_text(row.get("source"))):
            is_resumed = bool(is_resumed) or source == "resume"
            at = parse_time(row.get("at"), at) if source == "resume" else at
    return is_resumed, at


class _Reader:
    """Parser of one journal."""

    def __init__(self, name: str, root: Path) -> None:
        self._following = Following(root)
        self._name = name
        self._started = False
        self._unnamed = 0
        self._recent: dict[str, float] = {}

    def parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        """Yield the events of one line."""
        at = self._following.entry_time(row.get("at"))
        event = row.get("event")
        if not isinstance(event, str) or self._is_repeated(row, at):
            return
        if not self._started:
            self._started = True
            session = as_text(row.get("session"), JOURNAL_ID_CHARS_MAX) or self._name
            branch, commit = (
                as_text(row.get("branch"), JOURNAL_ID_CHARS_MAX),
                as_text(row.get("commit"), JOURNAL_ID_CHARS_MAX),
            )
            yield Started(at, session, _agent_name(row), branch, commit)
        self._following.cwd = os.path.join(self._following.root, as_text(row.get("cwd"), PATH_CHARS_MAX))  # noqa: PTH118
        if event in _TOOL_EVENTS:
            yield from self._parse_tool(row, event)
        elif event == "UserPromptSubmit":
            yield from self._parse_prompt(row, at)
        else:
            yield from self._parse_words(row, at)
        if event == "SessionEnd":
            yield Ended(at, as_text(row.get("reason"), SHORT_TEXT_CHARS_MAX))

    def _is_repeated(self, row: Mapping[str, object], at: float) -> bool:
        """Return whether an equal entry was recorded a moment before."""
        try:
            same = as_text(row.get("same"), JOURNAL_ID_CHARS_MAX) or json.dumps({**row, "at": ""}, sort_keys=True)
        except RecursionError:  # not written by one of our hooks
            return False
        before = self._recent.pop(same, None)
        self._recent[same] = at
        if len(self._recent) > ENTRIES_COMPARED_MAX:
            del self._recent[next(iter(self._recent))]
        return before is not None and abs(at - before) <= SAME_PROMPT_S

    def _parse_words(self, row: Mapping[str, object], at: float) -> Iterator[Event]:
        """Yield the agent's last message, and the host's summary of a compacted context."""
        actor = as_text(row.get("agent"), JOURNAL_ID_CHARS_MAX)
        if message := as_text(row.get("last_assistant_message")).strip():
            yield Said(at, message, False, actor)
        elif (summary := as_text(row.get("compact_summary")).strip()) and not actor:
            yield Summarized(at, summary)

    def _parse_prompt(self, row: Mapping[str, object], at: float) -> Iterator[Event]:
        if row.get("mode") == "plan":
            yield Plan(at, mode=True)
        prompt = as_text(row.get("prompt"))
        if as_text(row.get("source")) in _WAKING:
            yield from self._following.record_delivery(prompt, report=True)
            return
        for host_text in list_inserted_texts(prompt):
            yield from self._following.record_delivery(*host_text)
        yield from self._following.record_prompt(extract_user_text(prompt))

    def _parse_tool(self, row: Mapping[str, object], event: str) -> Iterator[Event]:
        tool, call_id = as_text(row.get("tool"), JOURNAL_ID_CHARS_MAX), as_text(row.get("call"), JOURNAL_ID_CHARS_MAX)
        if not tool:
            return
        self._unnamed += not call_id
        call_id = call_id or f"call-{self._unnamed}"
        actor = as_text(row.get("agent"), JOURNAL_ID_CHARS_MAX)
        if record := as_mapping(row.get("record")):
            self._following.queue_note(call_id, record, actor)
        yield from self._following.queue_calls(self._build_calls(row, tool, call_id, actor))
        if not actor and (plan := self._parse_plan(row, tool)):
            yield plan
        if event != "PreToolUse":
            yield from self._parse_answer(row, call_id)

    def _build_calls(self, row: Mapping[str, object], tool: str, call_id: str, actor: str) -> list[Call]:
        at, root = self._following.at, self._following.root
        if edits := [as_mapping(edit) for edit in as_items(row.get("edits"))]:
            return [
                Call(
                    at,
                    tool_events.part_id(call_id, n),
                    ToolKind.WRITE if edit.get("kind") == "write" else ToolKind.EDIT,
                    tool,
                    path=as_text(edit.get("path"), PATH_CHARS_MAX),
                    removed=_string_lines(edit.get("removed")),
                    added=_string_lines(edit.get("added")),
                    outside=edit.get("outside") is True,
                    actor=actor,
                )
                for n, edit in enumerate(edits)
            ]
        arguments = {name: row[name] for name in TARGET_FIELDS if name in row}
        call = tool_events.build_call(
            tool, arguments, at=at, call_id=call_id, root=root, cwd=self._following.cwd, actor=actor
        )
        changed = replace(call, removed=_string_lines(row.get("removed")), added=_string_lines(row.get("added")))
        more = [(as_text(path, PATH_CHARS_MAX), not path) for path in as_items(row.get("more"))[: TOOL_FILES_MAX - 1]]
        first = (as_text(row.get("path"), PATH_CHARS_MAX), row.get("outside") is True)
        places = tool_events.in_turn(call.kind, [first, *more])
        return [
            replace(changed, call=tool_events.part_id(call_id, n), path="" if path == "." else path, outside=outside)
            for n, (path, outside) in enumerate(places)
        ]

    def _parse_plan(self, row: Mapping[str, object], tool: str) -> Plan | None:
        if listed := [as_items(item) for item in as_items(row.get("plan"))]:
            items = [
                PlanItem(as_text(item[0], SHORT_TEXT_CHARS_MAX), item[1] is True) for item in listed if len(item) == 2
            ]
            return Plan(self._following.at, tuple(items))
        return self._following.update_plan(tool, {key: row.get(field) for key, field, _ in TASK})

    def _parse_answer(self, row: Mapping[str, object], call_id: str) -> Iterator[Event]:
        yield from self._following.record_answer(
            call_id,
            as_text(row.get("error")) or as_text(row.get("text")) or _NOTHING * (row.get("count") == 0),
            ok=row.get("failed") is not True and row.get("event") != "PostToolUseFailure",
            named=as_items(row.get("files")),
            count=as_count(row.get("count")),
            changed_by_user=row.get("changed") is True,
            digests=_parse_digests(row.get("digests")),
        )
        if row.get("interrupted") is True:
            yield Interrupted(self._following.at)


def _parse_digests(values: object) -> tuple[int, ...]:
    texts = (item for item in as_items(values)[:DIGESTS_KEPT_MAX] if isinstance(item, str))
    return tuple(int(text, 16) for text in texts if _DIGEST.fullmatch(text))


def _string_lines(values: object) -> tuple[str, ...]:
    return tuple(as_text(line, SHORT_TEXT_CHARS_MAX) for line in as_items(values)[:SCRATCHPAD_LINES_MAX])
