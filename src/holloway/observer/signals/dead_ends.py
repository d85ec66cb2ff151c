"""Signals of failed attempts: backtracking, abandoned approaches, slow files, errors with fixes, UI failures."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from holloway.domain.event import ToolKind
from holloway.domain.memory_details import E2EKind
from holloway.observer.signals import error_retry as retries
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.words import dead_end as words
from holloway.observer.words.prompt import extract_user_text
from holloway.text.sanitize import first_paragraph, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import ActivityEntry, SessionActivity
    from holloway.observer.scratchpad import Note


BACKTRACK_STEPS = 20
"""A second change of the same lines within this number of steps counts as a backtrack."""
SAME_LINES_FROM = 0.5
DEAD_END_STEPS = 20
"""Minimum number of steps of an approach; anything shorter is a quick try, not a dead end."""
DIVERGENCE_ABOVE = 0.6
SLOW_FACTOR = 4.0
SLOW_FROM_S = 60.0
READS_FROM = 8
"""Minimum number of timed files before one can be an outlier."""
_TOOL = re.compile(
    r"(?:playwright|puppeteer|browser|chrome|electron|selenium|webdriver|appium|cypress)|"
    r"(?:^|_)(?:click|navigate|screenshot|fill|type|hover|snapshot|evaluate)(?:_|$)"
)
_KINDS: tuple[tuple[E2EKind, re.Pattern[str]], ...] = (
    (
        E2EKind.MCP_GOTCHA,
        re.compile(r"\b(?:no such tool|invalid argument|unknown tool|not connected|session closed)\b", re.I),
    ),
    (
        E2EKind.TIMING,
        re.compile(r"\b(?:timed? ?out|timeout|wait(?:ing)? for|still loading|not (?:yet )?visible)\b", re.I),
    ),
    (
        E2EKind.PRECONDITION,
        re.compile(
            r"\b(?:log(?:ged)? ?in|sign(?:ed)? ?in|unauthori[sz]ed|permission|requires?|must be|not running)\b", re.I
        ),
    ),
    (
        E2EKind.UI_BEHAVIOR,
        re.compile(r"\b(?:disabled|hidden|intercept|overlay|modal|dialog|detached|stale element)\w*\b", re.I),
    ),
)
E2E_MESSAGE_CHARS_MAX = 240
TASK_FACT_CHARS_MAX = 200


def detect_backtrack(activity: SessionActivity) -> Iterator[Signal]:
    """Detect files whose lines were changed again soon after an edit, with the files read in between."""
    for path, edits in activity.edited_files.items():
        reversals = [(edit, later_edit) for edit, later_edit in pairwise(edits) if _is_reversal(edit, later_edit)]
        if not reversals:
            continue
        edit, later_edit = reversals[0]
        paths_read = [
            entry.path
            for entry in activity.filter_kinds("read")
            if edit.step < entry.step < later_edit.step and entry.path != path
        ]
        failures = [
            entry for entry in activity.entries if edit.step < entry.step < later_edit.step and entry.action.ok is False
        ]
        cause = "missing_context" if paths_read else "cascading_change" if failures else "unknown"
        facts = {"times": len(reversals), "read": list(dict.fromkeys(paths_read))[:5], "cause": cause}
        yield Signal(SignalName.BACKTRACK, path, later_edit.step, (path,), facts)


def detect_dead_end(activity: SessionActivity) -> Iterator[Signal]:
    """Detect approaches that the agent followed for long and then, in its own words, abandoned for other files."""
    start_step = 0
    for note, text in activity.agent_texts:
        abandonment = words.find_abandonment(text)
        if abandonment is None:
            continue
        files_before = _list_files(activity, start_step, note.step)
        files_after = _list_files(activity, note.step, activity.pad.step)
        reason = abandonment.reason or abandonment.approach
        if (
            note.step - start_step >= DEAD_END_STEPS
            and reason
            and measure_divergence(files_before, files_after) > DIVERGENCE_ABOVE
        ):
            facts = {
                "approach": abandonment.approach,
                "reason": abandonment.reason,
                "alternative": abandonment.alternative,
                "steps": note.step - start_step,
                "task": one_line(extract_user_text(first_paragraph(activity.task_text)), TASK_FACT_CHARS_MAX),
            }
            files = tuple(sorted(files_before & set(activity.edited_files)))[:8] or tuple(sorted(files_before))[:3]
            yield Signal(
                SignalName.DEAD_END,
                _build_key(note),
                note.step,
                files,
                facts,
                (abandonment.approach, abandonment.reason),
            )
            start_step = note.step


def detect_time_anomaly(activity: SessionActivity) -> Iterator[Signal]:
    """Detect files that took far longer than others and also had an error or a backtrack."""
    seconds_by_path: dict[str, float] = {}
    actions = activity.pad.actions
    for action, following in pairwise(actions):
        if action.path in activity.touched_files:
            pause = min(max(0.0, following.at - action.at), 3_600.0)
            seconds_by_path[action.path] = max(seconds_by_path.get(action.path, 0.0), pause)
    if len(seconds_by_path) < READS_FROM:
        return
    usual = median(seconds_by_path.values())
    backtracked = {signal.key for signal in detect_backtrack(activity)}
    failing = {entry.path for entry in activity.entries if entry.action.ok is False}
    for path, seconds in seconds_by_path.items():
        if seconds > max(SLOW_FROM_S, SLOW_FACTOR * usual) and path in backtracked | failing:
            facts = {"seconds": round(seconds), "backtrack": path in backtracked, "error": path in failing}
            yield Signal(SignalName.TIME_ANOMALY, path, activity.touched_files[path][0].step, (path,), facts)


def measure_divergence(before: set[str], after: set[str]) -> float:
    """Return how much the files of two stretches of work differ: 0 for the same files, 1 for disjoint ones."""
    if not before or not after:
        return 0.0
    return 1 - len(before & after) / max(len(before), len(after))


def _is_reversal(edit: ActivityEntry, later_edit: ActivityEntry) -> bool:
    """Whether a change replaces lines that an earlier one wrote."""
    if not 0 < later_edit.step - edit.step <= BACKTRACK_STEPS:
        return False
    written, replaced = set(edit.action.added) - set(edit.action.removed), set(later_edit.action.removed)
    return bool(replaced) and len(written & replaced) / len(replaced) >= SAME_LINES_FROM


def _list_files(activity: SessionActivity, start: int, end: int) -> set[str]:
    return {
        path for path, entries in activity.touched_files.items() if any(start < entry.step <= end for entry in entries)
    }


def _build_key(note: Note) -> str:
    return " ".join(note.text.casefold().split())[:120]


def detect_error_retry(activity: SessionActivity) -> Iterator[Signal]:
    """Detect errors together with the action that fixed them."""
    for pair in retries.find_pairs(activity.pad.actions):
        if not pair.fingerprint:
            continue
        facts = {
            "error": pair.error,
            "fix": pair.fix,
            "command": pair.command,
            "fingerprint": pair.fingerprint,
            "fix_kind": pair.fix_kind,
            "retries": pair.retries,
            "telling": pair.telling,
        }
        quotes = (pair.error, pair.fix)
        key = f"{pair.fingerprint} {pair.fix_key}"
        yield Signal(SignalName.ERROR_RETRY, key, pair.resolved_at, pair.files, facts, quotes)


def detect_e2e(activity: SessionActivity) -> Iterator[Signal]:
    """Detect failed calls of user interface tools by kind; a failure of no known kind is ignored."""
    for action in activity.pad.actions:
        if action.kind is not ToolKind.MCP or action.ok is not False or not _TOOL.search(action.tool.casefold()):
            continue
        kind = next((kind for kind, pattern in _KINDS if pattern.search(action.text)), None)
        if kind is None:
            continue
        tool = action.tool.rpartition("__")[2]
        message = one_line(action.text, E2E_MESSAGE_CHARS_MAX)
        facts = {"kind": str(kind), "tool": tool, "message": message}
        yield Signal(SignalName.E2E, f"{tool}:{kind}:{message[:80]}", action.step, (), facts, (message,))
