"""A recipe along the way: whether it fits a task, and which of its steps comes next. Light: plain values."""

from __future__ import annotations

import re

from holloway.injection.template import line
from holloway.safety.neutralize import neutral
from holloway.text.fts_query import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Step = tuple[str, str]
"""What to do, and the file that it is done in, or nothing in its place."""
FITS_FROM = 0.6
"""The share of a recipe's own words that a task must have."""
_WORD = re.compile(r"[A-Za-z][\w]+")
_COMMAND = re.compile(r"`([^`]{2,200})`")


def steps_in(details: Mapping[str, object]) -> tuple[str, list[Step]]:
    """The task of a recipe and its steps, by its details as the store has them; nothing where they are no recipe."""
    given = details.get("steps")
    steps = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    told = [(str(each.get("description") or ""), str(each.get("file") or "")) for each in steps]
    return str(details.get("task") or ""), told


def fits(recipe: str, task: str) -> bool:
    """Whether a task is one of those that a recipe is for."""
    wanted, asked = _words(recipe), _words(task)
    return bool(wanted) and len(wanted & asked) / len(wanted) >= FITS_FROM


def done(steps: list[Step], edited: set[str], commands: list[str]) -> int:
    """How many steps, from the first on, are done; a step is done when its file was changed or its command run.

    One that names neither a file nor a command counts as done with the next one that does.
    """
    reached = 0
    for number, (description, path) in enumerate(steps, 1):
        named = _COMMAND.findall(description)
        if (path and path in edited) or any(one in command for one in named for command in commands):
            reached = number
    return reached


def next_line(task: str, steps: list[Step], number: int, cited: str) -> str:
    """What is said when the step with this number, counted from one, is due."""
    description, path = steps[number - 1]
    return line(
        "step",
        "next",
        task=neutral(task),
        number=str(number),
        total=str(len(steps)),
        step=neutral(description),
        file=f" ({neutral(path)})" if path else "",
        cited=cited,
    )


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in _WORD.findall(text.casefold())} - STOP_WORDS
