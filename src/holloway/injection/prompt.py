"""What an agent reads with a prompt: where the task happens, with reasons, and what is known there. Often nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import (
    PROMPT_COUPLED_MAX,
    PROMPT_FILES_MAX,
    PROMPT_TESTS_MAX,
    PROMPT_TOKENS_MAX,
)
from holloway.domain.details import Recipe
from holloway.injection.template import line
from holloway.injection.tool_result import cited_as, summed
from holloway.safety.instructions import neutral
from holloway.text.citation import citation, day, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.retrieval.locate import Located, LocatedFile

SCORE_MIN = 0.4
"""Of the best file's score: what is worth less is not worth a line."""
REASONS_SHOWN = 2
STEPS_SHOWN = 8
_WEAK = ("changed recently", "imported by ", "changes with ")
"""Reasons that hold for any prompt: a file that has no other is not what the prompt is about."""
_DOUBTS = {"unconfirmed": ", unconfirmed", "stale": ", possibly out of date"}


@dataclass(frozen=True, slots=True)
class Said:
    """The text for the agent, and which memories it holds."""

    text: str = ""
    memories: tuple[str, ...] = ()


def render(
    located: Located,
    rows: Sequence[dict[str, object]],
    *,
    recipe: Memory | None = None,
    test_command: str = "",
) -> Said:
    """Put it together from the files that were located, the memories about them, and a recipe that fits.

    Where it does not fit the budget, coupled files go first, then the files least sure of, then memories.
    """
    files = list(good(located))
    coupled = list(located.coupled[:PROMPT_COUPLED_MAX]) if files else []
    kept = list(rows)
    while files or kept or recipe:
        lines = _lines(files, coupled, located.tests if files else (), kept, recipe, test_command)
        if within(lines, PROMPT_TOKENS_MAX):
            told = [str(row["id"]) for row in kept] + ([recipe.id] if recipe else [])
            return Said("\n".join(lines), tuple(told))
        if coupled or len(files) > 1:
            (coupled or files).pop()
        elif kept:
            kept.pop()
        elif files:
            files.pop()
        else:
            recipe = None
    return Said()


def good(located: Located) -> tuple[LocatedFile, ...]:
    """The files that are worth naming; none where nothing but habit speaks for the best one."""
    telling = [file for file in located.files if file.score >= SCORE_MIN and _telling(file)]
    return tuple(telling[:PROMPT_FILES_MAX])


def _telling(file: LocatedFile) -> bool:
    """Whether a file was found for two reasons of its own, or is named."""
    own = [reason for reason in file.reasons if not reason.startswith(_WEAK)]
    return len(own) > 1 or any(reason.startswith(("named: ", "defines ")) for reason in own)


def _lines(
    files: Sequence[LocatedFile],
    coupled: Sequence[tuple[str, str]],
    tests: Sequence[str],
    rows: Sequence[dict[str, object]],
    recipe: Memory | None,
    test_command: str,
) -> list[str]:
    lines = [line("prompt", "head"), *map(_file, files)]
    lines += [line("prompt", "coupled", path=neutral(path), other=neutral(other)) for path, other in coupled]
    if tests:
        run = line("prompt", "run", command=neutral(test_command)) if test_command else ""
        named = ", ".join(neutral(path) for path in tests[:PROMPT_TESTS_MAX])
        lines.append(line("prompt", "tests", tests=named, run=run))
    lines += map(_memory, rows)
    return lines + (_recipe(recipe) if recipe else [])


def _file(file: LocatedFile) -> str:
    own = [reason for reason in file.reasons if not reason.startswith(_WEAK)] or list(file.reasons)
    symbols = f": {', '.join(map(neutral, file.symbols[:2]))}" if file.symbols else ""
    shown = [reason for reason in own if not (symbols and reason.startswith("closest in "))] or own
    reasons = "; ".join(map(neutral, shown[:REASONS_SHOWN]))
    return line("prompt", "file", path=neutral(file.path), symbols=symbols, reasons=reasons)


def _memory(row: dict[str, object]) -> str:
    doubt, text, cited = _DOUBTS.get(str(row["state"]), ""), summed(row), cited_as(row)
    if row["type"] == "dead_end":
        return line("prompt", "dead_end", doubt=doubt, day=day(str(row["updated_at"])), text=text, cited=cited)
    return line("prompt", "trap", doubt=doubt, text=text, cited=cited)


def _recipe(memory: Memory) -> list[str]:
    details = memory.details
    if not isinstance(details, Recipe):
        return []
    count = details.success_count or len(memory.sessions)
    times = f"{count} times" if count > 1 else "once"
    steps = [
        line(
            "prompt",
            "recipe_step",
            number=str(number),
            step=neutral(step.description),
            file=f" ({neutral(step.file)})" if step.file else "",
        )
        for number, step in enumerate(details.steps[:STEPS_SHOWN], 1)
    ]
    return [line("prompt", "recipe", times=times, task=neutral(details.task), cited=citation(memory.id)), *steps]
