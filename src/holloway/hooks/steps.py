"""Between two steps of an agent that is watched by hooks: each step is a process of its own, so a small file counts.

The file holds numbers and the id of the recipe in use, no words. It goes when the session ends, at the latest with the
journals. Light, and nearly always silent: traps and answers come with the tool's own result. What is left for here is
what did not fit there, and the next step of a recipe.
"""

from __future__ import annotations

import json
import os

from holloway.capture import event_subject
from holloway.config import STEP_FILES_MAX, STEP_SEARCHES_MAX, STEPS_WITHOUT_WORD
from holloway.safety.paths import safe_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from holloway.store.lookup import Shown

CALLS_MAX = 50
"""Calls of one step that are looked at."""
SUFFIX = ".step"


class Progress:
    """How far an agent is, as its file tells; one that cannot be read tells nothing."""

    __slots__ = ("_path", "reached", "recipe", "spent", "step", "told")

    def __init__(self, folder: str, reader: str) -> None:
        self._path = os.path.join(folder, safe_name(reader) + SUFFIX)
        kept = _read(self._path)
        self.step = _whole(kept.get("step"))
        self.spent = _whole(kept.get("spent"))
        self.recipe = str(kept.get("recipe") or "")[:100]
        self.reached = _whole(kept.get("reached"))
        self.told = _whole(kept.get("told"))

    def save(self) -> None:
        """Write it down."""
        kept = {name: getattr(self, name) for name in ("step", "spent", "recipe", "reached", "told")}
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        # Not through a copy that is synchronised: a torn file only means that counting begins anew.
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(descriptor, json.dumps(kept).encode())
        finally:
            os.close(descriptor)

    def follow(self, recipe: str) -> None:
        """Use another recipe from its first step on."""
        if recipe and recipe != self.recipe:
            self.recipe, self.reached, self.told = recipe, 0, 0
            self.save()


def forget(folder: str, reader: str) -> None:
    """The session is over."""
    try:
        os.unlink(os.path.join(folder, safe_name(reader) + SUFFIX))
    except OSError:
        return


class Batch:
    """What one step used its tools on."""

    __slots__ = ("commands", "edited", "files", "searches")

    def __init__(self, event: dict[str, object], root: str) -> None:
        self.files: list[str] = []
        self.searches: list[str] = []
        self.edited: set[str] = set()
        self.commands: list[str] = []
        calls = event.get("tool_calls")
        for call in calls[:CALLS_MAX] if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._take({"cwd": event.get("cwd")} | call, root)

    def _take(self, call: dict[str, object], root: str) -> None:
        about = event_subject.of({name: value for name, value in call.items() if name != "tool_response"}, root)
        self.files += about.files
        self.searches += [about.pattern] if about.pattern else []
        self.edited.update(event_subject.edited(call, root))
        if command := event_subject.command_of(call):
            self.commands.append(command)


def due(connection: sqlite3.Connection, progress: Progress, batch: Batch, to: Shown) -> str:
    """The next step of the recipe in use, once the one before it is done and as long as it was not told."""
    if not progress.recipe:
        return ""
    from holloway.injection import recipe
    from holloway.store import lookup
    from holloway.text.citation import citation

    task, steps = recipe.steps_in(lookup.living(connection, progress.recipe))
    progress.reached = max(progress.reached, recipe.done(steps, batch.edited, batch.commands))
    number = progress.reached + 1
    if not 1 < number <= len(steps) or number <= progress.told or not lookup.allowed(connection, progress.recipe, to):
        return ""
    return recipe.next_line(task, steps, number, citation(progress.recipe))


def said(
    connection: sqlite3.Connection, progress: Progress, batch: Batch, to: Shown, root: str
) -> tuple[str, list[str]]:
    """What there is to say before the next step, and the memories in it."""
    from holloway.injection import step

    next_line = due(connection, progress, batch, to)
    state = step.State(
        step=progress.step,
        spent=progress.spent,
        files=tuple(dict.fromkeys(batch.files))[:STEP_FILES_MAX],
        searches=tuple(batch.searches[:STEP_SEARCHES_MAX]),
        due=next_line,
    )
    kind, text, ids = step.decide(connection, state, to, root)
    if kind == "recipe":
        progress.told = progress.reached + 1
    progress.spent += int(step.cost(text)) + 1 if text else 0
    return text, ids


def has_something(progress: Progress, batch: Batch) -> bool:
    """Whether there may be anything to say, so that the store is opened for it."""
    if progress.recipe and (batch.edited or batch.commands):
        return True
    late = progress.step > STEPS_WITHOUT_WORD
    return bool(batch.files) or (late and bool(batch.searches))


def _read(path: str) -> dict[str, object]:
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 31 else 0
