"""The text that an agent reads with a prompt: which located files are worth naming, and how they are rendered."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import (
    PROMPT_COUPLED_MAX,
    PROMPT_FILES_MAX,
    PROMPT_TESTS_MAX,
    PROMPT_TOKENS_MAX,
)
from holloway.injection import relevance as recipes
from holloway.injection.memory_text import cite_row, summarize_row
from holloway.injection.relevance import extract_keywords
from holloway.injection.template import line
from holloway.retrieval.evidence import IN_COMMITS, IN_TASK, LATELY_REASON, UNDERWAY_REASON, UNNAMED_PART
from holloway.safety.neutralize import neutralize_text
from holloway.text.tokens import doubt_note, fits_budget, format_day, render_citation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.retrieval.evidence import CoupledFile
    from holloway.retrieval.locate import LocatedFile, LocateResult

    Row = dict[str, object]

PROMPT_FILE_SCORE_MIN = 0.3
"""Share of the best file's score; a file below it is not worth a line."""
REASONS_SHOWN = 2
STEPS_SHOWN = 8
PROMPT_COUPLED_COMMITS_MIN = 3
"""Commits that two files must share before one is worth naming for the other."""
PROMPT_KEYWORDS_SHARED_MIN = 2
"""Keywords of a prompt that a file must match, unless the prompt names it."""
PROMPT_TRAP_TYPES = ("gotcha", "error_pattern", "causal_dependency")
"""Types that are labelled as traps; others, which a person tied to a file, have the label of their type."""
_CHAT = frozenset(
    "again all also another approach away back before better both broke broken bug change check close code come "
    "commit continue correct did different done edit error everything explain far file files fine finish first fix "
    "follow get give good great happen hello help here instead issue just keep last later let like list look looks "
    "make maybe merge more move much need never new next nice nothing now okay old one only other out place please "
    "problem pull push put read ready really redo remove repeat result revert review right run same say see ship show "
    "shorter something start still stop sum summarize summary sure take tell test tests than thank thanks that thing "
    "think time today too try two undo until update use very wait want way well what wrong write yes yet you".split()
)
"""Words of any conversation about work; they do not tell where it happens."""
_WEAK = ("changed recently", "imported by ", "changes with ")
"""Reasons that hold for any prompt; a file that has no other is not its subject."""
_NAMED = "named: "
"""Prefix of the reason of a file that the prompt itself names."""
_WORD_LISTS = ("speaks of ", IN_COMMITS, IN_TASK, UNNAMED_PART)
"""Prefixes of reasons that list words of the task."""
_SEEN = ("path has ", "closest in ")
"""Reasons that an agent can see in the line itself."""
TASK_NAMES_MAX = 12
_CODE_NAME = re.compile(r"`([^`\s]{3,80})`|\b([A-Za-z]\w{0,60}_\w{1,60}|[a-z]{1,40}[A-Z]\w{1,60})\b")
_NAME = re.compile(r"[\w-][./]\w|\w_\w|[a-z][A-Z]")
"""The beginning of a path, of a dotted name or of an identifier in parts."""


class Rendered(NamedTuple):
    """The text for the agent, and the ids of the memories in it."""

    text: str = ""
    memories: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """The files that it points to and that the prompt does not name itself."""


def render(
    files: Sequence[LocatedFile],
    located: LocateResult,
    rows: Sequence[Row],
    *,
    task: str = "",
    recipe: Row | None = None,
    test_command: str = "",
) -> Rendered:
    """Render the located files that are worth naming, memories about them, and a recipe that fits.

    If it exceeds the budget, coupled files are dropped first, then the least certain files, then memories.
    """
    files, keywords = list(files), task_keywords(task)
    coupled = _choose_coupled(located, {file.path for file in files})
    rows = list(rows)
    while files or rows or recipe:
        sources, tests = _divide_tests(files, located)
        lines = _render_lines(sources, coupled, tests, rows, recipe, test_command, keywords)
        if fits_budget(lines, PROMPT_TOKENS_MAX):
            ids = [str(row["id"]) for row in (*rows, *([recipe] if recipe else []))]
            paths = [file.path for file in sources if not _is_named(file)] + [partner.path for partner in coupled]
            return Rendered("\n".join(lines), tuple(ids), (*paths, *tests))
        if coupled or len(files) > 1:
            (coupled or files).pop()
        elif rows:
            rows.pop()
        elif files:
            files.pop()
        else:
            recipe = None
    return Rendered()


def _divide_tests(files: Sequence[LocatedFile], located: LocateResult) -> tuple[list[LocatedFile], tuple[str, ...]]:
    """Return the files that have a line, and the paths of the tests: those worth naming, else the best ones."""
    test_paths = [test.path for test in located.tests]
    sources = [file for file in files if file.path not in test_paths]
    worth_naming = tuple(file.path for file in files if file.path in test_paths)
    return sources, worth_naming or tuple(test_paths[: PROMPT_TESTS_MAX if files else 0])


def task_keywords(task: str) -> frozenset[str]:
    """Return the words that are specific to a task, in the form in which words are compared here."""
    return extract_keywords(task) - _CHAT


def is_task(text: str) -> bool:
    """Tell whether a prompt has anything to locate files by: specific words, or a name from code."""
    return len(task_keywords(text)) >= PROMPT_KEYWORDS_SHARED_MIN or bool(_NAME.search(text))


def task_names(task: str) -> list[str]:
    """List the names of code in a task, in lower case: identifiers in parts, and what has backticks."""
    names = (next(filter(None, groups)).casefold() for groups in _CODE_NAME.findall(task))
    return list(dict.fromkeys(names))[:TASK_NAMES_MAX]


def drop_unrelated(rows: Sequence[Row], paths: Sequence[str], task: str) -> list[Row]:
    """Drop memories of the located files that the task is not about: errors, and memories of a folder around them.

    An error comes with its fix when it occurs, and what is about a whole folder would come with every prompt.
    """
    keywords = task_keywords(task)
    return [
        row
        for row in rows
        if (row["type"] != "error_pattern" and row["path"] in paths) or _shares(keywords, str(row["summary"]))
    ]


def _shares(keywords: frozenset[str], text: str) -> bool:
    return len(keywords & extract_keywords(text)) >= PROMPT_KEYWORDS_SHARED_MIN


def _choose_coupled(located: LocateResult, files: set[str]) -> list[CoupledFile]:
    """Choose the files that are often changed together with one that has a line."""
    partners = (pair for pair in located.coupled if pair.other in files and pair.commits >= PROMPT_COUPLED_COMMITS_MIN)
    return list(islice(partners, PROMPT_COUPLED_MAX))


def choose_files(located: LocateResult, task: str, *, begins: bool = False) -> tuple[LocatedFile, ...]:
    """Choose the files that are worth naming; none if only habit and small talk speak for them.

    If the words of a task match one file, the files of the latest sessions are as likely to be needed as others.
    If they match none and a session begins with them ("fix the tests"), the work at hand is meant.
    """
    keywords = task_keywords(task)
    files = [file for file in located.ranked if file.score >= PROMPT_FILE_SCORE_MIN][:PROMPT_FILES_MAX]
    if any(_is_meant(file, keywords) for file in files):
        return tuple(files)
    # The few words of such a prompt match symbols by chance.
    return tuple(replace(file, symbols=()) for file in files if begins and _is_at_hand(file))


def _is_at_hand(file: LocatedFile) -> bool:
    return not {UNDERWAY_REASON, LATELY_REASON}.isdisjoint(file.reasons)


def _is_meant(file: LocatedFile, keywords: frozenset[str]) -> bool:
    """Tell whether a task names a file, or shares several keywords with it."""
    reasons = [reason for reason in file.reasons if not reason.startswith(_WEAK)]
    if any(reason.startswith((_NAMED, "defines ")) for reason in reasons):
        return True
    return _shares(keywords, " ".join([*reasons, *file.symbols]))


def _is_named(file: LocatedFile) -> bool:
    return any(reason.startswith(_NAMED) for reason in file.reasons)


def _render_lines(
    files: Sequence[LocatedFile],
    coupled: Sequence[CoupledFile],
    tests: Sequence[str],
    rows: Sequence[Row],
    recipe: Row | None,
    test_command: str,
    keywords: frozenset[str],
) -> list[str]:
    head = "head" if not files or any(_is_meant(file, keywords) for file in files) else "at_hand"
    lines = [line("prompt", head), *(_render_file(file, keywords) for file in files)]
    if tests:
        run = line("prompt", "run", command=neutralize_text(test_command)) if test_command else ""
        paths = ", ".join(neutralize_text(path) for path in tests)
        lines.append(line("prompt", "tests", tests=paths, run=run))
    lines += map(_render_coupled, coupled)
    lines += map(_render_memory, rows)
    return lines + (_render_recipe(recipe) if recipe else [])


def _render_file(file: LocatedFile, keywords: frozenset[str]) -> str:
    symbols = f": {', '.join(map(neutralize_text, file.symbols[:2]))}" if file.symbols else ""
    reasons = "; ".join(map(neutralize_text, _choose_reasons(file, keywords)[:REASONS_SHOWN]))
    return line("prompt", "file", path=neutralize_text(file.path), symbols=symbols, reasons=reasons)


def _choose_reasons(file: LocatedFile, keywords: frozenset[str]) -> list[str]:
    """Choose the most specific reasons: word lists keep the task's keywords only, and nothing repeats the line."""
    reasons = []
    for reason in file.reasons:
        prefix = next((prefix for prefix in _WORD_LISTS if reason.startswith(prefix)), "")
        if prefix:
            words = [word for word in reason.removeprefix(prefix).split(", ") if extract_keywords(word) & keywords]
            reasons += [prefix + ", ".join(words)] if words else []
        elif not reason.startswith((*_WEAK, *_SEEN)):
            reasons.append(reason)
    return reasons or [*file.reasons]


def _render_coupled(pair: CoupledFile) -> str:
    counts = {"commits": str(pair.commits), "of": str(pair.of)}
    return line("prompt", "coupled", path=neutralize_text(pair.path), other=neutralize_text(pair.other), **counts)


def _render_memory(row: Row) -> str:
    slots = {"doubt": label_doubt(row), "text": summarize_row(row), "cited": cite_row(row)}
    if row["type"] == "dead_end":
        return line("prompt", "dead_end", day=format_day(str(row["stated_at"] or row["updated_at"])), **slots)
    kind = "Trap" if row["type"] in PROMPT_TRAP_TYPES else str(row["type"]).replace("_", " ").capitalize()
    return line("prompt", "memory", kind=kind, **slots)


def label_doubt(row: Row) -> str:
    """Return the suffix of the kind of a memory that may not hold: its doubt or its speaker."""
    doubtful = doubt_note(str(row["state"]), str(row["source"]), str(row["stated_at"]))
    return f", {doubtful}" if doubtful else ""


def _render_recipe(row: Row) -> list[str]:
    details = row.get("details")
    details = details if isinstance(details, dict) else {}
    task, steps = recipes.parse_steps(details)
    count = int(details.get("success_count") or 0) or len(json.loads(str(row["sessions"])))
    times = f"{count} times" if count > 1 else "once"
    lines = [line("prompt", "recipe", times=times, task=neutralize_text(task), cited=render_citation(str(row["id"])))]
    for number, (description, path) in enumerate(steps[:STEPS_SHOWN], 1):
        file = f" ({neutralize_text(path)})" if path else ""
        lines.append(line("prompt", "recipe_step", number=str(number), step=neutralize_text(description), file=file))
    return lines
