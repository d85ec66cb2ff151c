"""Recipes: whether one fits a task, and which of its steps comes next. Light: plain values."""

from __future__ import annotations

import re

from holloway.injection.template import line
from holloway.safety.neutralize import neutralize_text
from holloway.text.fts_query import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Step = tuple[str, str]
"""Description of a step, and the file that it changes, or an empty string."""
SHARED_MIN = 0.6
"""Share of a recipe's words that a task must have."""
_WORD = re.compile(r"[A-Za-z][\w]+")
_COMMAND = re.compile(r"`([^`]{2,200})`")


def parse_steps(details: Mapping[str, object]) -> tuple[str, list[Step]]:
    """Parse the task and the steps of a recipe from its stored details; both are empty if it is no recipe."""
    stored = details.get("steps")
    steps = [step for step in stored if isinstance(step, dict)] if isinstance(stored, list) else []
    parsed = [(str(step.get("description") or ""), str(step.get("file") or "")) for step in steps]
    return str(details.get("task") or ""), parsed


def fits_task(recipe: str, task: str) -> bool:
    """Tell whether a recipe, given by its own task, is for this task."""
    recipe_words, task_words = _words(recipe), _words(task)
    return bool(recipe_words) and len(recipe_words & task_words) / len(recipe_words) >= SHARED_MIN


def count_completed(steps: list[Step], edited: set[str], commands: list[str]) -> int:
    """Count the completed steps, from the first on: a step is complete when its file was changed or its command run.

    A step that names neither a file nor a command counts as complete with the next one that does.
    """
    completed = 0
    for number, (description, path) in enumerate(steps, 1):
        expected = _COMMAND.findall(description)
        if (path and path in edited) or any(part in command for part in expected for command in commands):
            completed = number
    return completed


def render_next_step(task: str, steps: list[Step], number: int, cited: str) -> str:
    """Render the line that announces the step with this number, counted from one."""
    description, path = steps[number - 1]
    return line(
        "step",
        "next",
        task=neutralize_text(task),
        number=str(number),
        total=str(len(steps)),
        step=neutralize_text(description),
        file=f" ({neutralize_text(path)})" if path else "",
        cited=cited,
    )


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in _WORD.findall(text.casefold())} - STOP_WORDS
