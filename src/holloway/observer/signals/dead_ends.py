"""Signals in what was tried and taken back."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from holloway.observer.signals import error_retry as retries
from holloway.observer.signals.signal import Signal, SignalName
from holloway.observer.words import dead_end as words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import Account, Deed
    from holloway.observer.scratchpad import Note

BACKTRACK_STEPS = 20
"""A second change of the same lines within so many steps takes the first one back."""
SAME_LINES_FROM = 0.5
DEAD_END_STEPS = 20
"""An approach counts from so many steps on; what was left sooner was a try."""
DIVERGENCE_ABOVE = 0.6
SLOW_FACTOR = 4.0
SLOW_FROM_S = 60.0
READS_FROM = 8
"""Fewer reads than this say nothing about what is slow."""


def backtrack(activity: Account) -> Iterator[Signal]:
    """Lines that were changed and changed again soon after, with what was read in between."""
    for path, edits in activity.edited.items():
        again = [(one, other) for one, other in pairwise(edits) if _takes_back(one, other)]
        if not again:
            continue
        one, other = again[0]
        read = [
            entry.path for entry in activity.of("read") if one.step < entry.step < other.step and entry.path != path
        ]
        failed = [entry for entry in activity.deeds if one.step < entry.step < other.step and entry.action.ok is False]
        cause = "missing_context" if read else "cascading_change" if failed else "unknown"
        facts = {"times": len(again), "read": list(dict.fromkeys(read))[:5], "cause": cause}
        yield Signal(SignalName.BACKTRACK, path, other.step, (path,), facts)


def dead_end(activity: Account) -> Iterator[Signal]:
    """An approach that was followed for long, then left: in words or by taking its changes back, for other files."""
    since = 0
    for note, said in activity.own_words:
        left = words.abandoned(said)
        if left is None:
            continue
        before = _files(activity, since, note.step)
        after = _files(activity, note.step, activity.pad.step)
        reason = left.reason or left.approach
        if note.step - since >= DEAD_END_STEPS and reason and divergence(before, after) > DIVERGENCE_ABOVE:
            facts = {
                "approach": left.approach,
                "reason": left.reason,
                "alternative": left.alternative,
                "steps": note.step - since,
            }
            files = tuple(sorted(before & set(activity.edited)))[:8] or tuple(sorted(before))[:3]
            yield Signal(SignalName.DEAD_END, _key(note), note.step, files, facts, (left.approach, left.reason))
            since = note.step


def time_anomaly(activity: Account) -> Iterator[Signal]:
    """A file that took far longer than others, where an error or a change taken back says that it was hard."""
    spent: dict[str, float] = {}
    actions = activity.pad.actions
    for action, following in pairwise(actions):
        if action.path in activity.touched:
            pause = min(max(0.0, following.at - action.at), 3_600.0)
            spent[action.path] = max(spent.get(action.path, 0.0), pause)
    if len(spent) < READS_FROM:
        return
    usual = median(spent.values())
    hard = {signal.key for signal in backtrack(activity)}
    failing = {entry.path for entry in activity.deeds if entry.action.ok is False}
    for path, seconds in spent.items():
        if seconds > max(SLOW_FROM_S, SLOW_FACTOR * usual) and path in hard | failing:
            facts = {"seconds": round(seconds), "backtrack": path in hard, "error": path in failing}
            yield Signal(SignalName.TIME_ANOMALY, path, activity.touched[path][0].step, (path,), facts)


def divergence(before: set[str], after: set[str]) -> float:
    """How little the files of two stretches of work have in common: 0 the same, 1 none."""
    if not before or not after:
        return 0.0
    return 1 - len(before & after) / max(len(before), len(after))


def _takes_back(one: Deed, other: Deed) -> bool:
    """Whether a change replaces what an earlier one had written."""
    if not 0 < other.step - one.step <= BACKTRACK_STEPS:
        return False
    written, replaced = set(one.action.added) - set(one.action.removed), set(other.action.removed)
    return bool(replaced) and len(written & replaced) / len(replaced) >= SAME_LINES_FROM


def _files(activity: Account, start: int, end: int) -> set[str]:
    return {path for path, entries in activity.touched.items() if any(start < entry.step <= end for entry in entries)}


def _key(note: Note) -> str:
    return " ".join(note.text.casefold().split())[:120]


def error_retry(activity: Account) -> Iterator[Signal]:
    """An error, and what made it go away."""
    for pair in retries.pairs(activity.pad.actions):
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
        yield Signal(SignalName.ERROR_RETRY, pair.fingerprint, pair.resolved_at, pair.files, facts, quotes)
