"""Parallel work signals: conflicts between agents that work at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.observer.signals.signal import Signal, SignalName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import SessionActivity


def detect_parallel_conflict(activity: SessionActivity) -> Iterator[Signal]:
    """Detect files that two or more agents changed in the same session."""
    for path, edits in activity.edited_files.items():
        actors = sorted({entry.action.actor for entry in edits})
        if len(actors) > 1:
            facts = {"agents": actors[:8]}
            yield Signal(SignalName.PARALLEL_CONFLICT, path, edits[-1].step, (path,), facts)
