"""Command runs: parses shell commands and their results, and finds the later run that resolves a failure."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from holloway.text import command_compare, commands, failures
from holloway.text.programs import CHECK, GIT, REVERT, TEST
from holloway.text.tools import EDIT, LIST, READ, SEARCH

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step


class CommandRun:
    """One shell command of a session with its result, parsed lazily."""

    def __init__(self, index: int, action: Action) -> None:
        self.index = index
        """Index among the session's actions."""
        self.action = action
        self.command = action.command

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The parsed steps of the command."""
        return commands.parse_command(self.command)

    @cached_property
    def main_step(self) -> Step | None:
        """The main step of the command."""
        return command_compare.chief_step(self.steps)

    @cached_property
    def has_failed(self) -> bool:
        """Whether the command failed, by its exit status or by its output."""
        return failures.is_failure(self.action.text, self.action.ok is False, self.command)

    @cached_property
    def error_lines(self) -> tuple[str, ...]:
        """The errors in the output of a failed command."""
        return failures.list_errors(self.action.text) if self.has_failed else ()

    @cached_property
    def main_error(self) -> str:
        """The most informative error, or else the most informative line of the output."""
        return self.error_lines[0] if self.error_lines else failures.find_error_line(self.action.text)

    @cached_property
    def error_fingerprints(self) -> tuple[str, ...]:
        """The fingerprints of the errors, deduplicated."""
        return tuple(dict.fromkeys(map(failures.fingerprint_failure, self.error_lines)))

    @property
    def main_fingerprint(self) -> str:
        """The fingerprint of the most informative error; empty if no line is an error."""
        return self.error_fingerprints[0] if self.error_fingerprints else ""


def find_resolution(runs: Sequence[CommandRun | None], failure: CommandRun, within: int) -> CommandRun | None:
    """Find the run that proves a failure resolved: the same program passes on the same target.

    Looks at the given number of actions after the failure; returns None if none of them proves it.
    """
    later_runs = runs[failure.index + 1 : failure.index + 1 + within]
    return next(
        (run for run in later_runs if run and _has_passed(failure, run) and find_counterpart(failure, run)), None
    )


def find_counterpart(failure: CommandRun, run: CommandRun) -> Step | None:
    """Return the step of a run that repeats the failed step on the same target, or None."""
    before = failure.main_step
    if before is None or before.kind in LOOKING_KINDS or failure.action.actor != run.action.actor:
        return None
    return next(
        (
            step
            for step in run.steps[::-1]
            if command_compare.is_same_program(before, step)
            and command_compare.covers_target(before, step)
            and _asks_help(before) == _asks_help(step)
        ),
        None,
    )


LOOKING_KINDS = frozenset((READ, SEARCH, LIST, GIT, REVERT))
"""Kinds of steps whose failures say nothing about the project."""


def _asks_help(step: Step) -> bool:
    return not {"--help", "-h", "help", "--version"}.isdisjoint(step.args)


def _has_passed(failure: CommandRun, run: CommandRun) -> bool:
    """Whether a run passed, and shows it as the failure showed that it failed: by the output where that was so."""
    if shows_pass(run):
        return True
    is_shown = failure.action.ok is not False and command_compare.hides_status(failure.command)
    # Tests that the program refused to begin have begun once it no longer refuses; whether they pass is another matter.
    is_test = failure.main_step is not None and failure.main_step.kind == TEST
    needs_verdict = is_test and not failures.is_usage_error(failure.main_error)
    return is_shown and not needs_verdict and _is_clean(run) and not _SILENCED.search(run.command)


def shows_pass(run: CommandRun) -> bool:
    """Whether a run passed, and shows it: by its status, or by the verdict of its tests."""
    if not _is_clean(run):
        return False
    if any(step.kind == TEST for step in run.steps):
        is_green = failures.read_verdict(run.command, run.action.text, flagged=False) == "green"
        has_run = _RAN_TESTS.search(run.action.text) or not _NO_TESTS.search(run.action.text)
        return is_green and bool(has_run)
    return not command_compare.hides_status(run.command)


def _is_clean(run: CommandRun) -> bool:
    return run.action.ok is True and not run.has_failed


def list_passed_calls(actions: Sequence[Action]) -> dict[str, str]:
    """Return how tests and checks of a session were called when they passed, by program: the most frequent call."""
    calls: dict[str, Counter[str]] = {}
    for index, action in enumerate(actions):
        run = CommandRun(index, action)
        step = run.main_step if action.kind == "shell" and action.command else None
        if step is not None and step.kind in (TEST, CHECK) and shows_pass(run) and not _asks_help(step):
            calls.setdefault(command_compare.fold_program(step.program), Counter())[step.call] += 1
    return {program: counted.most_common(1)[0][0] for program, counted in calls.items()}


_NO_TESTS = re.compile(r"no tests to run|\bno tests ran\b")
_RAN_TESTS = re.compile(r"^\s*--- PASS|^ok\s+\S+\s+[\d.]+s\s*$", re.MULTILINE)
"""Lines of one Go package that ran tests, beside others that have none."""
_SILENCED = re.compile(r"(?:2|&)>\s*/dev/null|\|\|\s*(?:true|:)")


def list_changed_files(action: Action) -> list[str]:
    """Return the project files that an action changed; files that a shell removed are not included."""
    if action.ok is False:
        return []
    if action.kind in ("edit", "write"):
        return [action.path] if action.path else []
    if action.kind != "shell":
        return []
    steps = [
        step
        for step in commands.parse_command(action.command)
        if step.kind == EDIT and step.program not in REMOVING_PROGRAMS
    ]
    paths = (posixpath.normpath(posixpath.join(step.directory, path)) for step in steps for path in step.paths)
    return [path for path in paths if _FILE_NAME.search(path)]


REMOVING_PROGRAMS = frozenset(("rm", "git rm"))
_FILE_NAME = re.compile(r"^(?!/tmp/|/dev/|/var/)[\w./@-]+\.[A-Za-z][A-Za-z0-9]{0,9}$")

_LINTERS = re.compile(r"lint|ruff|flake8|clippy|\bvet\b|shellcheck|staticcheck|rubocop|biome")


def is_linter(step: Step) -> bool:
    """Whether a step checks the style of the code."""
    return step.kind == CHECK and bool(_LINTERS.search(step.program))


def extract_file(error: str) -> str:
    """Return the file path in an error message, as written there, or an empty string."""
    match = _FILE_LOCATION.search(error)
    return match[1].removeprefix("./") if match else ""


_FILE_LOCATION = re.compile(
    r"((?:[\w.~@-]{1,100}/){0,30}[\w.@-]{1,100}\.[A-Za-z][A-Za-z0-9]{0,9})(?::\d|\(\d|::|\", line)"
)
