"""error_retry: an error, and what made it go away. The pair proves itself, because the fix was seen to work."""

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
"""How many calls after a failure, or after its last return, may pass before it counts as unresolved."""
LOOKBACK_CALLS = 15
"""How far back a test that was just written explains why it fails."""
STUBBORN_RETRIES = 2
"""After so many failed attempts even an edit in the named file was not obvious."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that came, perhaps several times; steps count the session's calls."""

    error: str
    fingerprint: str
    command: str
    failed_at: int
    retries: int


@dataclass(frozen=True, slots=True)
class ErrorFixPair:
    """An error and the first thing after which it was gone."""

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
    """Whether the fix says more than the error did, so that it helps whoever meets the error again."""


def pairs(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[ErrorFixPair]:
    """The errors of a session that were seen to go away, in the order in which they came."""
    return [pair for story in _stories(actions, within) if story.fixed for pair in _pairs(story, story.fixed)]


def unresolved(actions: Sequence[Action], within: int = WINDOW_CALLS) -> list[Failure]:
    """The errors that were still there when they were last looked at: never an error pattern, perhaps a dead end."""
    return [
        Failure(story.first.error, story.first.fingerprint, story.first.command, story.first.action.step, story.retries)
        for story in _stories(actions, within)
        if story.fixed is None
    ]


def pair_of(actions: Sequence[Action], at: int, within: int = WINDOW_CALLS) -> ErrorFixPair | None:
    """What became of the failure at this place of the session, within so many calls; None where it is none."""
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
    stories: list[Story] = []
    told: set[int] = set()
    for at, run in enumerate(runs):
        if run is None or at in told or not _is_error(run):
            continue
        story = Story(actions, runs, run, run)
        _follow(story, within, told)
        if not _deliberate(actions, run, story.fixed):
            stories.append(story)
    return stories


def _runs(actions: Sequence[Action]) -> list[Run | None]:
    """The runs at their places; None where something else was done."""
    return [
        Run(at, action) if action.kind == "shell" and action.ok is not None else None
        for at, action in enumerate(actions)
    ]


def _is_error(run: Run) -> bool:
    """A failure that says something, and that nobody asked for."""
    return run.failed and bool(run.error) and not _MEANT.search(run.command)


def _follow(story: Story, within: int, told: set[int]) -> None:
    """Go on to the failure's last return and to the run after which it was gone; its returns are marked as told."""
    while True:
        last = story.last
        story.fixed = resolution(story.actions, story.runs, last, within)
        end = story.fixed.at if story.fixed else last.at + 1 + within
        again = next((run for run in story.runs[last.at + 1 : end] if run and _returns(story.first, run)), None)
        if again is None:
            return
        told.add(again.at)
        story.last = again
        story.retries += 1


def _returns(first: Run, run: Run) -> bool:
    return run.failed and bool(set(first.prints[:1]) & set(run.prints)) and alike(first, run)


def _deliberate(actions: Sequence[Action], failure: Run, fixed: Run | None) -> bool:
    """Whether a test failed as it was meant to: just written, and then met by other files than its own."""
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
    """Whether the failing test, or the test file that does not compile, is what was just written."""
    names = {action.path.rsplit("/", 1)[-1] for action in written}
    lines = [line for action in written for line in action.added]
    if failure.stage == 1 or all(map(DIGEST.fullmatch, lines)):  # where lines are kept as digests, files must do
        return file_of(failure.error).rsplit("/", 1)[-1] in names
    found = _TEST_NAME.search(failure.error)
    return bool(found and any(found[1].split("/")[0] in line for line in lines))


_TEST_NAME = re.compile(r"(?:--- FAIL: |FAILED \S*?::|FAIL: |ERROR: |test )([\w/\[\].-]+)")


def _pairs(story: Story, fixed: Run) -> list[ErrorFixPair]:
    """One pair; of a linter's findings, which are fixed one by one, one for each."""
    errors = story.first.errors or (story.first.error,)
    chosen = errors if story.lints and not fixed.failed else errors[:1]
    found = {failures.fingerprint(error): _pair(story, fixed, error) for error in chosen}
    return list(found.values())


def _pair(story: Story, fixed: Run, error: str) -> ErrorFixPair:
    first = story.first
    fix = fix_of(story, fixed, error)
    return ErrorFixPair(
        error=error,
        fingerprint=failures.fingerprint(error) if first.errors else "",
        command=first.command[:PHRASE_CHARS_MAX],
        fix_kind=fix.kind,
        fix=fix.words,
        files=fix.files,
        failed_at=first.action.step,
        resolved_at=fixed.action.step,
        retries=story.retries,
        telling=bool(first.errors) and _is_telling(story, error, fix),
    )


_CONFIG = re.compile(
    r"(?:^|/)(?:\.env[\w.]*|Dockerfile|Makefile|Justfile|go\.mod|\.[\w-]+rc(?:\.\w+)?|[\w.-]*config\.[cm]?[jt]s)$"
    r"|\.(?:toml|ya?ml|ini|cfg|lock|properties|json)$"
)
_ELSEWHERE = re.compile(r"run it in [/~]|leave `cd |`kill (?:-\w+ )?\d|(?<![\w.-])/(?:private/)?(?:tmp|var/folders)/")
"""Where a shell happened to stand, what number a process had, or a file that was there for a moment says nothing to
another session."""


def _is_telling(story: Story, error: str, fix: Fix) -> bool:
    """Whether the fix is not plain from the error: no edit where it points to, a project's way to please a linter."""
    if fix.kind == "other" or fix.words.endswith(WITH_OWN_TOOL):
        return False
    if CONFLICT in story.first.action.text or _ELSEWHERE.search(fix.words):
        return False
    if fix.kind != "edit" or any(_CONFIG.search(path) for path in fix.files):
        return True
    if not fix.shared:
        return False
    named = file_of(error).rsplit("/", 1)[-1]
    elsewhere = bool(named) and named not in {path.rsplit("/", 1)[-1] for path in fix.files}
    return story.lints or (elsewhere and story.first.stage == 1) or story.retries >= STUBBORN_RETRIES
