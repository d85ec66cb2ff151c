"""The text that an agent reads with a prompt: which located files are worth naming, and how they are rendered."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import (
    PROMPT_BARE_FILES_MAX,
    PROMPT_FILES_MAX,
    PROMPT_TESTS_MAX,
    PROMPT_TOKENS_MAX,
    REASON_WORDS_MAX,
)
from holloway.injection import relevance as recipes
from holloway.injection.memory_text import cite_row, note_doubt, summarize_row
from holloway.injection.relevance import extract_keywords
from holloway.injection.template import line
from holloway.retrieval.evidence import HABIT_REASON, IN_COMMITS, IN_TASK, LATELY_REASON, UNDERWAY_REASON
from holloway.safety.neutralize import neutralize_text
from holloway.text import failures
from holloway.text.function_words import find_function_words
from holloway.text.tokens import fits_budget, format_day, render_citation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.retrieval.locate import LocatedFile, LocateResult

    Row = dict[str, object]

PROMPT_FILE_SCORE_MIN = 0.55
"""Share of the best file's score; a file below it is not worth naming. In the project that this was set on, 41 % of the
files above 0.6 are needed, and 34 % of those above 0.5."""
SYMBOLS_SHOWN = 1
MEANT_AMONG = 10
"""Best files of which the words of a task must match one; otherwise they match by chance."""
STEPS_SHOWN = 8
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
_WEAK = ("changes with ", LATELY_REASON, HABIT_REASON)
"""Reasons that hold for any prompt; a file that has no other is not its subject."""
_NAMED = "named: "
"""Prefix of the reason of a file that the prompt itself names."""
_WORD_LISTS = ("speaks of ", IN_COMMITS, IN_TASK)
"""Prefixes of reasons that list words of the task."""
_FACTS = (_NAMED, "defines ", UNDERWAY_REASON, LATELY_REASON, HABIT_REASON)
"""Reasons and prefixes of reasons that are shown as they are."""
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

    If it exceeds the budget, the least certain files are dropped first, then memories, then the recipe.
    """
    files, rows, keywords = list(files), list(rows), task_keywords(task)
    nameless = _choose_nameless(located, keywords)
    test_paths = {test.path for test in located.tests}
    while files or nameless or rows or recipe:
        lines = _render_lines(files, nameless, test_paths, rows, recipe, test_command, keywords)
        if fits_budget(lines, PROMPT_TOKENS_MAX):
            ids = [str(row["id"]) for row in (*rows, *([recipe] if recipe else []))]
            return Rendered("\n".join(lines), tuple(ids), tuple(file.path for file in files if not _is_named(file)))
        if len(files) > 1 or (files and not rows):
            files.pop()
        elif nameless:
            nameless.pop()
        elif rows:
            rows.pop()
        else:
            recipe = None
    return Rendered()


def task_keywords(task: str) -> frozenset[str]:
    """Return the words that are specific to a task, in the form in which words are compared here."""
    return extract_keywords(task) - _CHAT - find_function_words(task)


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


def choose_files(located: LocateResult, task: str, *, begins: bool = False) -> tuple[LocatedFile, ...]:
    """Choose the files that are worth naming; none if only habit and small talk speak for them.

    A file whose whole path stands in the prompt is left out, because its reader knows it, except for one that only a
    stack trace names.

    If the words of a task match one file, the files of the latest sessions are as likely to be needed as others. Tests
    are those that match the task; if it names a file and none does, the one that is linked to it.
    If they match none and a session begins with them ("fix the tests"), the work at hand is meant.
    """
    keywords, test_paths, prose = task_keywords(task), {test.path for test in located.tests}, _drop_frames(task)
    ranked = [file for file in located.ranked if file.path not in prose]
    near = [file for file in ranked if file.score >= PROMPT_FILE_SCORE_MIN * ranked[0].score]
    sources = [file for file in near if file.path not in test_paths][: PROMPT_FILES_MAX + PROMPT_BARE_FILES_MAX]
    if any(_is_meant(file, keywords) for file in located.ranked[:MEANT_AMONG]):
        tests = [file for file in near if file.path in test_paths]
        linked_tests = located.tests[: int(any(map(_is_named, located.files)))]
        return (*sources, *(tests or linked_tests)[:PROMPT_TESTS_MAX])
    # The few words of such a prompt match symbols by chance.
    return tuple(replace(file, symbols=()) for file in sources if begins and _is_at_hand(file))


def _drop_frames(task: str) -> str:
    """Return a task without the frames of stack traces."""
    return "\n".join(text for text in task.split("\n") if not failures.is_frame(text)) if "\n" in task else task


def _choose_nameless(located: LocateResult, keywords: frozenset[str]) -> list[LocatedFile]:
    """Choose the files that match a task but whose names are not shown: they are described by folder and symbols."""
    near = [file for file in located.nameless if file.score >= PROMPT_FILE_SCORE_MIN and _is_meant(file, keywords)]
    return near[:PROMPT_FILES_MAX]


def list_known(located: LocateResult, task: str) -> list[str]:
    """List the files whose whole path is in a prompt: its reader knows them."""
    return [file.path for file in located.ranked if file.path in task]


def _is_at_hand(file: LocatedFile) -> bool:
    return not {UNDERWAY_REASON, LATELY_REASON, HABIT_REASON}.isdisjoint(file.reasons)


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
    nameless: Sequence[LocatedFile],
    test_paths: set[str],
    rows: Sequence[Row],
    recipe: Row | None,
    test_command: str,
    keywords: frozenset[str],
) -> list[str]:
    head = "head" if not files or any(_is_meant(file, keywords) for file in files) else "at_hand"
    sources = [file for file in files if file.path not in test_paths]
    tests = [file.path for file in files if file.path in test_paths]
    lines = [line("prompt", head), *(_render_file(file, keywords) for file in sources[:PROMPT_FILES_MAX])]
    lines += [_render_file(file, keywords, "nameless") for file in nameless]
    if bare_files := sources[PROMPT_FILES_MAX:]:
        lines.append(line("prompt", "more", paths=group_paths([file.path for file in bare_files])))
    if tests:
        run = line("prompt", "run", command=neutralize_text(test_command)) if test_command else ""
        lines.append(line("prompt", "tests", paths=group_paths(tests), run=run))
    lines += map(_render_memory, rows)
    return lines + (_render_recipe(recipe) if recipe else [])


def group_paths(paths: Sequence[str]) -> str:
    """Render paths by folder, each folder once: `src/shop/: cart.py, mail.py; tests/: test_cart.py`."""
    names_by_folder: dict[str, list[str]] = {}
    for path in paths:
        folder, slash, name = path.rpartition("/")
        names_by_folder.setdefault(folder + slash, []).append(neutralize_text(name))
    groups = ((neutralize_text(folder), ", ".join(names)) for folder, names in names_by_folder.items())
    return "; ".join(f"{folder}: {names}" if folder else names for folder, names in groups)


def _render_file(file: LocatedFile, keywords: frozenset[str], template: str = "file") -> str:
    reason = _choose_reason(file, keywords)
    return line(
        "prompt", template, path=neutralize_text(file.path), reason=f" ({neutralize_text(reason)})" * bool(reason)
    )


def _choose_reason(file: LocatedFile, keywords: frozenset[str]) -> str:
    """Choose the reason that a person would accept at once: a name of code, else what was done there, else words."""
    symbols = [symbol for symbol in file.symbols if extract_keywords(symbol) & keywords][:SYMBOLS_SHOWN]
    if symbols:
        return ", ".join(symbols)
    for reason in file.reasons:
        prefix = next((prefix for prefix in _WORD_LISTS if reason.startswith(prefix)), "")
        words = [word for word in reason.removeprefix(prefix).split(", ") if extract_keywords(word) & keywords]
        if prefix and words:
            return prefix + ", ".join(words[:REASON_WORDS_MAX])
        if reason.startswith(_FACTS):
            return reason
    return ""


def _render_memory(row: Row) -> str:
    slots = {"doubt": label_doubt(row), "text": summarize_row(row), "cited": cite_row(row)}
    if row["type"] == "dead_end":
        return line("prompt", "dead_end", day=format_day(str(row["stated_at"] or row["updated_at"])), **slots)
    kind = "Trap" if row["type"] in PROMPT_TRAP_TYPES else str(row["type"]).replace("_", " ").capitalize()
    return line("prompt", "memory", kind=kind, **slots)


def label_doubt(row: Row) -> str:
    """Return the suffix of the kind of a memory that may not hold: its doubt or its speaker."""
    doubtful = note_doubt(row)
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
