"""The observer: records the events of a session and detects its signals on demand.

Observing never writes to the store, never raises and never blocks: an event is recorded in some microseconds, a long
statement in less than a millisecond, because secrets are cut out of it at once. All detection runs later on the
recorded scratchpad.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.observer.activity import SessionActivity
from holloway.observer.carriers import Trust
from holloway.observer.provenance import trace_signals
from holloway.observer.scratchpad import Scratchpad
from holloway.observer.signals import (
    dead_ends,
    explanations,
    file_access,
    reviews,
    searches,
    statements,
    user_edits,
    workflow,
)
from holloway.observer.words import self_correction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.domain.event import Event
    from holloway.observer.signals.signal import Signal

EVENT_BUDGET_US = 2_000
"""Time budget of one event; slower events are counted."""

DETECTORS: tuple[Callable[[SessionActivity], Iterable[Signal]], ...] = (
    user_edits.detect_user_edits,
    statements.detect_self_corrections,
    statements.detect_agent_records,
    statements.detect_qa_findings,
    statements.detect_causal_statements,
    explanations.detect_explanations,
    reviews.detect_review_findings,
    reviews.detect_declined_findings,
    dead_ends.detect_error_retry,
    dead_ends.detect_dead_end,
    dead_ends.detect_backtrack,
    dead_ends.detect_time_anomaly,
    searches.detect_repeated_grep,
    searches.detect_glob_ignore,
    searches.detect_external_reference,
    file_access.detect_read_abandon,
    file_access.detect_config_touch,
    file_access.detect_import_chase,
    file_access.detect_co_access,
    file_access.detect_file_access,
    workflow.detect_sequence,
    workflow.detect_test_order,
    workflow.detect_step_overrun,
    workflow.detect_context_token_spike,
    dead_ends.detect_e2e,
)


class Observer:
    """Observes one session."""

    def __init__(self, pad: Scratchpad | None = None) -> None:
        self.pad = pad or Scratchpad()
        self.pad.protect_notes(lambda words: self_correction.find_self_correction(words) is not None)

    def observe_event(self, event: Event) -> None:
        """Record one event; an event that raises is counted as failed and never disturbs the agent."""
        started_ns = time.perf_counter_ns()
        try:
            self.pad.add_event(event)
        except Exception:  # a malformed event from an adapter must not stop the agent
            self.pad.failed += 1
        if time.perf_counter_ns() - started_ns > EVENT_BUDGET_US * 1_000:
            self.pad.slow += 1

    def detect_signals(self, trust: Trust | None = None) -> list[Signal]:
        """Detect the signals of the session so far."""
        return detect_signals(self.pad, trust)

    def build_view(self) -> SessionView:
        """Build the view of this running session for sibling sessions."""
        activity = SessionActivity(self.pad)
        return SessionView(
            task=activity.task_text,
            reading=tuple(activity.touched_files)[-20:],
            editing=tuple(activity.edited_files),
            failing=_list_failing_commands(self.pad)[-5:],
            recorded=tuple(note.text for note in activity.filter_notes("record")),
        )


def _list_failing_commands(pad: Scratchpad) -> tuple[str, ...]:
    """Return the commands whose last run failed, the latest last."""
    last_results: dict[str, bool] = {}
    for action in pad.actions:
        if action.command and action.ok is not None:
            last_results.pop(action.command, None)
            last_results[action.command] = action.ok
    return tuple(command for command, ok in last_results.items() if not ok)


@dataclass(frozen=True, slots=True)
class SessionView:
    """A running session as sibling sessions see it."""

    task: str
    reading: tuple[str, ...]
    editing: tuple[str, ...]
    failing: tuple[str, ...]
    recorded: tuple[str, ...]


class DetectedSignals:
    """All signals of a session, deduplicated by name and key; `actors` counts the agents that showed each one.

    Taint sources are looked up on request only, because most signals never become candidates.
    """

    def __init__(self, activity: SessionActivity) -> None:
        self._pad = activity.pad
        parts = _split_by_actor(activity.pad)
        activities = {
            actor: activity if part is activity.pad else SessionActivity(part) for actor, part in parts.items()
        }
        self._signals_by_pad = [
            (actor_activity.pad, _detect_for_actor(actor, actor_activity))
            for actor, actor_activity in activities.items()
        ]
        merged: dict[tuple[str, str], Signal] = {}
        for _, signals in self._signals_by_pad:
            for key, signal in signals.items():
                existing = merged.get(key)
                merged[key] = replace(existing, actors=existing.actors + 1) if existing else signal
        conflicts = file_access.detect_parallel_conflict(activity) if len(parts) > 1 else ()
        self.signals = [*merged.values(), *conflicts]
        self.foreign_digests: tuple[int, ...] = ()
        """Digests of the session's foreign text; empty until its sources were traced."""

    def find_taint_sources(self, signals: Iterable[Signal], trust: Trust) -> list[str]:
        """Return the taint source of each signal, or empty strings; one tainted agent taints a shared signal."""
        keys = [(signal.name, signal.key) for signal in signals]
        requested_keys = set(keys)
        requested = [
            (key, signal)
            for _, pad_signals in self._signals_by_pad
            for key, signal in pad_signals.items()
            if key in requested_keys
        ]
        trace = trace_signals(self._pad, [signal for _, signal in requested], trust)
        self.foreign_digests = trace.foreign_digests
        sources_by_key: dict[tuple[str, str], str] = {}
        for key, signal in requested:
            sources_by_key[key] = sources_by_key.get(key) or trace.sources.get(id(signal), "")
        return [sources_by_key.get(key, "") for key in keys]


def detect_signals(pad: Scratchpad, trust: Trust | None = None) -> list[Signal]:
    """Detect all signals in a scratchpad, each with its taint source."""
    detected = DetectedSignals(SessionActivity(pad))
    sources = detected.find_taint_sources(detected.signals, trust or Trust())
    return [replace(signal, taint=source) for signal, source in zip(detected.signals, sources, strict=True)]


def _detect_for_actor(actor: str, activity: SessionActivity) -> dict[tuple[str, str], Signal]:
    """Detect the signals of one agent: those without quotes first, the others in session order."""
    signals = [signal for detector in DETECTORS for signal in detector(activity)]
    signals.sort(key=lambda signal: signal.step if signal.quotes else -1)
    signals_by_key: dict[tuple[str, str], Signal] = {}
    for signal in signals:
        signals_by_key.setdefault((signal.name, signal.key), replace(signal, actor=actor))
    return signals_by_key


def _split_by_actor(pad: Scratchpad) -> dict[str, Scratchpad]:
    """Split a scratchpad by agent, because the parallel work of two agents is not one sequence."""
    actors = sorted({action.actor for action in pad.actions} | {note.actor for note in pad.notes})
    if len(actors) <= 1:
        return {actors[0] if actors else "": pad}
    lead = actors[0]
    return {
        actor: replace(
            pad,
            actions=[action for action in pad.actions if action.actor == actor],
            _notes=[note for note in pad.notes if note.actor == actor or (note.voice == "user" and actor == lead)],
            qa_findings=pad.qa_findings if actor == lead else (),
            plan=pad.plan if actor == lead else (),
            first_plan=pad.first_plan if actor == lead else 0,
        )
        for actor in actors
    }
