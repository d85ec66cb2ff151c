"""Runs: shell commands with their results, and when a later one shows that an earlier failure is gone."""

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
"""The share of words that two free-form commands must have in common to count as one."""


class Run:
    """One shell command of a session with its result, understood as far as it is asked for."""

    def __init__(self, at: int, action: Action) -> None:
        self.at = at
        """Its place among the session's actions."""
        self.action = action
        self.command = action.command

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What the command does."""
        return commands.understand(self.command)

    @cached_property
    def step(self) -> Step | None:
        """What the command is there for."""
        return command_compare.chief(self.steps)

    @cached_property
    def failed(self) -> bool:
        """Whether it failed, flagged or not."""
        return failures.failed(self.action.text, self.action.ok is False, self.command)

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """What it complained about."""
        return failures.errors(self.action.text) if self.failed else ()

    @cached_property
    def error(self) -> str:
        """The one that says most."""
        return self.errors[0] if self.errors else failures.telling(self.action.text)

    @cached_property
    def prints(self) -> tuple[str, ...]:
        """The fingerprints of its errors."""
        return tuple(dict.fromkeys(map(failures.fingerprint, self.errors)))

    @property
    def fingerprint(self) -> str:
        """The one of the error that says most; nothing where no line says that it is an error."""
        return self.prints[0] if self.prints else ""

    @cached_property
    def stage(self) -> int:
        """How far it got: 0 it was not understood, 1 it did not build, 2 it ran and something was wrong."""
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
    """The run that shows that a failure is gone: the same thing passes, or it gets further and fails otherwise."""
    otherwise: Run | None = None
    for at in range(failure.at + 1, min(len(actions), failure.at + 1 + within)):
        run = runs[at]
        if run is None:
            if _read_after_all(failure, actions[at]):
                return Run(at, actions[at])
        elif _other_look(failure, run) and not any(map(changes_files, actions[failure.at + 1 : at])):
            continue  # another tool over the same files cannot show that this finding is gone
        elif _got_further(failure, run) or (not run.failed and _passes(failure, run)):
            return run
        elif otherwise is None and run.failed and _gone(failure, run):
            otherwise = run
    return otherwise


def _other_look(failure: Run, run: Run) -> bool:
    """Whether a finding in a file is looked for by another tool than the one that found it."""
    before, after = failure.step, counterpart(failure, run)
    if before is None or after is None or before.program == after.program:
        return False
    return bool(file_of(failure.error)) and (failure.stage == 1 or aspect(before) != "test")


def changes_files(action: Action) -> bool:
    """Whether an action changed a file, by a tool or in a shell."""
    return bool(changed_files(action))


def changed_files(action: Action) -> list[str]:
    """The files that an action changed; what a shell wrote outside the project or removed is not among them."""
    if action.ok is False:
        return []
    if action.kind in ("edit", "write"):
        return [action.path] if action.path else []
    if action.kind != "shell":
        return []
    steps = [step for step in commands.understand(action.command) if step.kind == EDIT and step.program not in REMOVES]
    places = (posixpath.normpath(posixpath.join(step.directory, path)) for step in steps for path in step.paths)
    return [path for path in places if _FILE_NAME.search(path)]


REMOVES = frozenset(("rm", "git rm"))
_FILE_NAME = re.compile(r"^(?!/tmp/|/dev/|/var/)[\w./@-]+\.[A-Za-z][A-Za-z0-9]{0,9}$")


def _read_after_all(failure: Run, action: Action) -> bool:
    """Whether a file that a command failed to show was then shown by a tool."""
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
    """Whether a run of tests ended without saying how: filtered away, or no test was chosen."""
    step = run.step
    if step is None or step.kind != TEST:
        return False
    said = failures.verdict(run.command, run.action.text, run.action.ok is False)
    return said != "green" or ("no tests to run" in run.action.text and "--- PASS" not in run.action.text)


def _got_further(failure: Run, run: Run) -> bool:
    """Whether a command that was not understood is, or what did not build now runs, however that ends."""
    if failure.stage == 2 or run.stage <= failure.stage or not alike(failure, run):
        return False
    ran = failure.stage == 0 or (_covers(failure, run) and bool(run.errors or _RAN.search(run.action.text)))
    return ran and not set(failure.prints) & set(run.prints)


_RAN = re.compile(r"^ok\s|^=== |^\s*--- (?:FAIL|PASS)|\b\d+ passed\b|^FAIL\s+\S+\s+[\d.]+s", re.MULTILINE)


def _gone(failure: Run, run: Run) -> bool:
    """Whether a run that fails at the same stage still shows that this error is no longer there."""
    if not run.errors or run.stage != failure.stage or set(failure.prints) & set(run.prints):
        return False
    return alike(failure, run) and _covers(failure, run) and not command_compare.hides_status(run.command)


def alike(failure: Run, run: Run) -> bool:
    """Whether two commands are one for this purpose: the same program or task, or the same aspect of the project."""
    if failure.step is None:
        return failure.command == run.command
    return counterpart(failure, run) is not None


def counterpart(failure: Run, run: Run) -> Step | None:
    """The step of a run that does again what failed."""
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
    """What of the project a run looks at: test, lint, format, types or build; empty for anything else."""
    if step.kind == TEST:
        return "test"
    if step.kind != CHECK:
        return ""
    return next((name for name, pattern in _ASPECTS if pattern.search(step.program)), "build")


def _similar(before: Step, after: Step) -> float:
    one, other = (set(re.findall(r"[A-Za-z_]{2,}", " ".join(step.args))) for step in (before, after))
    return len(one & other) / len(one | other) if one | other else 1.0


def _covers(failure: Run, run: Run) -> bool:
    """Whether a run looks at least at what failed: the test by its name, the file by its folder."""
    before, after = failure.step, command_compare.chief([step for step in run.steps if aspect(step)] or run.steps)
    if before is None or after is None or not aspect(after):
        return True
    tests = [found[1] for error in failure.errors if (found := _TEST_NAME.match(error))]
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
    return not wanted or any(one.startswith(root) for one in wanted for root in roots)


def file_of(error: str) -> str:
    """The file that an error names, as it names it."""
    found = _FILE.search(error)
    return found[1].removeprefix("./") if found else ""


_FILE = re.compile(r"((?:[\w.~@-]{1,100}/){0,30}[\w.@-]{1,100}\.[A-Za-z][A-Za-z0-9]{0,9})(?::\d|\(\d|::|\", line)")


def _name(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]
