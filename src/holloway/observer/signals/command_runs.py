"""Command runs: parses shell commands and their results, and finds the later run that resolves a failure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from holloway.text import command_compare, commands, failures
from holloway.text.file_roles import is_test
from holloway.text.programs import CHECK, COMMIT, EDIT, FETCH, GIT, LIST, OTHER, READ, REVERT, RUN, SEARCH, TEST

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action
    from holloway.text.commands import Step

ALIKE_MIN = 0.4
"""Minimum similarity of two free-form commands (share of common words) to count as the same command."""


class Run:
    """One shell command of a session with its result, parsed lazily."""

    def __init__(self, at: int, action: Action) -> None:
        self.at = at
        """Index among the session's actions."""
        self.action = action
        self.command = action.command

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The parsed steps of the command."""
        return commands.understand(self.command)

    @cached_property
    def step(self) -> Step | None:
        """The main step of the command."""
        return command_compare.chief(self.steps)

    @cached_property
    def failed(self) -> bool:
        """Whether the command failed, by its exit status or by its output."""
        return failures.failed(self.action.text, self.action.ok is False, self.command)

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """The errors in the output of a failed command."""
        return failures.errors(self.action.text) if self.failed else ()

    @cached_property
    def error(self) -> str:
        """The most informative error, or else the most informative line of the output."""
        return self.errors[0] if self.errors else failures.find_error_line(self.action.text)

    @cached_property
    def prints(self) -> tuple[str, ...]:
        """The fingerprints of the errors, deduplicated."""
        return tuple(dict.fromkeys(map(failures.fingerprint, self.errors)))

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the most informative error; empty if no line is an error."""
        return self.prints[0] if self.prints else ""

    @cached_property
    def stage(self) -> int:
        """The stage at which the command failed: 0 usage error, 1 build error, 2 failure at run time."""
        if _USAGE.search(self.action.text[:2_000]):
            return 0
        return 1 if any(_COMPILER.search(error) for error in self.errors) else 2


_USAGE = re.compile(
    r"(?:[Uu]nknown|[Uu]nrecognized|[Ii]llegal|[Ii]nvalid) (?:flag|option|argument|shorthand|linter|command)"
    r"|command not found|build constraints exclude|parse error near|no such command"
    r"|unexpected argument"
)
_COMPILER = re.compile(
    r"undefined|imported and not used|declared and not used|expected '|cannot use |cannot find|not enough arguments"
    r"|too many arguments|redeclared|syntax error|SyntaxError|ImportError|ModuleNotFoundError|no new variables"
    r"|mismatched types|has no field|does not implement|missing return|error TS\d+|error\[E\d+\]|could not import"
    r"|invalid operation|typecheck|unknown field|assignment mismatch|is not a type|Cannot find (?:module|name)"
    r"|Unresolved reference"
)


def resolution(actions: Sequence[Action], runs: list[Run | None], failure: Run, within: int) -> Run | None:
    """Find the run that resolves a failure: the same command passes, gets further, or fails with other errors.

    Looks at the given number of actions after the failure; returns None if none of them resolves it.
    """
    partial_fix: Run | None = None
    for at in range(failure.at + 1, min(len(actions), failure.at + 1 + within)):
        run = runs[at]
        if run is None:
            if _read_after_all(failure, actions[at]):
                return Run(at, actions[at])
        elif _other_look(failure, run) and not any(map(changes_files, actions[failure.at + 1 : at])):
            continue  # another tool that checks the same files cannot prove that this finding is fixed
        elif _got_further(failure, run) or (not run.failed and _passes(failure, run)):
            return run
        elif partial_fix is None and run.failed and _gone(failure, run):
            partial_fix = run
    return partial_fix


def _other_look(failure: Run, run: Run) -> bool:
    """Whether a run checks the failing file with another tool than the one that reported the failure."""
    before, after = failure.step, counterpart(failure, run)
    if before is None or after is None or before.program == after.program:
        return False
    return bool(file_of(failure.error)) and (failure.stage == 1 or aspect(before) != "test")


def changes_files(action: Action) -> bool:
    """Whether an action changed a project file, by an edit tool or in a shell."""
    return bool(changed_files(action))


def changed_files(action: Action) -> list[str]:
    """Return the project files that an action changed; files that a shell removed are not included."""
    if action.ok is False:
        return []
    if action.kind in ("edit", "write"):
        return [action.path] if action.path else []
    if action.kind != "shell":
        return []
    steps = [step for step in commands.understand(action.command) if step.kind == EDIT and step.program not in REMOVES]
    paths = (posixpath.normpath(posixpath.join(step.directory, path)) for step in steps for path in step.paths)
    return [path for path in paths if _FILE_NAME.search(path)]


REMOVES = frozenset(("rm", "git rm"))
_FILE_NAME = re.compile(r"^(?!/tmp/|/dev/|/var/)[\w./@-]+\.[A-Za-z][A-Za-z0-9]{0,9}$")


def _read_after_all(failure: Run, action: Action) -> bool:
    """Whether a read tool showed a file that the failed command could not read."""
    step = failure.step
    if step is None or step.kind != READ or action.kind != "read" or action.ok is False or not action.path:
        return False
    return any(_name(path) == _name(action.path) for path in step.paths)


def _passes(failure: Run, run: Run) -> bool:
    if any(sign in failure.action.text for sign in ("CONFLICT ", "needs merge", "unmerged")):
        ends = any(step.kind == COMMIT or "--continue" in step.args for step in run.steps)
        if ends and (failure.step is None or failure.step.kind in (GIT, REVERT, COMMIT)):
            return True
    return alike(failure, run) and _covers(failure, run) and (not _verdictless(run))


def _verdictless(run: Run) -> bool:
    """Whether a test run gives no green verdict: its summary was filtered out, or it ran no test."""
    step = run.step
    if step is None or step.kind != TEST:
        return False
    verdict = failures.read_verdict(run.command, run.action.text, run.action.ok is False)
    return verdict != "green" or ("no tests to run" in run.action.text and "--- PASS" not in run.action.text)


def _got_further(failure: Run, run: Run) -> bool:
    """Whether a run passes the failed stage: a usage error is gone, or the code builds, however the run ends."""
    if failure.stage == 2 or run.stage <= failure.stage or not alike(failure, run):
        return False
    ran = failure.stage == 0 or (_covers(failure, run) and bool(run.errors or _RAN.search(run.action.text)))
    return ran and not set(failure.prints) & set(run.prints)


_RAN = re.compile(r"^ok\s|^=== |^\s*--- (?:FAIL|PASS)|\b\d+ passed\b|^FAIL\s+\S+\s+[\d.]+s", re.MULTILINE)


def _gone(failure: Run, run: Run) -> bool:
    """Whether a run that fails at the same stage proves that this error is fixed, because it has other errors."""
    if not run.errors or run.stage != failure.stage or set(failure.prints) & set(run.prints):
        return False
    return alike(failure, run) and _covers(failure, run) and not command_compare.hides_status(run.command)


def alike(failure: Run, run: Run) -> bool:
    """Whether two runs check the same thing: the same program or task, or the same aspect of the project."""
    if failure.step is None:
        return failure.command == run.command
    return counterpart(failure, run) is not None


def counterpart(failure: Run, run: Run) -> Step | None:
    """Return the step of a run that repeats the failed step, or None."""
    before = failure.step
    return next((step for step in run.steps[::-1] if before and _same(failure, before, step)), None)


def _same(failure: Run, before: Step, after: Step) -> bool:
    aspects = aspect(before), aspect(after)
    if aspects[0] and aspects[1]:
        if aspects[0] == aspects[1]:
            return True
        built = failure.stage == 1 and (aspects[1] != "build" or not is_test(file_of(failure.error)))
        return built and "format" not in aspects and (aspects[0] != "lint" or "typecheck" in failure.action.text)
    if before.program != after.program:
        return False
    if failure.stage == 0 and before.kind not in (READ, SEARCH, LIST):
        return True
    if before.kind in (RUN, FETCH, OTHER, EDIT) or before.program in ("git show", "git log", "git diff"):
        return _similar(before, after) >= ALIKE_MIN
    if before.kind in (READ, SEARCH, LIST):
        return bool({_name(path) for path in before.paths} & {_name(path) for path in after.paths})
    return True


_ASPECTS = (
    ("lint", re.compile(r"lint|ruff|flake8|clippy|\bvet\b|shellcheck|staticcheck|rubocop|biome")),
    ("format", re.compile(r"fmt|format|prettier|black\b|isort|goimports")),
    ("types", re.compile(r"mypy|pyright|typecheck|\btsc\b|types\b|\bty\b")),
)


def aspect(step: Step) -> str:
    """Return the aspect of the project that a step checks: test, lint, format, types or build; else empty."""
    if step.kind == TEST:
        return "test"
    if step.kind != CHECK:
        return ""
    return next((name for name, pattern in _ASPECTS if pattern.search(step.program)), "build")


def _similar(before: Step, after: Step) -> float:
    words_before, words_after = (set(re.findall(r"[A-Za-z_]{2,}", " ".join(step.args))) for step in (before, after))
    return len(words_before & words_after) / len(words_before | words_after) if words_before | words_after else 1.0


def _covers(failure: Run, run: Run) -> bool:
    """Whether a run covers the failure: it selects the failed test by name, and the failed file by folder."""
    before, after = failure.step, command_compare.chief([step for step in run.steps if aspect(step)] or run.steps)
    if before is None or after is None or not aspect(after):
        return True
    tests = [match[1] for error in failure.errors if (match := _TEST_NAME.match(error))]
    if after.pattern and after.pattern != before.pattern:
        chosen = [part.strip("^$ ()'\"") for part in re.split(r"[|/]", after.pattern)]
        wanted = tests or re.split(r"[|/]", before.pattern)
        if not all(any(part and part in name for part in chosen) for name in wanted):
            return False
    return _reaches(after.paths, file_of(failure.error), before.paths)


_TEST_NAME = re.compile(r"(?:--- FAIL: |FAILED |FAIL: |ERROR: |test )([^\s:]+(?:::[\w\[\].-]+)*)")


def _reaches(paths: tuple[str, ...], file: str, before: tuple[str, ...]) -> bool:
    roots = [path.removeprefix("./").removesuffix("...").rstrip("/").split("::")[0] for path in paths]
    if not roots or "" in roots or "." in roots or set(paths) & set(before):
        return True
    wanted = [file] if "/" in file else [path.removeprefix("./") for path in before]
    return not wanted or any(path.startswith(root) for path in wanted for root in roots)


def file_of(error: str) -> str:
    """Return the file path in an error message, as written there, or an empty string."""
    match = _FILE.search(error)
    return match[1].removeprefix("./") if match else ""


_FILE = re.compile(r"((?:[\w.~@-]{1,100}/){0,30}[\w.@-]{1,100}\.[A-Za-z][A-Za-z0-9]{0,9})(?::\d|\(\d|::|\", line)")


def _name(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]
