"""error_retry: pairs each error with its fix. The pair is self-validating: the session shows that the fix works."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.observer.signals.command_runs import CommandRun, extract_file, find_resolution, is_same_check
from holloway.observer.signals.error_fix import (
    CONFLICT,
    DIGEST,
    PHRASE_CHARS_MAX,
    WITH_OWN_TOOL,
    FailureHistory,
    Fix,
    derive_fix,
    list_edited_files,
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
class UnresolvedFailure:
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


def find_pairs(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[ErrorFixPair]:
    """Return the resolved errors of a session with their fixes, in order of occurrence."""
    return [
        pair
        for history in _trace_failures(actions, within)
        if history.fixed
        for pair in _build_pairs(history, history.fixed)
    ]


def find_unresolved(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[UnresolvedFailure]:
    """Return the errors without a fix: never an error pattern, perhaps a dead end."""
    return [
        UnresolvedFailure(
            history.first.main_error,
            history.first.main_fingerprint,
            history.first.command,
            history.first.action.step,
            history.retries,
        )
        for history in _trace_failures(actions, within)
        if history.fixed is None
    ]


def find_pair(actions: Sequence[Action], index: int, within: int = WINDOW_CALLS) -> ErrorFixPair | None:
    """Return the fix of the failure at this index, or None if there is no failure or no fix within the window."""
    runs = _list_runs(actions)
    failure = runs[index]
    if failure is None or not _is_error(failure):
        return None
    fixed = find_resolution(actions, runs, failure, within)
    if fixed is None or _is_deliberate(actions, failure, fixed):
        return None
    return _build_pair(FailureHistory(actions, runs, failure, failure, fixed), fixed, failure.main_error)


_EXPECTED_FAILURE = re.compile(
    r"should (?:fail|error|be rejected)|expected? (?:to fail|failure|error)|must fail|\|\| ?echo", re.IGNORECASE
)


def _trace_failures(actions: Sequence[Action], within: int) -> list[FailureHistory]:
    runs = _list_runs(actions)
    histories: list[FailureHistory] = []
    seen_indexes: set[int] = set()
    for index, run in enumerate(runs):
        if run is None or index in seen_indexes or not _is_error(run):
            continue
        history = FailureHistory(actions, runs, run, run)
        _follow_failure(history, within, seen_indexes)
        if not _is_deliberate(actions, run, history.fixed):
            histories.append(history)
    return histories


def _list_runs(actions: Sequence[Action]) -> list[CommandRun | None]:
    """Return one item per action: its run if it is a finished shell command, else None."""
    return [
        CommandRun(at, action) if action.kind == "shell" and action.ok is not None else None
        for at, action in enumerate(actions)
    ]


def _is_error(run: CommandRun) -> bool:
    """Whether a run failed with an error message and was not meant to fail."""
    return run.has_failed and bool(run.main_error) and not _EXPECTED_FAILURE.search(run.command)


def _follow_failure(history: FailureHistory, within: int, seen_indexes: set[int]) -> None:
    """Follow a failure to its last occurrence and its fix; adds the indexes of its repeats to the given set."""
    while True:
        last = history.last
        history.fixed = find_resolution(history.actions, history.runs, last, within)
        end = history.fixed.index if history.fixed else last.index + 1 + within
        repeat = next(
            (run for run in history.runs[last.index + 1 : end] if run and _is_repeat(history.first, run)), None
        )
        if repeat is None:
            return
        seen_indexes.add(repeat.index)
        history.last = repeat
        history.retries += 1


def _is_repeat(first: CommandRun, run: CommandRun) -> bool:
    return (
        run.has_failed
        and bool(set(first.error_fingerprints[:1]) & set(run.error_fingerprints))
        and is_same_check(first, run)
    )


def _is_deliberate(actions: Sequence[Action], failure: CommandRun, fixed: CommandRun | None) -> bool:
    """Whether a test failed as intended (TDD): it was just written, and edits of other files then made it pass."""
    step = failure.main_step
    if step is None or step.kind != TEST:
        return False
    written = [
        action for action in actions[max(0, failure.index - LOOKBACK_CALLS) : failure.index] if _is_test_write(action)
    ]
    if not written or not _is_about_new_test(failure, written):
        return False
    changed = list_edited_files(actions[failure.index + 1 : fixed.index if fixed else failure.index + 1 + WINDOW_CALLS])
    return bool(changed) and not any(map(is_test, changed))


def _is_test_write(action: Action) -> bool:
    return action.kind in ("edit", "write") and action.ok is not False and is_test(action.path)


def _is_about_new_test(failure: CommandRun, written: list[Action]) -> bool:
    """Whether the failing test, or the test file that does not compile, was just written."""
    names = {action.path.rsplit("/", 1)[-1] for action in written}
    lines = [line for action in written for line in action.added]
    if failure.failure_stage == 1 or all(
        map(DIGEST.fullmatch, lines)
    ):  # with digests instead of lines, only file names can match
        return extract_file(failure.main_error).rsplit("/", 1)[-1] in names
    test_name = _TEST_NAME.search(failure.main_error)
    return bool(test_name and any(test_name[1].split("/")[0] in line for line in lines))


_TEST_NAME = re.compile(r"(?:--- FAIL: |FAILED \S*?::|FAIL: |ERROR: |test )([\w/\[\].-]+)")


def _build_pairs(history: FailureHistory, fixed: CommandRun) -> list[ErrorFixPair]:
    """Return one pair for a failure; for a linter, one pair for each finding, because they are fixed one by one."""
    errors = history.first.error_lines or (history.first.main_error,)
    reported_errors = errors if history.is_lint_finding and not fixed.has_failed else errors[:1]
    pairs_by_fingerprint = {
        failures.fingerprint_failure(error): _build_pair(history, fixed, error) for error in reported_errors
    }
    return list(pairs_by_fingerprint.values())


def _build_pair(history: FailureHistory, fixed: CommandRun, error: str) -> ErrorFixPair:
    first = history.first
    fix = derive_fix(history, fixed, error)
    return ErrorFixPair(
        error=error,
        fingerprint=failures.fingerprint_failure(error) if first.error_lines else "",
        command=first.command[:PHRASE_CHARS_MAX],
        fix_kind=fix.kind,
        fix=fix.words,
        files=fix.files,
        failed_at=first.action.step,
        resolved_at=fixed.action.step,
        retries=history.retries,
        telling=bool(first.error_lines) and _is_informative(history, error, fix),
    )


_CONFIG = re.compile(
    r"(?:^|/)(?:\.env[\w.]*|Dockerfile|Makefile|Justfile|go\.mod|\.[\w-]+rc(?:\.\w+)?|[\w.-]*config\.[cm]?[jt]s)$"
    r"|\.(?:toml|ya?ml|ini|cfg|lock|properties|json)$"
)
_NOT_TRANSFERABLE = re.compile(
    r"run it in [/~]|leave `cd |`kill (?:-\w+ )?\d|(?<![\w.-])/(?:private/)?(?:tmp|var/folders)/"
)
"""Fixes that do not transfer to another session: a working directory, a process id, or a temporary file."""


def _is_informative(history: FailureHistory, error: str, fix: Fix) -> bool:
    """Whether the fix is not obvious from the error: it is no edit of the file that the error points to.

    A configuration change, the project's way to satisfy a linter, and a fix after several retries are not obvious.
    """
    if fix.kind == "other" or fix.words.endswith(WITH_OWN_TOOL):
        return False
    if CONFLICT in history.first.action.text or _NOT_TRANSFERABLE.search(fix.words):
        return False
    if fix.kind != "edit" or any(_CONFIG.search(path) for path in fix.files):
        return True
    if not fix.shared:
        return False
    named = extract_file(error).rsplit("/", 1)[-1]
    elsewhere = bool(named) and named not in {path.rsplit("/", 1)[-1] for path in fix.files}
    return (
        history.is_lint_finding
        or (elsewhere and history.first.failure_stage == 1)
        or history.retries >= STUBBORN_RETRIES
    )
