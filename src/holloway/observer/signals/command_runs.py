"""Command runs: parses shell commands and their results, and finds the later run that resolves a failure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from holloway.text import command_compare, commands, failures
from holloway.text.file_roles import is_test
from holloway.text.programs import CHECK, COMMIT, FETCH, GIT, REVERT, RUN, TEST
from holloway.text.tools import EDIT, LIST, OTHER, READ, SEARCH

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

SIMILARITY_MIN = 0.4
"""Minimum similarity of two free-form commands (share of common words) to count as the same command."""


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

    @cached_property
    def failure_stage(self) -> int:
        """The stage at which the command failed: 0 usage error, 1 build error, 2 failure at run time."""
        if _USAGE_ERROR.search(self.action.text[:2_000]):
            return 0
        return 1 if any(_BUILD_ERROR.search(error) for error in self.error_lines) else 2


_USAGE_ERROR = re.compile(
    r"(?:[Uu]nknown|[Uu]nrecognized|[Ii]llegal|[Ii]nvalid) (?:flag|option|argument|shorthand|linter|command)"
    r"|command not found|build constraints exclude|parse error near|no such command"
    r"|unexpected argument"
)
_BUILD_ERROR = re.compile(
    r"undefined|imported and not used|declared and not used|expected '|cannot use |cannot find|not enough arguments"
    r"|too many arguments|redeclared|syntax error|SyntaxError|ImportError|ModuleNotFoundError|no new variables"
    r"|mismatched types|has no field|does not implement|missing return|error TS\d+|error\[E\d+\]|could not import"
    r"|invalid operation|typecheck|unknown field|assignment mismatch|is not a type|Cannot find (?:module|name)"
    r"|Unresolved reference"
)


def find_resolution(
    actions: Sequence[Action], runs: list[CommandRun | None], failure: CommandRun, within: int
) -> CommandRun | None:
    """Find the run that resolves a failure: the same command passes, gets further, or fails with other errors.

    Looks at the given number of actions after the failure; returns None if none of them resolves it.
    """
    partial_fix: CommandRun | None = None
    for at in range(failure.index + 1, min(len(actions), failure.index + 1 + within)):
        run = runs[at]
        if run is None:
            if _is_read_by_tool(failure, actions[at]):
                return CommandRun(at, actions[at])
        elif _is_other_tool(failure, run) and not any(map(is_file_change, actions[failure.index + 1 : at])):
            continue  # another tool that checks the same files cannot prove that this finding is fixed
        elif _is_past_stage(failure, run) or (not run.has_failed and _is_fixed_by(failure, run)):
            return run
        elif partial_fix is None and run.has_failed and _has_other_errors(failure, run):
            partial_fix = run
    return partial_fix


def _is_other_tool(failure: CommandRun, run: CommandRun) -> bool:
    """Whether a run checks the failing file with another tool than the one that reported the failure."""
    before, after = failure.main_step, find_counterpart(failure, run)
    if before is None or after is None or before.program == after.program:
        return False
    return bool(extract_file(failure.main_error)) and (failure.failure_stage == 1 or classify_aspect(before) != "test")


def is_file_change(action: Action) -> bool:
    """Whether an action changed a project file, by an edit tool or in a shell."""
    return bool(list_changed_files(action))


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


def _is_read_by_tool(failure: CommandRun, action: Action) -> bool:
    """Whether a read tool showed a file that the failed command could not read."""
    step = failure.main_step
    if step is None or step.kind != READ or action.kind != "read" or action.ok is False or not action.path:
        return False
    return any(_get_file_name(path) == _get_file_name(action.path) for path in step.paths)


def _is_fixed_by(failure: CommandRun, run: CommandRun) -> bool:
    if any(sign in failure.action.text for sign in ("CONFLICT ", "needs merge", "unmerged")):
        ends = any(step.kind == COMMIT or "--continue" in step.args for step in run.steps)
        if ends and (failure.main_step is None or failure.main_step.kind in (GIT, REVERT, COMMIT)):
            return True
    return is_same_check(failure, run) and _is_covered_by(failure, run) and (not _has_no_verdict(run))


def _has_no_verdict(run: CommandRun) -> bool:
    """Whether a test run gives no green verdict: its summary was filtered out, or it ran no test."""
    step = run.main_step
    if step is None or step.kind != TEST:
        return False
    verdict = failures.read_verdict(run.command, run.action.text, run.action.ok is False)
    return verdict != "green" or ("no tests to run" in run.action.text and "--- PASS" not in run.action.text)


def _is_past_stage(failure: CommandRun, run: CommandRun) -> bool:
    """Whether a run passes the failed stage: a usage error is gone, or the code builds, however the run ends."""
    if failure.failure_stage == 2 or run.failure_stage <= failure.failure_stage or not is_same_check(failure, run):
        return False
    ran = failure.failure_stage == 0 or (
        _is_covered_by(failure, run) and bool(run.error_lines or _TEST_OUTPUT.search(run.action.text))
    )
    return ran and not set(failure.error_fingerprints) & set(run.error_fingerprints)


_TEST_OUTPUT = re.compile(r"^ok\s|^=== |^\s*--- (?:FAIL|PASS)|\b\d+ passed\b|^FAIL\s+\S+\s+[\d.]+s", re.MULTILINE)


def _has_other_errors(failure: CommandRun, run: CommandRun) -> bool:
    """Whether a run that fails at the same stage proves that this error is fixed, because it has other errors."""
    if (
        not run.error_lines
        or run.failure_stage != failure.failure_stage
        or set(failure.error_fingerprints) & set(run.error_fingerprints)
    ):
        return False
    return (
        is_same_check(failure, run) and _is_covered_by(failure, run) and not command_compare.hides_status(run.command)
    )


def is_same_check(failure: CommandRun, run: CommandRun) -> bool:
    """Whether two runs check the same thing: the same program or task, or the same aspect of the project."""
    if failure.main_step is None:
        return failure.command == run.command
    return find_counterpart(failure, run) is not None


def find_counterpart(failure: CommandRun, run: CommandRun) -> Step | None:
    """Return the step of a run that repeats the failed step, or None."""
    before = failure.main_step
    return next((step for step in run.steps[::-1] if before and _is_same_step(failure, before, step)), None)


def _is_same_step(failure: CommandRun, before: Step, after: Step) -> bool:
    aspects = classify_aspect(before), classify_aspect(after)
    if aspects[0] and aspects[1]:
        if aspects[0] == aspects[1]:
            return True
        built = failure.failure_stage == 1 and (aspects[1] != "build" or not is_test(extract_file(failure.main_error)))
        return built and "format" not in aspects and (aspects[0] != "lint" or "typecheck" in failure.action.text)
    if before.program != after.program:
        return False
    if failure.failure_stage == 0 and before.kind not in (READ, SEARCH, LIST):
        return True
    if before.kind in (RUN, FETCH, OTHER, EDIT) or before.program in ("git show", "git log", "git diff"):
        return _measure_similarity(before, after) >= SIMILARITY_MIN
    if before.kind in (READ, SEARCH, LIST):
        return bool({_get_file_name(path) for path in before.paths} & {_get_file_name(path) for path in after.paths})
    return True


_ASPECTS = (
    ("lint", re.compile(r"lint|ruff|flake8|clippy|\bvet\b|shellcheck|staticcheck|rubocop|biome")),
    ("format", re.compile(r"fmt|format|prettier|black\b|isort|goimports")),
    ("types", re.compile(r"mypy|pyright|typecheck|\btsc\b|types\b|\bty\b")),
)


def classify_aspect(step: Step) -> str:
    """Return the aspect of the project that a step checks: test, lint, format, types or build; else empty."""
    if step.kind == TEST:
        return "test"
    if step.kind != CHECK:
        return ""
    return next((name for name, pattern in _ASPECTS if pattern.search(step.program)), "build")


def _measure_similarity(before: Step, after: Step) -> float:
    words_before, words_after = (set(re.findall(r"[A-Za-z_]{2,}", " ".join(step.args))) for step in (before, after))
    return len(words_before & words_after) / len(words_before | words_after) if words_before | words_after else 1.0


def _is_covered_by(failure: CommandRun, run: CommandRun) -> bool:
    """Whether a run covers the failure: it selects the failed test by name, and the failed file by folder."""
    before, after = (
        failure.main_step,
        command_compare.chief_step([step for step in run.steps if classify_aspect(step)] or run.steps),
    )
    if before is None or after is None or not classify_aspect(after):
        return True
    tests = [match[1] for error in failure.error_lines if (match := _TEST_NAME.match(error))]
    if after.pattern and after.pattern != before.pattern:
        chosen = [part.strip("^$ ()'\"") for part in re.split(r"[|/]", after.pattern)]
        wanted = tests or re.split(r"[|/]", before.pattern)
        if not all(any(part and part in name for part in chosen) for name in wanted):
            return False
    return _is_path_covered(after.paths, extract_file(failure.main_error), before.paths)


_TEST_NAME = re.compile(r"(?:--- FAIL: |FAILED |FAIL: |ERROR: |test )([^\s:]+(?:::[\w\[\].-]+)*)")


def _is_path_covered(paths: tuple[str, ...], file: str, before: tuple[str, ...]) -> bool:
    roots = [path.removeprefix("./").removesuffix("...").rstrip("/").split("::")[0] for path in paths]
    if not roots or "" in roots or "." in roots or set(paths) & set(before):
        return True
    wanted = [file] if "/" in file else [path.removeprefix("./") for path in before]
    return not wanted or any(path.startswith(root) for path in wanted for root in roots)


def extract_file(error: str) -> str:
    """Return the file path in an error message, as written there, or an empty string."""
    match = _FILE_LOCATION.search(error)
    return match[1].removeprefix("./") if match else ""


_FILE_LOCATION = re.compile(
    r"((?:[\w.~@-]{1,100}/){0,30}[\w.@-]{1,100}\.[A-Za-z][A-Za-z0-9]{0,9})(?::\d|\(\d|::|\", line)"
)


def _get_file_name(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]
