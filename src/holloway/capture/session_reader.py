"""State of a session while it is read: the current folder, the to-do list, and tool calls without a result yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import project_paths, tool_events
from holloway.capture.json_lines import as_items, as_mapping, as_text, parse_time
from holloway.config import (
    MEMORY_FILES_MAX,
    MEMORY_TAGS_MAX,
    PATH_CHARS_MAX,
    SCRATCHPAD_FILES_MAX,
    SCRATCHPAD_PLAN_ITEMS_MAX,
    SHORT_TEXT_CHARS_MAX,
    TAG_CHARS_MAX,
)
from holloway.domain.event import (
    Call,
    Delivered,
    Event,
    Interrupted,
    Plan,
    PlanItem,
    Prompt,
    Recorded,
    Result,
    Said,
)
from holloway.domain.memory_json import dump_record_details
from holloway.text.agent_note import find_note
from holloway.text.tools import is_record

if TYPE_CHECKING:
    from holloway.text.edit_lines import Change

OPEN_CALLS_MAX = 10_000
CALLS_KNOWN_MAX = 100_000
COPIED_ENTRIES_MAX = 100_000
"""Number of entries of a session that are remembered to recognise their copies in a fork of it."""
SUBAGENTS_MAX = 200
"""Maximum number of subagents of one session whose files are read."""
HEADER_LINES = 5
"""Number of lines searched for the description of a session."""
RUNNING_MAX = 1_000
"""Maximum number of commands in the background that are followed."""
SAME_PROMPT_S = 2.0
"""Interval within which two equal prompts count as one prompt recorded twice."""
INTERRUPTED = "[Request interrupted by user"
_LISTS = {"TodoWrite": "todos", "todowrite": "todos", "write_todos": "todos", "update_plan": "plan"}
_MODES = frozenset({"EnterPlanMode", "ExitPlanMode", "exit_plan_mode", "enter_plan_mode"})
_NAMES = ("content", "step", "description", "title", "text")
_DONE = frozenset({"completed", "complete", "done"})
_STEP = re.compile(r"(?:#{1,6} |\*\*)?(?:Step )?\d{1,2}[.):] *(\S.{2,300})")


class Following:
    """The state of one session that is being read."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.cwd = ""
        self.at = 0.0
        self._open: dict[str, tuple[Call, int]] = {}
        self._unnamed = 0
        self._records: dict[str, Recorded] = {}
        self._plans = Plans()
        self._prompt = ("", 0.0)

    def entry_time(self, stamp: object) -> float:
        """Return the time of an entry; an entry without a time gets that of the entry before."""
        self.at = parse_time(stamp, self.at)
        return self.at

    def set_folder(self, folder: object) -> None:
        """Set the agent's folder for the following entries."""
        self.cwd = as_text(folder, 4_096) or self.cwd

    def record_tool_use(
        self,
        tool: object,
        arguments: Mapping[str, object],
        call_id: object,
        actor: str = "",
        changes: Sequence[Change] = (),
    ) -> list[Event]:
        """Return the events of a tool call, including the plan if the tool changed it.

        `changes` are the files that the host says the call has changed.
        """
        name, call_key = as_text(tool), as_text(call_id)
        if not name:
            return []
        self._unnamed += not call_key
        call_key = call_key or f"call-{self._unnamed}"
        if note := find_note(arguments, is_record_tool=is_record(name)):
            self.queue_note(call_key, note, actor)
        place = {"root": self.root, "cwd": self.cwd}
        calls = self.queue_calls(
            tool_events.build_calls(
                name, arguments, at=self.at, call_id=call_key, actor=actor, changes=changes, **place
            )
        )
        plan = self.update_plan(name, arguments) if calls and not actor else None
        return [*calls, plan] if plan else [*calls]

    def queue_calls(self, calls: list[Call]) -> list[Call]:
        """Register the events of one tool call as waiting for its result; return them, or [] if they wait already."""
        if calls[0].call in self._open:
            return []
        self._open[calls[0].call] = (calls[0], len(calls))
        if len(self._open) > OPEN_CALLS_MAX:
            del self._open[next(iter(self._open))]
        return calls

    def find_open_call(self, call_id: object) -> Call | None:
        """Return a tool call that waits for its result; None for an unknown call."""
        return self._open.get(as_text(call_id), (None, 0))[0]

    def queue_note(self, call_id: str, arguments: Mapping[str, object], actor: str = "") -> None:
        """Keep a note that the agent asked to remember until the tool call has succeeded."""
        text = as_text(arguments.get("text")).strip()
        if text and len(self._records) < OPEN_CALLS_MAX:
            files = tuple(as_text(path, PATH_CHARS_MAX) for path in as_items(arguments.get("files"))[:MEMORY_FILES_MAX])
            tags = tuple(as_text(tag, TAG_CHARS_MAX) for tag in as_items(arguments.get("tags"))[:MEMORY_TAGS_MAX])
            kind, details = as_text(arguments.get("type"), TAG_CHARS_MAX), dump_record_details(arguments)
            self._records[call_id] = Recorded(self.at, text, kind, files, actor, details, tags)

    def update_plan(self, tool: str, arguments: Mapping[str, object]) -> Plan | None:
        """Return the plan if a tool call changed it, else None."""
        return self._plans.apply_tool(tool, arguments, self.at)

    def record_answer(
        self,
        call_id: object,
        output: str,
        *,
        ok: bool,
        named: list[object] | None = None,
        count: int = 0,
        changed_by_user: bool = False,
        applied: tuple[str, ...] = (),
        digests: tuple[int, ...] = (),
    ) -> list[Event]:
        """Return the events of a tool result; empty for a result without an open call."""
        of, parts = self._open.pop(as_text(call_id), (None, 0))
        if of is None:
            return []
        files = project_paths.project_names(named, self.root, self.cwd) if named else ()
        files = files or tool_events.files_in(output, of, self.root, self.cwd)
        first_files = files[:SCRATCHPAD_FILES_MAX]
        text = project_paths.without_root(as_text(output), self.root, self.cwd)
        result = Result(
            self.at,
            of.call,
            ok,
            text,
            first_files,
            count or len(files),
            changed_by_user,
            applied=applied,
            digests=digests,
        )
        record = self._records.pop(of.call, None)
        return [*tool_events.build_results(result, parts), *([record] if record and ok else [])]

    def record_typed_answers(self, questions: Sequence[object], answers: Iterable[str]) -> list[Event]:
        """Return the events of answers to questions of the agent: the questions, and what the user typed.

        A chosen option is in the agent's words and is left out; without typed text there is no event.
        """
        options = list_offered(questions)
        typed = [text for answer in answers if (text := answer.strip()) and text not in options]
        prompts = self.record_prompt(as_text("\n".join(typed))) if typed else []
        question_text = "\n".join(
            as_text(as_mapping(question).get("question"), SHORT_TEXT_CHARS_MAX) for question in questions
        )
        return [*([Said(self.at, question_text.strip())] if prompts and question_text.strip() else []), *prompts]

    def record_delivery(self, text: str, path: str = "", report: bool = False) -> list[Event]:
        """Return the event of text that the host gave the agent, from this file if it names one."""
        if not text.strip():
            return []
        place, outside = project_paths.place_path(path, self.root, self.cwd)
        return [Delivered(self.at, text, place, outside, report)]

    def record_prompt(self, text: str) -> list[Event]:
        """Return the events of a user message: a prompt, an interruption, or both."""
        stopped: list[Event] = []
        if text.startswith(INTERRUPTED):
            stopped = [Interrupted(self.at)]
            text = text.partition("]")[2].strip()
        before, when = self._prompt
        if not text or (text == before and abs(self.at - when) <= SAME_PROMPT_S):
            return stopped
        self._prompt = (text, self.at)
        return [*stopped, Prompt(self.at, text)]


def list_offered(questions: Sequence[object]) -> set[str]:
    """Return the labels of the options that the agent offered with its questions."""
    return {
        as_text(as_mapping(option).get("label")).strip()
        for question in questions
        for option in as_items(as_mapping(question).get("options"))
    }


class Plans:
    """The plan of one session, updated with each tool call."""

    def __init__(self) -> None:
        self._tasks: dict[str, PlanItem] = {}
        self._created = 0

    def apply_tool(self, tool: str, arguments: Mapping[str, object], at: float) -> Plan | None:
        """Return the plan after a tool call; None if the call does not change it."""
        if tool in _LISTS:
            listed = (_parse_item(as_mapping(item)) for item in as_items(arguments.get(_LISTS[tool])))
            return Plan(at, tuple(item for item in listed if item.text)[:SCRATCHPAD_PLAN_ITEMS_MAX])
        if tool in _MODES:
            return Plan(at, _parse_steps(arguments.get("plan")), mode=True)
        if tool == "TaskCreate":
            return self._add_item(arguments, at)
        return self._change_item(arguments, at) if tool == "TaskUpdate" else None

    def _add_item(self, arguments: Mapping[str, object], at: float) -> Plan | None:
        subject = as_text(arguments.get("subject"), SHORT_TEXT_CHARS_MAX)
        self._created += 1  # hosts number them in this order
        if not subject or len(self._tasks) >= SCRATCHPAD_PLAN_ITEMS_MAX:
            return None
        self._tasks[str(self._created)] = PlanItem(subject)
        return Plan(at, tuple(self._tasks.values()))

    def _change_item(self, arguments: Mapping[str, object], at: float) -> Plan | None:
        task = as_text(str(arguments.get("taskId", ""))[:20])
        if task not in self._tasks:
            return None
        status = arguments.get("status")
        if status == "deleted":
            del self._tasks[task]
        elif isinstance(status, str):
            self._tasks[task] = PlanItem(self._tasks[task].text, status in _DONE)
        return Plan(at, tuple(self._tasks.values()))


def _parse_item(item: Mapping[str, object]) -> PlanItem:
    text = next((item[name] for name in _NAMES if item.get(name)), "")
    return PlanItem(
        as_text(text, SHORT_TEXT_CHARS_MAX), as_text(item.get("status")) in _DONE or item.get("done") is True
    )


def _parse_steps(plan: object) -> tuple[PlanItem, ...]:
    """Return the numbered steps of a plan in prose."""
    matches = (_STEP.match(line) for line in as_text(plan).splitlines())
    steps = [PlanItem(step[1].strip("* ")[:SHORT_TEXT_CHARS_MAX]) for step in matches if step]
    return tuple(steps[:SCRATCHPAD_PLAN_ITEMS_MAX])
