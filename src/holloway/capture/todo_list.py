"""An agent's plan or to-do list, reconstructed from the calls of its host's planning tools."""

from __future__ import annotations

import re
from collections.abc import Mapping

from holloway.capture.json_lines import as_items, as_mapping, as_text
from holloway.config import SCRATCHPAD_PLAN_ITEMS_MAX, TEXT_CHARS_MAX
from holloway.domain.event import Plan, PlanItem

_LISTS = {"TodoWrite": "todos", "todowrite": "todos", "write_todos": "todos", "update_plan": "plan"}
_MODES = frozenset({"EnterPlanMode", "ExitPlanMode", "exit_plan_mode", "enter_plan_mode"})
_NAMES = ("content", "step", "description", "title", "text")
_DONE = frozenset({"completed", "complete", "done"})
_STEP = re.compile(r"(?:#{1,6} |\*\*)?(?:Step )?\d{1,2}[.):] *(\S.{2,300})")


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
        subject = as_text(arguments.get("subject"), TEXT_CHARS_MAX)
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


def _parse_item(given: Mapping[str, object]) -> PlanItem:
    text = next((given[name] for name in _NAMES if given.get(name)), "")
    return PlanItem(as_text(text, TEXT_CHARS_MAX), as_text(given.get("status")) in _DONE or given.get("done") is True)


def _parse_steps(plan: object) -> tuple[PlanItem, ...]:
    """Return the numbered steps of a plan in prose."""
    matches = (_STEP.match(line) for line in as_text(plan).splitlines())
    steps = [PlanItem(step[1].strip("* ")[:TEXT_CHARS_MAX]) for step in matches if step]
    return tuple(steps[:SCRATCHPAD_PLAN_ITEMS_MAX])
