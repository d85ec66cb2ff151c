"""error_retry: pairs each error with its fix. The pair is self-validating: the session shows that the fix works."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.observer.signals.command_runs import LOOKING_KINDS, CommandRun, find_counterpart, find_resolution
from holloway.observer.signals.error_fix import PHRASE_CHARS_MAX, FailureHistory, derive_fix, puts_back_own_edit
from holloway.text import failures

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action

WINDOW_CALLS = 30
"""Number of calls after a failure, or its last occurrence, after which it counts as unresolved."""


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
    """Whether the fix is proved and says more than the error itself, so that it helps when the error comes again."""
    fix_key: str = ""
    """Key of the same fix in another session, where the edit is made in another file."""


class SessionError(NamedTuple):
    """An error that a session met; `resolved_at` is 0 if it was never resolved, and `fix` says how it was."""

    fingerprint: str
    error: str
    program: str
    """The program that failed; empty for a search and for code of one occasion, whose failures say nothing."""
    failed_at: int
    resolved_at: int
    fix: str
    times: int


def list_session_errors(actions: Sequence[Action]) -> list[SessionError]:
    """Return the recognisable errors that the agents of a session met, resolved or not, in order of occurrence."""
    errors: list[SessionError] = []
    for actor in dict.fromkeys(action.actor for action in actions):
        histories = _trace_failures([action for action in actions if action.actor == actor])
        errors += [error for history in histories for error in _list_errors_of(history) if error.fingerprint]
    return sorted(errors, key=lambda error: error.failed_at)


def _list_errors_of(history: FailureHistory) -> list[SessionError]:
    failure, program = history.first, _name_program(history.first)
    step, times = failure.action.step, history.retries + 1
    if history.fixed is None:
        return [SessionError(failure.main_fingerprint, failure.main_error, program, step, 0, "", times)]
    pairs = _build_pairs(history, history.fixed)
    return [
        SessionError(pair.fingerprint, pair.error, program, step, pair.resolved_at, pair.fix, times) for pair in pairs
    ]


def _name_program(run: CommandRun) -> str:
    step = run.main_step
    is_of_project = step is not None and step.kind not in LOOKING_KINDS and step.program not in _BARE_INTERPRETERS
    return step.program if step is not None and is_of_project else ""


_BARE_INTERPRETERS = frozenset(("python", "node", "ruby", "perl", "php", "bun", "deno", "bash", "sh", "zsh", "jq"))
"""Programs that run what the agent wrote for one occasion when no script is named."""


def find_pairs(actions: Sequence[Action]) -> list[ErrorFixPair]:
    """Return the resolved errors of a session with their fixes, in order of occurrence."""
    return [
        pair for history in _trace_failures(actions) if history.fixed for pair in _build_pairs(history, history.fixed)
    ]


def find_unresolved(actions: Sequence[Action]) -> list[UnresolvedFailure]:
    """Return the errors without a fix: never an error pattern, perhaps a dead end."""
    return [
        UnresolvedFailure(
            history.first.main_error,
            history.first.main_fingerprint,
            history.first.command,
            history.first.action.step,
            history.retries,
        )
        for history in _trace_failures(actions)
        if history.fixed is None
    ]


def find_pair(actions: Sequence[Action], index: int, within: int = WINDOW_CALLS) -> ErrorFixPair | None:
    """Return the fix of the failure at this index, or None if there is no failure or no fix within the window."""
    runs = _list_runs(actions)
    failure = runs[index]
    if failure is None or not _is_error(failure):
        return None
    fixed = find_resolution(runs, failure, within)
    history = FailureHistory(actions, failure, failure, fixed)
    return None if fixed is None or puts_back_own_edit(history) else _build_pair(history, fixed, failure.main_error)


_EXPECTED_FAILURE = re.compile(
    r"should (?:fail|error|be rejected)|expected? (?:to fail|failure|error)|must fail|\|\| ?echo", re.IGNORECASE
)


def _trace_failures(actions: Sequence[Action]) -> list[FailureHistory]:
    runs = _list_runs(actions)
    histories: list[FailureHistory] = []
    seen_indexes: set[int] = set()
    for index, run in enumerate(runs):
        if run is None or index in seen_indexes or not _is_error(run):
            continue
        history = FailureHistory(actions, run, run)
        _follow_failure(history, runs, seen_indexes)
        if not puts_back_own_edit(history):
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


def _follow_failure(history: FailureHistory, runs: list[CommandRun | None], seen_indexes: set[int]) -> None:
    """Follow a failure to its last occurrence and its fix; adds the indexes of its repeats to the given set."""
    while True:
        last = history.last
        history.fixed = find_resolution(runs, last, WINDOW_CALLS)
        end = history.fixed.index if history.fixed else last.index + 1 + WINDOW_CALLS
        repeat = next((run for run in runs[last.index + 1 : end] if run and _is_repeat(history.first, run)), None)
        if repeat is None:
            return
        seen_indexes.add(repeat.index)
        history.last = repeat
        history.retries += 1


def _is_repeat(first: CommandRun, run: CommandRun) -> bool:
    return (
        run.has_failed
        and bool(set(first.error_fingerprints[:1]) & set(run.error_fingerprints))
        and find_counterpart(first, run) is not None
    )


def _build_pairs(history: FailureHistory, fixed: CommandRun) -> list[ErrorFixPair]:
    """Return one pair for a failure; for a linter, one pair for each finding, because they are fixed one by one."""
    errors = history.first.error_lines or (history.first.main_error,)
    reported_errors = errors if history.is_lint_finding else errors[:1]
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
        telling=bool(first.error_lines) and fix.is_telling,
        fix_key=fix.answers or fix.words,
    )
