"""Workflow signals: recurring sequences of steps, test order, plan overruns and token cost."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING

from holloway.observer.signals.signal import Signal, SignalName
from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import ActivityEntry, SessionActivity

RECIPE_STEPS_MIN = 4
RECIPE_STEPS_MAX = 6
SESSION_RECIPES_MAX = 60
OVERRUN_ABOVE = 1.2
TOKENS_PER_FILE_ABOVE = 20_000
"""Tokens per touched file above which a session counts as expensive."""

_VERBS = {
    "edit": "edit",
    "write": "edit",
    "test": "run",
    "check": "run",
    "run": "run",
    "commit": "run",
    "install": "run",
}


def detect_sequence(activity: SessionActivity) -> Iterator[Signal]:
    """Report sequences from a change to a command that passed: candidates for a workflow recipe."""
    steps = _list_canonical_steps(activity)
    windows: dict[tuple[str, ...], list[ActivityEntry]] = {}
    for size in range(RECIPE_STEPS_MAX, RECIPE_STEPS_MIN - 1, -1):
        for start in range(len(steps) - size + 1):
            window = steps[start : start + size]
            names = tuple(name for name, _ in window)
            is_habit = names[0].startswith("edit ") and names[-1].startswith("run ")
            if is_habit and len(set(names)) >= RECIPE_STEPS_MIN and len(windows) < SESSION_RECIPES_MAX:
                windows.setdefault(names, [entry for _, entry in window])
    for names, entries in windows.items():
        facts = {"steps": list(names), "files": [entry.path if entry.is_change else "" for entry in entries]}
        yield Signal(SignalName.SEQUENCE, " > ".join(names), entries[0].step, (), facts)


def detect_test_order(activity: SessionActivity) -> Iterator[Signal]:
    """Report whether tests were read, written or run before the code was changed."""
    source = next((entry for entry in activity.successful_edits if entry.path and not is_test(entry.path)), None)
    test = next((path for path in activity.touched_files if is_test(path)), "")
    if source is None or not (test or activity.test_runs):
        return
    read_first = any(is_test(entry.path) and entry.step < source.step for entry in activity.filter_kinds("read"))
    written_first = any(is_test(entry.path) and entry.step < source.step for entry in activity.successful_edits)
    run_first = any(entry.step < source.step for entry in activity.filter_kinds("test"))
    facts = {
        "test": test,
        "source": source.path,
        "read_first": read_first,
        "written_first": written_first,
        "run_first": run_first,
    }
    files = (source.path, test) if test else (source.path,)
    yield Signal(SignalName.TEST_ORDER, find_main_folder(activity), source.step, files, facts)


def detect_step_overrun(activity: SessionActivity) -> Iterator[Signal]:
    """Detect a session that took more steps than planned, or whose plan grew during the work."""
    pad = activity.pad
    planned = pad.start.planned_steps if pad.start else 0
    actual, unit = pad.step, "steps"
    if not planned:
        planned, actual, unit = pad.first_plan, len(pad.plan), "plan items"
    if planned >= 2 and actual / planned > OVERRUN_ABOVE:
        facts = {"planned": planned, "actual": actual, "unit": unit, "steps": pad.step}
        yield Signal(SignalName.STEP_OVERRUN, find_main_folder(activity), pad.step, (), facts)


def detect_context_token_spike(activity: SessionActivity) -> Iterator[Signal]:
    """Detect a session that used far more tokens than its number of files explains."""
    files = len(activity.touched_files)
    tokens = activity.pad.context_peak or activity.pad.tokens_in
    if files and tokens / files > TOKENS_PER_FILE_ABOVE:
        facts = {"tokens": tokens, "files": files}
        yield Signal(SignalName.CONTEXT_TOKEN_SPIKE, find_main_folder(activity), activity.pad.step, (), facts)


def find_main_folder(activity: SessionActivity) -> str:
    """Return the folder with most of the session's accesses; edited files count three times."""
    weights: Counter[str] = Counter()
    for path, entries in activity.touched_files.items():
        weights[posixpath.dirname(path) or "."] += len(entries) * (3 if path in activity.edited_files else 1)
    return weights.most_common(1)[0][0] if weights else "."


def _list_canonical_steps(activity: SessionActivity) -> list[tuple[str, ActivityEntry]]:
    """Return the steps that change or verify something, as verb and target, with adjacent repeats collapsed."""
    steps: list[tuple[str, ActivityEntry]] = []
    for entry in activity.entries:
        verb = _VERBS.get(entry.kind)
        target = (posixpath.dirname(entry.path) or entry.path) if verb == "edit" else entry.program
        if verb and target and entry.action.ok is not False:
            name = f"{verb} {target}"
            if not steps or steps[-1][0] != name:
                steps.append((name, entry))
    return steps
