"""Recorded sessions of real coding agents, as events: a line with `session` opens one, its events follow.

The data sets name tools as Claude Code does. Paths were made relative when the set was made.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from holloway.capture import tool_events
from holloway.domain.event import (
    Ended,
    Event,
    Interrupted,
    Plan,
    PlanItem,
    Prompt,
    Result,
    Said,
    Started,
    ToolKind,
)
from holloway.domain.event import Recorded as Noted
from holloway.observer.words import prompt

RECORD = "mcp__holloway__record"
DEV = "sessions_entireio_cli_dev.jsonl.gz"

ROOT = "/recorded"
"""The assumed folder of the sessions; their paths were made relative when the set was made."""

_ROOT = re.compile(
    r"/(?:home|Users)/\w+/(?:[\w.-]+/)*?cli(?:/\.worktrees/[\w./-]+?)?/(?=cmd/|\.|\w+\.\w+|docs/|scripts/)"
)
_PATH = re.compile(r"^(?:\./)?([\w.@-]+(?:/[\w.@-]+)*\.\w+)(?::\d+.*)?$", re.MULTILINE)


@dataclass
class Recorded:
    """One session of a data set."""

    id: str
    start: float
    branch: str
    """The branch at its end, which nobody knows before."""
    files_touched: tuple[str, ...]
    rows: list[dict[str, Any]] = field(default_factory=list)
    began_on: str = ""
    """The branch at its beginning, where the data tells it."""

    def events(self) -> Iterator[Event]:
        """The session as the observer sees it."""
        yield Started(self.start, self.id, "claude-code", self.branch)
        todos: dict[str, PlanItem] = {}
        last = self.start
        for row in self.rows:
            last = max(last, seconds(row.get("ts"), last))
            yield from _events(row, last, todos)
        yield Ended(last, "data set")


def load_sessions(path: Path) -> list[Recorded]:
    """The sessions of a file, in time order."""
    recorded_sessions: list[Recorded] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if "session" in row:
                recorded_sessions.append(_open_session(row))
            else:
                recorded_sessions[-1].rows.append(row)
    return sorted(recorded_sessions, key=lambda session: session.start)


def _open_session(row: dict[str, Any]) -> Recorded:
    touched, began_on = tuple(row.get("files_touched") or ()), row.get("began_on") or ""
    start = seconds(row["start"], 0.0)
    return Recorded(row["session"], start, row.get("branch") or "", touched, began_on=began_on)


def seconds(stamp: str | None, otherwise: float) -> float:
    """A time stamp as seconds since 1970."""
    return datetime.fromisoformat(stamp).timestamp() if stamp else otherwise


def _events(row: dict[str, Any], at: float, todos: dict[str, PlanItem]) -> Iterator[Event]:
    kind = row["k"]
    if kind == "user":
        if prompt.is_interruption(row["text"]):
            yield Interrupted(at)
        yield Prompt(at, row["text"])
    elif kind in ("think", "text"):
        yield Said(at, row["text"], thinking=kind == "think")
    elif kind == "call":
        yield from _call(row, at, todos)
    elif kind == "result":
        files = tuple(dict.fromkeys(_PATH.findall(relative(row["text"]))))
        text = relative(row["text"])
        untracked = bool(row.get("untracked"))
        yield Result(at, row["id"], not row.get("err"), text, files, len(files), untracked=untracked)


def _call(row: dict[str, Any], at: float, todos: dict[str, PlanItem]) -> Iterator[Event]:
    tool, call_arguments = row["tool"], arguments(row["inp"])
    if tool == RECORD:
        yield Noted(at, str(call_arguments.get("content") or ""), str(call_arguments.get("type") or ""))
        return
    if (plan := _plan(tool, call_arguments, at, todos)) is not None:
        yield plan
    named = str(call_arguments.get("file_path") or call_arguments.get("notebook_path") or "")
    local = {name: relative(value) if name in ("command", "path") else value for name, value in call_arguments.items()}
    call = tool_events.build_call(tool, local, at=at, call_id=row["id"], root=ROOT)
    if call.kind in (ToolKind.READ, ToolKind.EDIT, ToolKind.WRITE):
        path = (row.get("paths") or [""])[0]
        call = replace(call, path=path, outside=path.startswith(("/", "~")) or (bool(named) and not path))
    yield call


_FIELD = re.compile(r'"(command|pattern|old_string|new_string|content)": "((?:[^"\\]|\\.)*)', re.DOTALL)


def arguments(text: str) -> dict[str, Any]:
    """A call's arguments; the record cuts long ones, so that what is left is taken field by field."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return {name: _unescape(value) for name, value in _FIELD.findall(text)}
    return parsed if isinstance(parsed, dict) else {}


def _unescape(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"'))
    except ValueError:
        return value


def _plan(tool: str, arguments: dict[str, Any], at: float, todos: dict[str, PlanItem]) -> Plan | None:
    if tool == "TodoWrite" and isinstance(arguments.get("todos"), list):
        items = (item for item in arguments["todos"] if isinstance(item, dict))
        return Plan(at, tuple(PlanItem(str(item.get("content")), item.get("status") == "completed") for item in items))
    if tool == "TaskCreate":
        todos[str(len(todos) + 1)] = PlanItem(str(arguments.get("subject") or ""))
        return Plan(at, tuple(todos.values()))
    if tool == "TaskUpdate" and str(arguments.get("taskId")) in todos:
        item = todos[str(arguments["taskId"])]
        todos[str(arguments["taskId"])] = PlanItem(item.text, arguments.get("status") == "completed")
        return Plan(at, tuple(todos.values()))
    if tool in ("ExitPlanMode", "EnterPlanMode"):
        return Plan(at, mode=True)
    return None


def relative(text: str) -> str:
    """A text with the checkout's own folder cut from its paths."""
    return _ROOT.sub("", text)
