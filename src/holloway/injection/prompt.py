"""What an agent reads with a prompt: where the task happens, with reasons, and what is known there. Often nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from holloway.config import (
    PROMPT_COUPLED_MAX,
    PROMPT_FILES_MAX,
    PROMPT_TESTS_MAX,
    PROMPT_TOKENS_MAX,
)
from holloway.domain.memory_details import Recipe
from holloway.injection.relevance import telling
from holloway.injection.template import line
from holloway.injection.tool_result import cited_as, summed
from holloway.retrieval.evidence import IN_COMMITS, IN_TASK, LATELY, UNDERWAY, UNNAMED_PART
from holloway.safety.neutralize import neutral
from holloway.text.citation import citation, day, doubt, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.retrieval.evidence import Coupled
    from holloway.retrieval.locate import Located, LocatedFile

SCORE_MIN = 0.3
"""Of the best file's score: what is worth less is not worth a line."""
REASONS_SHOWN = 2
STEPS_SHOWN = 8
COUPLED_COMMITS_MIN = 3
"""Commits that two files must share before one is worth naming for the other."""
SHARED_MIN = 2
"""Telling words of a prompt that must speak for a file, where it is not named."""
TRAPS = ("gotcha", "error_pattern", "causal_dependency")
"""Types that are told as traps; others, which a person tied to a file, by their own name."""
_CHAT = frozenset(
    "again all also another approach away back before better both broke broken bug change check close code come "
    "commit continue correct did different done edit error everything explain far file files fine finish first fix "
    "follow get give good great happen hello help here instead issue just keep last later let like list look looks "
    "make maybe merge more move much need never new next nice nothing now okay old one only other out place please "
    "problem pull push put read ready really redo remove repeat result revert review right run same say see ship show "
    "shorter something start still stop sum summarize summary sure take tell test tests than thank thanks that thing "
    "think time today too try two undo until update use very wait want way well what wrong write yes yet you".split()
)
"""Words of any conversation about work; they say nothing of where it happens."""
_WEAK = ("changed recently", "imported by ", "changes with ")
"""Reasons that hold for any prompt: a file that has no other is not what the prompt is about."""
_NAMED = "named: "
"""The reason of a file that the prompt itself names."""
_WORD_LISTS = ("speaks of ", IN_COMMITS, IN_TASK, UNNAMED_PART)
"""How reasons begin that list words of the task."""
_SEEN = ("path has ", "closest in ")
"""Reasons that an agent can see in the line itself."""
_NAME = re.compile(r"[\w-][./]\w|\w_\w|[a-z][A-Z]")
"""The beginning of a path, of a dotted name or of an identifier in parts."""


@dataclass(frozen=True, slots=True)
class Said:
    """The text for the agent, and which memories it holds."""

    text: str = ""
    memories: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """The files that it sends the agent to and that the prompt does not name itself."""


def render(
    files: Sequence[LocatedFile],
    located: Located,
    rows: Sequence[dict[str, object]],
    *,
    task: str = "",
    recipe: Memory | None = None,
    test_command: str = "",
) -> Said:
    """Put it together from the good ones of the files that were located, memories about them, and a recipe that fits.

    Where it does not fit the budget, coupled files go first, then the files least sure of, then memories.
    """
    files, asked = list(files), asked_for(task)
    coupled = _coupled(located, {file.path for file in files})
    kept = list(rows)
    while files or kept or recipe:
        tests = located.tests[:PROMPT_TESTS_MAX] if files else ()
        lines = _lines(files, coupled, tests, kept, recipe, test_command, asked)
        if within(lines, PROMPT_TOKENS_MAX):
            told = [str(row["id"]) for row in kept] + ([recipe.id] if recipe else [])
            sent = [file.path for file in files if not _is_named(file)] + [one.path for one in coupled]
            return Said("\n".join(lines), tuple(told), (*sent, *tests))
        if coupled or len(files) > 1:
            (coupled or files).pop()
        elif kept:
            kept.pop()
        elif files:
            files.pop()
        else:
            recipe = None
    return Said()


def asked_for(task: str) -> frozenset[str]:
    """The words that a task has for itself, in the form in which words are compared here."""
    return telling(task) - _CHAT


def is_task(text: str) -> bool:
    """Whether a prompt says anything by which files could be found: words of its own, or a name from code."""
    return len(asked_for(text)) >= SHARED_MIN or bool(_NAME.search(text))


def fitting(rows: Sequence[dict[str, object]], task: str) -> list[dict[str, object]]:
    """The memories to give with a prompt: an error comes with its fix when it is met, unless the task is about it."""
    asked = asked_for(task)
    return [
        row for row in rows if row["type"] != "error_pattern" or len(asked & telling(str(row["summary"]))) >= SHARED_MIN
    ]


def _coupled(located: Located, files: set[str]) -> list[Coupled]:
    """Files that no line names yet and that often change with one that has a line."""
    often = (one for one in located.coupled if one.other in files and one.commits >= COUPLED_COMMITS_MIN)
    return list(islice(often, PROMPT_COUPLED_MAX))


def good(located: Located, task: str, *, begins: bool = False) -> tuple[LocatedFile, ...]:
    """The files that are worth naming; none where nothing but habit and small talk speak for all of them.

    Where the words of a task speak for one file, what the latest sessions opened is as likely to be needed as others.
    Where they speak for none and a session begins with them ("fix the tests"), the work at hand is what is meant.
    """
    asked = asked_for(task)
    found = [file for file in located.files if file.score >= SCORE_MIN][:PROMPT_FILES_MAX]
    if any(_is_meant(file, asked) for file in found):
        return tuple(found)
    # Such a prompt's few words lead to parts of a file by chance.
    return tuple(replace(file, symbols=()) for file in found if begins and _is_at_hand(file))


def _is_at_hand(file: LocatedFile) -> bool:
    return not {UNDERWAY, LATELY}.isdisjoint(file.reasons)


def _is_meant(file: LocatedFile, asked: frozenset[str]) -> bool:
    """Whether a file is named, or found by several of the words that a task has for itself."""
    own = [reason for reason in file.reasons if not reason.startswith(_WEAK)]
    if any(reason.startswith((_NAMED, "defines ")) for reason in own):
        return True
    return len(asked & telling(" ".join([*own, *file.symbols]))) >= SHARED_MIN


def _is_named(file: LocatedFile) -> bool:
    return any(reason.startswith(_NAMED) for reason in file.reasons)


def _lines(
    files: Sequence[LocatedFile],
    coupled: Sequence[Coupled],
    tests: Sequence[str],
    rows: Sequence[dict[str, object]],
    recipe: Memory | None,
    test_command: str,
    asked: frozenset[str],
) -> list[str]:
    head = "head" if not files or any(_is_meant(file, asked) for file in files) else "at_hand"
    lines = [line("prompt", head), *(_file(file, asked) for file in files), *map(_together, coupled)]
    if tests:
        run = line("prompt", "run", command=neutral(test_command)) if test_command else ""
        named = ", ".join(neutral(path) for path in tests)
        lines.append(line("prompt", "tests", tests=named, run=run))
    lines += map(_memory, rows)
    return lines + (_recipe(recipe) if recipe else [])


def _file(file: LocatedFile, asked: frozenset[str]) -> str:
    symbols = f": {', '.join(map(neutral, file.symbols[:2]))}" if file.symbols else ""
    reasons = "; ".join(map(neutral, _reasons(file, asked)[:REASONS_SHOWN]))
    return line("prompt", "file", path=neutral(file.path), symbols=symbols, reasons=reasons)


def _reasons(file: LocatedFile, asked: frozenset[str]) -> list[str]:
    """The reasons that say most: of words those that are the task's own, and nothing that the line shows anyway."""
    said = []
    for reason in file.reasons:
        lead = next((lead for lead in _WORD_LISTS if reason.startswith(lead)), "")
        if lead:
            own = [word for word in reason.removeprefix(lead).split(", ") if telling(word) & asked]
            said += [lead + ", ".join(own)] if own else []
        elif not reason.startswith((*_WEAK, *_SEEN)):
            said.append(reason)
    return said or [*file.reasons]


def _together(one: Coupled) -> str:
    counted = {"commits": str(one.commits), "of": str(one.of)}
    return line("prompt", "coupled", path=neutral(one.path), other=neutral(one.other), **counted)


def _memory(row: dict[str, object]) -> str:
    said = {"doubt": doubtful(str(row["state"])), "text": summed(row), "cited": cited_as(row)}
    if row["type"] == "dead_end":
        return line("prompt", "dead_end", day=day(str(row["updated_at"])), **said)
    kind = "Trap" if row["type"] in TRAPS else str(row["type"]).replace("_", " ").capitalize()
    return line("prompt", "memory", kind=kind, **said)


def doubtful(state: str) -> str:
    """What stands after the kind of a memory that may not hold."""
    said = doubt(state)
    return f", {said}" if said else ""


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
