"""State of a session while it is read: the current folder, and the tool calls that have no result yet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from holloway.capture import project_paths, tool_events
from holloway.capture.json_lines import as_items, as_text, parse_time
from holloway.capture.todo_list import Plans
from holloway.config import FILES_MAX, PATH_CHARS_MAX, SCRATCHPAD_FILES_MAX, TAG_CHARS_MAX
from holloway.domain.event import Call, Event, Interrupted, Plan, Prompt, Recorded, Result
from holloway.text.own_tools import is_record

OPEN_CALLS_MAX = 10_000
SAME_PROMPT_S = 2.0
"""Interval within which two equal prompts count as one prompt recorded twice."""
INTERRUPTED = "[Request interrupted by user"


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
        self, tool: object, arguments: Mapping[str, object], call_id: object, actor: str = ""
    ) -> list[Event]:
        """Return the events of a tool call, including the plan if the tool changed it."""
        name, call_key = as_text(tool), as_text(call_id)
        if not name:
            return []
        self._unnamed += not call_key
        call_key = call_key or f"call-{self._unnamed}"
        if is_record(name):
            self.queue_note(call_key, arguments, actor)
        place = {"root": self.root, "cwd": self.cwd}
        calls = self.queue_calls(
            tool_events.build_calls(name, arguments, at=self.at, call_id=call_key, actor=actor, **place)
        )
        plan = self.update_plan(name, arguments) if calls and not actor else None
        return [*calls, plan] if plan else [*calls]

    def queue_calls(self, made: list[Call]) -> list[Call]:
        """Register the events of one tool call as waiting for its result; return them, or [] if they wait already."""
        if made[0].call in self._open:
            return []
        self._open[made[0].call] = (made[0], len(made))
        if len(self._open) > OPEN_CALLS_MAX:
            del self._open[next(iter(self._open))]
        return made

    def queue_note(self, call_id: str, arguments: Mapping[str, object], actor: str = "") -> None:
        """Keep a note that the agent asked to remember until the tool call has succeeded."""
        text = as_text(arguments.get("text")).strip()
        if text and len(self._records) < OPEN_CALLS_MAX:
            files = tuple(as_text(path, PATH_CHARS_MAX) for path in as_items(arguments.get("files"))[:FILES_MAX])
            self._records[call_id] = Recorded(
                self.at, text, as_text(arguments.get("type"), TAG_CHARS_MAX), files, actor
            )

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
    ) -> list[Event]:
        """Return the events of a tool result; empty for a result without an open call."""
        of, parts = self._open.pop(as_text(call_id), (None, 0))
        if of is None:
            return []
        files = project_paths.project_names(named, self.root, self.cwd) if named else ()
        files = files or tool_events.files_in(output, of, self.root, self.cwd)
        first_files = files[:SCRATCHPAD_FILES_MAX]
        text = project_paths.without_root(as_text(output), self.root, self.cwd)
        result = Result(self.at, of.call, ok, text, first_files, count or len(files), changed_by_user, applied=applied)
        record = self._records.pop(of.call, None)
        return [*tool_events.build_results(result, parts), *([record] if record and ok else [])]

    def record_prompt(self, said: str) -> list[Event]:
        """Return the events of a user message: a prompt, an interruption, or both."""
        stopped: list[Event] = []
        if said.startswith(INTERRUPTED):
            stopped = [Interrupted(self.at)]
            said = said.partition("]")[2].strip()
        before, when = self._prompt
        if not said or (said == before and abs(self.at - when) <= SAME_PROMPT_S):
            return stopped
        self._prompt = (said, self.at)
        return [*stopped, Prompt(self.at, said)]
