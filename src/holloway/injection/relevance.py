"""Relevance of a memory or a recipe to a piece of work: a shared file, a shared module or shared keywords. Light."""

from __future__ import annotations

import re

from holloway.injection.template import line
from holloway.safety.neutralize import neutralize_text
from holloway.text.identifiers import STOP_WORDS, split_identifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holloway.domain.memory import Memory


KEYWORDS_MIN = 2
"""Keywords that a memory and a task must share if they share neither a file nor a module."""
LETTERS_MIN = 3
_WORD = re.compile(r"[^\W\d]\w+")
Step = tuple[str, str]
"""Description of a step, and the file that it changes, or an empty string."""
RECIPE_WORDS_SHARE_MIN = 0.6
"""Share of a recipe's words that a task must have."""
_RECIPE_WORD = re.compile(r"[A-Za-z][\w]+")
_COMMAND = re.compile(r"`([^`]{2,200})`")


class Work:
    """A piece of work: its files, their modules, and the keywords of its task. A plain class, as hooks need."""

    __slots__ = ("files", "keywords", "modules")

    def __init__(self, files: frozenset[str], modules: frozenset[str], keywords: frozenset[str]) -> None:
        self.files = files
        self.modules = modules
        self.keywords = keywords

    def concerns(self, memory: Memory) -> bool:
        """Tell whether a memory is about this work."""
        from holloway.domain.memory_json import details_json  # heavy, and a prompt has rows instead

        if self.files & set(memory.files) or self.modules & set(memory.modules):
            return True
        return self.concerns_text(memory.content, memory.summary, details_json(memory.details))

    def concerns_text(self, *texts: object) -> bool:
        """Tell whether texts, also inside lists and dicts, share enough keywords with this work."""
        return len(self.keywords & extract_keywords(" ".join(_flatten(texts)))) >= KEYWORDS_MIN


def describe_work(files: Iterable[str], modules: Iterable[str], task: str) -> Work:
    """Describe a piece of work by its files, modules and task."""
    return Work(frozenset(files), frozenset(module for module in modules if module), extract_keywords(task))


def extract_keywords(text: str) -> frozenset[str]:
    """Return the words of a text except stop words, identifiers also in parts, without a plural s."""
    words = {part.rstrip("s") for word in _WORD.findall(text) for part in (word.casefold(), *split_identifier(word))}
    return frozenset(word for word in words if len(word) >= LETTERS_MIN and word not in STOP_WORDS)


def _flatten(value: object) -> list[str]:
    """List every string in nested lists and dicts."""
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for item in values for text in _flatten(item)]


def parse_steps(details: Mapping[str, object]) -> tuple[str, list[Step]]:
    """Parse the task and the steps of a recipe from its stored details; both are empty if it is no recipe."""
    stored = details.get("steps")
    steps = [step for step in stored if isinstance(step, dict)] if isinstance(stored, list) else []
    parsed = [(str(step.get("description") or ""), str(step.get("file") or "")) for step in steps]
    return str(details.get("task") or ""), parsed


def fits_task(recipe: str, task: str) -> bool:
    """Tell whether a recipe, given by its own task, is for this task."""
    recipe_words, task_words = _words(recipe), _words(task)
    return bool(recipe_words) and len(recipe_words & task_words) / len(recipe_words) >= RECIPE_WORDS_SHARE_MIN


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
    return {word.rstrip("s") for word in _RECIPE_WORD.findall(text.casefold())} - STOP_WORDS
