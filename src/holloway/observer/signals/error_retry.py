"""error_retry: pairs each error with its fix. The pair is self-validating: the session shows that the fix works."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.observer.signals.command_runs import Run, alike, file_of, resolution
from holloway.observer.signals.error_fix import (
    CONFLICT,
    DIGEST,
    PHRASE_CHARS_MAX,
    WITH_OWN_TOOL,
    Fix,
    Story,
    edited,
    fix_of,
)
from holloway.text import failures
from holloway.text.file_roles import is_test
from holloway.text.programs import TEST

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action

WINDOW_CALLS = 30
"""Number of calls after a failure, or its last occurrence, after which it counts as unresolved."""
LOOKBACK_CALLS = 15
"""Number of earlier calls in which a newly written test explains its own failure."""
STUBBORN_RETRIES = 2
"""Number of failed retries from which even an edit in the file that the error names was not obvious."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An unresolved error, perhaps seen several times; steps count the session's calls."""

    error: str
    fingerprint: str
    command: str
    failed_at: int
    retries: int


@dataclass(frozen=True, slots=True)
class ErrorFixPair:
    """An error and the fix that resolved it."""

    error: str
    fingerprint: str
    command: str
    fix_kind: str
    fix: str
    files: tuple[str, ...]
    failed_at: int
    resolved_at: int
    retries: int
    telling: bool
    """Whether the fix says more than the error itself, so that it helps when the error comes again."""


def pairs(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[ErrorFixPair]:
    """Return the resolved errors of a session with their fixes, in order of occurrence."""
    return [pair for history in _stories(actions, within) if history.fixed for pair in _pairs(history, history.fixed)]


def unresolved(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[Failure]:
    """Return the errors without a fix: never an error pattern, perhaps a dead end."""
    return [
        Failure(
            history.first.error,
            history.first.fingerprint,
            history.first.command,
            history.first.action.step,
            history.retries,
        )
        for history in _stories(actions, within)
        if history.fixed is None
    ]


def pair_of(actions: Sequence[Action], at: int, within: int = WINDOW_CALLS) -> ErrorFixPair | None:
    """Return the fix of the failure at this index, or None if there is no failure or no fix within the window."""
    runs = _runs(actions)
    failure = runs[at]
    if failure is None or not _is_error(failure):
        return None
    fixed = resolution(actions, runs, failure, within)
    if fixed is None or _deliberate(actions, failure, fixed):
        return None
    return _pair(Story(actions, runs, failure, failure, fixed), fixed, failure.error)


_MEANT = re.compile(
    r"should (?:fail|error|be rejected)|expected? (?:to fail|failure|error)|must fail|\|\| ?echo", re.IGNORECASE
)


def _stories(actions: Sequence[Action], within: int) -> list[Story]:
    runs = _runs(actions)
    histories: list[Story] = []
    seen_indexes: set[int] = set()
    for index, run in enumerate(runs):
        if run is None or index in seen_indexes or not _is_error(run):
            continue
        history = Story(actions, runs, run, run)
        _follow(history, within, seen_indexes)
        if not _deliberate(actions, run, history.fixed):
            histories.append(history)
    return histories


def _runs(actions: Sequence[Action]) -> list[Run | None]:
    """Return one item per action: its run if it is a finished shell command, else None."""
    return [
        Run(at, action) if action.kind == "shell" and action.ok is not None else None
        for at, action in enumerate(actions)
    ]


def _is_error(run: Run) -> bool:
    """Whether a run failed with an error message and was not meant to fail."""
    return run.failed and bool(run.error) and not _MEANT.search(run.command)


def _follow(history: Story, within: int, told: set[int]) -> None:
    """Follow a failure to its last occurrence and its fix; adds the indexes of its repeats to the given set."""
    while True:
        last = history.last
        history.fixed = resolution(history.actions, history.runs, last, within)
        end = history.fixed.at if history.fixed else last.at + 1 + within
        repeat = next((run for run in history.runs[last.at + 1 : end] if run and _returns(history.first, run)), None)
        if repeat is None:
            return
        told.add(repeat.at)
        history.last = repeat
        history.retries += 1


def _returns(first: Run, run: Run) -> bool:
    return run.failed and bool(set(first.prints[:1]) & set(run.prints)) and alike(first, run)


def _deliberate(actions: Sequence[Action], failure: Run, fixed: Run | None) -> bool:
    """Whether a test failed as intended (TDD): it was just written, and edits of other files then made it pass."""
    step = failure.step
    if step is None or step.kind != TEST:
        return False
    written = [action for action in actions[max(0, failure.at - LOOKBACK_CALLS) : failure.at] if _writes_test(action)]
    if not written or not _about_new_test(failure, written):
        return False
    changed = edited(actions[failure.at + 1 : fixed.at if fixed else failure.at + 1 + WINDOW_CALLS])
    return bool(changed) and not any(map(is_test, changed))


def _writes_test(action: Action) -> bool:
    return action.kind in ("edit", "write") and action.ok is not False and is_test(action.path)


def _about_new_test(failure: Run, written: list[Action]) -> bool:
    """Whether the failing test, or the test file that does not compile, was just written."""
    names = {action.path.rsplit("/", 1)[-1] for action in written}
    lines = [line for action in written for line in action.added]
    if failure.stage == 1 or all(
        map(DIGEST.fullmatch, lines)
    ):  # with digests instead of lines, only file names can match
        return file_of(failure.error).rsplit("/", 1)[-1] in names
    test_name = _TEST_NAME.search(failure.error)
    return bool(test_name and any(test_name[1].split("/")[0] in line for line in lines))


_TEST_NAME = re.compile(r"(?:--- FAIL: |FAILED \S*?::|FAIL: |ERROR: |test )([\w/\[\].-]+)")


def _pairs(history: Story, fixed: Run) -> list[ErrorFixPair]:
    """Return one pair for a failure; for a linter, one pair for each finding, because they are fixed one by one."""
    errors = history.first.errors or (history.first.error,)
    reported_errors = errors if history.lints and not fixed.failed else errors[:1]
    pairs_by_fingerprint = {failures.fingerprint(error): _pair(history, fixed, error) for error in reported_errors}
    return list(pairs_by_fingerprint.values())


def _pair(history: Story, fixed: Run, error: str) -> ErrorFixPair:
    first = history.first
    fix = fix_of(history, fixed, error)
    return ErrorFixPair(
        error=error,
        fingerprint=failures.fingerprint(error) if first.errors else "",
        command=first.command[:PHRASE_CHARS_MAX],
        fix_kind=fix.kind,
        fix=fix.words,
        files=fix.files,
        failed_at=first.action.step,
        resolved_at=fixed.action.step,
        retries=history.retries,
        telling=bool(first.errors) and _is_telling(history, error, fix),
    )


_CONFIG = re.compile(
    r"(?:^|/)(?:\.env[\w.]*|Dockerfile|Makefile|Justfile|go\.mod|\.[\w-]+rc(?:\.\w+)?|[\w.-]*config\.[cm]?[jt]s)$"
    r"|\.(?:toml|ya?ml|ini|cfg|lock|properties|json)$"
)
_ELSEWHERE = re.compile(r"run it in [/~]|leave `cd |`kill (?:-\w+ )?\d|(?<![\w.-])/(?:private/)?(?:tmp|var/folders)/")
"""Fixes that do not transfer to another session: a working directory, a process id, or a temporary file."""


def _is_telling(history: Story, error: str, fix: Fix) -> bool:
    """Whether the fix is not obvious from the error: it is no edit of the file that the error points to.

    A configuration change, the project's way to satisfy a linter, and a fix after several retries are not obvious.
    """
    if fix.kind == "other" or fix.words.endswith(WITH_OWN_TOOL):
        return False
    if CONFLICT in history.first.action.text or _ELSEWHERE.search(fix.words):
        return False
    if fix.kind != "edit" or any(_CONFIG.search(path) for path in fix.files):
        return True
    if not fix.shared:
        return False
    named = file_of(error).rsplit("/", 1)[-1]
    elsewhere = bool(named) and named not in {path.rsplit("/", 1)[-1] for path in fix.files}
    return history.lints or (elsewhere and history.first.stage == 1) or history.retries >= STUBBORN_RETRIES
