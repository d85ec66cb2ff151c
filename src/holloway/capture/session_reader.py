"""Following a session while it is read: where the agent stands, which of its tools have not answered yet."""

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
"""Within this time the same words of the user are the same prompt, told twice."""
INTERRUPTED = "[Request interrupted by user"


class Following:
    """One session that is being read."""

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
        """The time of an entry; one without a time has that of the entry before."""
        self.at = parse_time(stamp, self.at)
        return self.at

    def set_folder(self, folder: object) -> None:
        """The agent's folder from here on."""
        self.cwd = as_text(folder, 4_096) or self.cwd

    def record_tool_use(
        self, tool: object, arguments: Mapping[str, object], call_id: object, actor: str = ""
    ) -> list[Event]:
        """A tool was used: its events, and the plan where the tool told one."""
        name, known = as_text(tool), as_text(call_id)
        if not name:
            return []
        self._unnamed += not known
        known = known or f"call-{self._unnamed}"
        if is_record(name):
            self.queue_note(known, arguments, actor)
        place = {"root": self.root, "cwd": self.cwd}
        made = self.queue_calls(
            tool_events.build_calls(name, arguments, at=self.at, call_id=known, actor=actor, **place)
        )
        plan = self.update_plan(name, arguments) if made and not actor else None
        return [*made, plan] if plan else [*made]

    def queue_calls(self, made: list[Call]) -> list[Call]:
        """The events of one use of a tool, from now on waiting for its answer; none where they do so already."""
        if made[0].call in self._open:
            return []
        self._open[made[0].call] = (made[0], len(made))
        if len(self._open) > OPEN_CALLS_MAX:
            del self._open[next(iter(self._open))]
        return made

    def queue_note(self, call_id: str, arguments: Mapping[str, object], actor: str = "") -> None:
        """Something is to be remembered, once the tool has answered that it heard so."""
        said = as_text(arguments.get("text")).strip()
        if said and len(self._records) < OPEN_CALLS_MAX:
            files = tuple(as_text(path, PATH_CHARS_MAX) for path in as_items(arguments.get("files"))[:FILES_MAX])
            self._records[call_id] = Recorded(
                self.at, said, as_text(arguments.get("type"), TAG_CHARS_MAX), files, actor
            )

    def update_plan(self, tool: str, arguments: Mapping[str, object]) -> Plan | None:
        """The plan, where a tool has changed it."""
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
        """A tool answered; an answer that belongs to nothing is none."""
        of, parts = self._open.pop(as_text(call_id), (None, 0))
        if of is None:
            return []
        files = project_paths.project_names(named, self.root, self.cwd) if named else ()
        files = files or tool_events.files_in(output, of, self.root, self.cwd)
        kept = files[:SCRATCHPAD_FILES_MAX]
        said = project_paths.without_root(as_text(output), self.root, self.cwd)
        result = Result(self.at, of.call, ok, said, kept, count or len(files), changed_by_user, applied=applied)
        record = self._records.pop(of.call, None)
        return [*tool_events.build_results(result, parts), *([record] if record and ok else [])]

    def record_prompt(self, said: str) -> list[Event]:
        """The user said something, or stopped the agent, or both."""
        stopped: list[Event] = []
        if said.startswith(INTERRUPTED):
            stopped = [Interrupted(self.at)]
            said = said.partition("]")[2].strip()
        before, when = self._prompt
        if not said or (said == before and abs(self.at - when) <= SAME_PROMPT_S):
            return stopped
        self._prompt = (said, self.at)
        return [*stopped, Prompt(self.at, said)]
