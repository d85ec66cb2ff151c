"""The journals that our own hooks wrote: one line an event, enough to follow a session without its transcript."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import claude_code, codex, tool_events
from holloway.capture.journal_fields import TARGETS, TASK
from holloway.capture.json_lines import items, mapping, moment, number, objects, text
from holloway.capture.session_reader import SAME_PROMPT_S, Following
from holloway.config import PATH_CHARS_MAX, SCRATCHPAD_LINES_MAX, TEXT_CHARS_MAX
from holloway.domain.event import Call, Ended, Interrupted, Plan, PlanItem, Said, Started, ToolKind
from holloway.text.tools import FILES_MAX

if TYPE_CHECKING:
    from holloway.domain.event import Event

ENTRIES_COMPARED_MAX = 256
"""An entry is compared with so many before it: other hosts may run the same hooks."""
ID_CHARS_MAX = 200

_WAKING = frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event"})
"""Sources of prompts that nobody typed."""
_NOTHING = "No files found"
"""What a search that found nothing says to the agent; a hook is told the number alone."""
_TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a session; `transcript` is the host's own account of it where that can be read."""

    path: Path
    session: str
    agent: str
    started_at: float
    modified_at: float
    ended: bool
    transcript: Path | None = None


def sessions(folder: Path) -> list[Journal]:
    """The journals in a folder, the oldest first, each with the transcript that tells more, if there is one."""
    found = (_about(path) for path in sorted(folder.glob("*.jsonl")))
    return sorted((each for each in found if each), key=lambda each: (each.started_at, each.session))


def _about(path: Path) -> Journal | None:
    try:
        modified = path.stat().st_mtime
    except OSError:
        return None
    told: dict[str, str] = {}
    started, last = 0.0, ""
    for row in objects(path):
        started = started or moment(row.get("at"), 0.0)
        last = text(row.get("event"), ID_CHARS_MAX) or last
        told |= {name: given for name in ("session", "host", "transcript") if (given := text(row.get(name)))}
    named = _file(told["transcript"]) if "transcript" in told else None
    return Journal(
        path,
        told.get("session", path.stem),
        _agent(told),
        started or modified,
        modified,
        last == "SessionEnd",
        named,
    )


def _agent(told: Mapping[str, object]) -> str:
    rollout = Path(text(told.get("transcript"))).name.startswith("rollout-")
    return text(told.get("host"), TEXT_CHARS_MAX) or (codex.AGENT if rollout else claude_code.AGENT)


def _file(named: str) -> Path | None:
    """The transcript of this name, if it can be read."""
    try:
        path = Path(named).expanduser()
        return path if path.suffix == ".jsonl" and path.is_file() and os.access(path, os.R_OK) else None
    except (OSError, ValueError, RuntimeError):
        return None


def read(path: Path, root: Path) -> Iterator[Event]:
    """The events of a session, by its journal alone."""
    reader = _Reader(path.stem, root)
    for row in objects(path):
        yield from reader.row(row)


def recorded(folder: Path) -> Iterator[str]:
    """What agents asked to be remembered, by all the journals in a folder."""
    for path in sorted(folder.glob("*.jsonl")):
        for row in objects(path):
            if said := text(mapping(row.get("record")).get("text")):
                yield said


def located(path: Path) -> dict[str, float]:
    """The files that a session was sent to with its prompts, by its journal, and when it was first told of each."""
    found: dict[str, float] = {}
    for row in objects(path):
        if row.get("event") == "Located":
            for named in items(row.get("files")):
                found.setdefault(text(named, PATH_CHARS_MAX), moment(row.get("at"), math.inf))
    return found


def resumed(path: Path) -> tuple[bool | None, float]:
    """Whether the host resumed a session, by its journal, and when it last did; None where no start is told."""
    is_resumed: bool | None = None
    at = 0.0
    for row in objects(path):
        if row.get("event") == "SessionStart" and (source := text(row.get("source"))):
            is_resumed = bool(is_resumed) or source == "resume"
            at = moment(row.get("at"), at) if source == "resume" else at
    return is_resumed, at


class _Reader:
    """One journal, being read."""

    def __init__(self, name: str, root: Path) -> None:
        self._following = Following(root)
        self._name = name
        self._started = False
        self._unnamed = 0
        self._recent: dict[str, float] = {}

    def row(self, row: Mapping[str, object]) -> Iterator[Event]:
        """What one line tells."""
        at = self._following.now(row.get("at"))
        event = row.get("event")
        if not isinstance(event, str) or self._repeats(row, at):
            return
        if not self._started:
            self._started = True
            session = text(row.get("session"), ID_CHARS_MAX) or self._name
            branch, commit = text(row.get("branch"), ID_CHARS_MAX), text(row.get("commit"), ID_CHARS_MAX)
            yield Started(at, session, _agent(row), branch, commit)
        self._following.cwd = os.path.join(self._following.root, text(row.get("cwd"), PATH_CHARS_MAX))  # noqa: PTH118
        if event in _TOOL_EVENTS:
            yield from self._tool(row, event)
        elif event == "UserPromptSubmit":
            yield from self._prompt(row, at)
        elif said := (text(row.get("last_assistant_message")) or text(row.get("compact_summary"))).strip():
            # Where the host cuts the context, what the agent says of its work so far is all that is left of it.
            yield Said(at, said, False, text(row.get("agent"), ID_CHARS_MAX))
        if event == "SessionEnd":
            yield Ended(at, text(row.get("reason"), TEXT_CHARS_MAX))

    def _repeats(self, row: Mapping[str, object], at: float) -> bool:
        """Whether the same was told a moment ago."""
        try:
            same = text(row.get("same"), ID_CHARS_MAX) or json.dumps({**row, "at": ""}, sort_keys=True)
        except RecursionError:  # no hook of ours wrote this
            return False
        before = self._recent.pop(same, None)
        self._recent[same] = at
        if len(self._recent) > ENTRIES_COMPARED_MAX:
            del self._recent[next(iter(self._recent))]
        return before is not None and abs(at - before) <= SAME_PROMPT_S

    def _prompt(self, row: Mapping[str, object], at: float) -> Iterator[Event]:
        if row.get("mode") == "plan":
            yield Plan(at, mode=True)
        if text(row.get("source")) not in _WAKING:
            yield from self._following.prompted(claude_code.spoken(text(row.get("prompt"))))

    def _tool(self, row: Mapping[str, object], event: str) -> Iterator[Event]:
        tool, call_id = text(row.get("tool"), ID_CHARS_MAX), text(row.get("call"), ID_CHARS_MAX)
        if not tool:
            return
        self._unnamed += not call_id
        call_id = call_id or f"call-{self._unnamed}"
        actor = text(row.get("agent"), ID_CHARS_MAX)
        if record := mapping(row.get("record")):
            self._following.records(call_id, record, actor)
        yield from self._following.take(self._calls(row, tool, call_id, actor))
        if not actor and (plan := self._plan(row, tool)):
            yield plan
        if event != "PreToolUse":
            yield from self._answer(row, call_id)

    def _calls(self, row: Mapping[str, object], tool: str, call_id: str, actor: str) -> list[Call]:
        at, root = self._following.at, self._following.root
        if edits := [mapping(edit) for edit in items(row.get("edits"))]:
            return [
                Call(
                    at,
                    tool_events.part(call_id, n),
                    ToolKind.WRITE if edit.get("kind") == "write" else ToolKind.EDIT,
                    tool,
                    path=text(edit.get("path"), PATH_CHARS_MAX),
                    removed=_lines(edit.get("removed")),
                    added=_lines(edit.get("added")),
                    outside=edit.get("outside") is True,
                    actor=actor,
                )
                for n, edit in enumerate(edits)
            ]
        arguments = {name: row[name] for name in TARGETS if name in row}
        made = tool_events.call(
            tool, arguments, at=at, call_id=call_id, root=root, cwd=self._following.cwd, actor=actor
        )
        changed = replace(made, removed=_lines(row.get("removed")), added=_lines(row.get("added")))
        more = [(text(path, PATH_CHARS_MAX), not path) for path in items(row.get("more"))[: FILES_MAX - 1]]
        first = (text(row.get("path"), PATH_CHARS_MAX), row.get("outside") is True)
        places = tool_events.in_turn(made.kind, [first, *more])
        return [
            replace(changed, call=tool_events.part(call_id, n), path="" if path == "." else path, outside=outside)
            for n, (path, outside) in enumerate(places)
        ]

    def _plan(self, row: Mapping[str, object], tool: str) -> Plan | None:
        if listed := [items(each) for each in items(row.get("plan"))]:
            done = [PlanItem(text(each[0], TEXT_CHARS_MAX), each[1] is True) for each in listed if len(each) == 2]
            return Plan(self._following.at, tuple(done))
        return self._following.planned(tool, {key: row.get(field) for key, field, _ in TASK})

    def _answer(self, row: Mapping[str, object], call_id: str) -> Iterator[Event]:
        yield from self._following.answered(
            call_id,
            text(row.get("error")) or text(row.get("text")) or _NOTHING * (row.get("count") == 0),
            ok=row.get("failed") is not True and row.get("event") != "PostToolUseFailure",
            named=items(row.get("files")),
            count=number(row.get("count")),
            changed_by_user=row.get("changed") is True,
        )
        if row.get("interrupted") is True:
            yield Interrupted(self._following.at)


def _lines(given: object) -> tuple[str, ...]:
    return tuple(text(line, TEXT_CHARS_MAX) for line in items(given)[:SCRATCHPAD_LINES_MAX])
