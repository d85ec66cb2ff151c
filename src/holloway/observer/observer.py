"""The observer: records the events of a session and detects its signals on demand.

Observing never writes to the store, never raises and never blocks: an event is recorded in a few microseconds, and all
detection runs later on the recorded scratchpad.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.observer.activity import Account
from holloway.observer.provenance import Trust, carried, tainted
from holloway.observer.scratchpad import Scratchpad
from holloway.observer.signals import (
    application,
    dead_ends,
    file_access,
    parallel,
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

DETECTORS: tuple[Callable[[Account], Iterable[Signal]], ...] = (
    statements.user_corrections,
    user_edits.user_edits,
    statements.self_corrections,
    statements.agent_records,
    statements.qa_findings,
    statements.causal_statements,
    statements.commit_auto,
    dead_ends.error_retry,
    dead_ends.dead_end,
    dead_ends.backtrack,
    dead_ends.time_anomaly,
    searches.repeated_grep,
    searches.glob_ignore,
    searches.external_reference,
    file_access.read_abandon,
    file_access.config_touch,
    file_access.import_chase,
    file_access.co_access,
    file_access.file_access,
    workflow.sequence,
    workflow.test_order,
    workflow.step_overrun,
    workflow.context_token_spike,
    application.e2e,
)


class Observer:
    """Observes one session."""

    def __init__(self, pad: Scratchpad | None = None) -> None:
        self.pad = pad or Scratchpad()
        self.pad.spare(lambda words: self_correction.find(words) is not None)

    def observe(self, event: Event) -> None:
        """Record one event; an event that raises is counted as failed and never disturbs the agent."""
        started_ns = time.perf_counter_ns()
        try:
            self.pad.add(event)
        except Exception:  # a malformed event from an adapter must not stop the agent
            self.pad.failed += 1
        if time.perf_counter_ns() - started_ns > EVENT_BUDGET_US * 1_000:
            self.pad.slow += 1

    def signals(self, trust: Trust | None = None) -> list[Signal]:
        """Detect the signals of the session so far."""
        return detect(self.pad, trust)

    def view(self) -> View:
        """Build the view of this running session for sibling sessions."""
        activity = Account(self.pad)
        return View(
            task=activity.task,
            reading=tuple(activity.touched)[-20:],
            editing=tuple(activity.edited),
            failing=_failing(self.pad)[-5:],
            recorded=tuple(note.text for note in activity.said("record")),
        )


def _failing(pad: Scratchpad) -> tuple[str, ...]:
    """Return the commands whose last run failed, the latest last."""
    last_results: dict[str, bool] = {}
    for action in pad.actions:
        if action.command and action.ok is not None:
            last_results.pop(action.command, None)
            last_results[action.command] = action.ok
    return tuple(command for command, ok in last_results.items() if not ok)


@dataclass(frozen=True, slots=True)
class View:
    """A running session as sibling sessions see it."""

    task: str
    reading: tuple[str, ...]
    editing: tuple[str, ...]
    failing: tuple[str, ...]
    recorded: tuple[str, ...]


class Detected:
    """All signals of a session, deduplicated by name and key; `actors` counts the agents that showed each one.

    Taint sources are looked up on request only, because most signals never become candidates.
    """

    def __init__(self, activity: Account) -> None:
        self._pad = activity.pad
        parts = _by_actor(activity.pad)
        activities = {actor: activity if part is activity.pad else Account(part) for actor, part in parts.items()}
        self._shown = [
            (actor_activity.pad, _shown(actor, actor_activity)) for actor, actor_activity in activities.items()
        ]
        merged: dict[tuple[str, str], Signal] = {}
        for _, signals in self._shown:
            for key, signal in signals.items():
                existing = merged.get(key)
                merged[key] = replace(existing, actors=existing.actors + 1) if existing else signal
        conflicts = parallel.parallel_conflict(activity) if len(parts) > 1 else ()
        self.signals = [*merged.values(), *conflicts]

    def sources(self, signals: Iterable[Signal], trust: Trust) -> list[str]:
        """Return the taint source of each signal, or empty strings; one tainted agent taints a shared signal."""
        listed = list(signals)
        keys = [(signal.name, signal.key) for signal in listed]
        requested_keys = set(keys)
        sources_by_key: dict[tuple[str, str], str] = {}
        for pad, pad_signals in self._shown:
            for signal in tainted(pad, [signal for key, signal in pad_signals.items() if key in requested_keys], trust):
                key = (signal.name, signal.key)
                sources_by_key[key] = sources_by_key.get(key) or signal.taint
        sources = [sources_by_key.get(key, "") for key in keys]
        if len(self._shown) > 1:
            clean = [signal for signal, source in zip(listed, sources, strict=True) if not source]
            carried_sources = iter(carried(self._pad, clean, trust))
            sources = [source or next(carried_sources) for source in sources]
        return sources


def detect(pad: Scratchpad, trust: Trust | None = None) -> list[Signal]:
    """Detect all signals in a scratchpad, each with its taint source."""
    detected = Detected(Account(pad))
    sources = detected.sources(detected.signals, trust or Trust())
    return [replace(signal, taint=source) for signal, source in zip(detected.signals, sources, strict=True)]


def _shown(actor: str, activity: Account) -> dict[tuple[str, str], Signal]:
    """Detect the signals of one agent: those without quotes first, the others in session order."""
    signals = [signal for detector in DETECTORS for signal in detector(activity)]
    signals.sort(key=lambda signal: signal.step if signal.quotes else -1)
    signals_by_key: dict[tuple[str, str], Signal] = {}
    for signal in signals:
        signals_by_key.setdefault((signal.name, signal.key), replace(signal, actor=actor))
    return signals_by_key


def _by_actor(pad: Scratchpad) -> dict[str, Scratchpad]:
    """Split a scratchpad by agent, because the parallel work of two agents is not one sequence."""
    actors = sorted({action.actor for action in pad.actions} | {note.actor for note in pad.notes})
    if len(actors) <= 1:
        return {actors[0] if actors else "": pad}
    lead = actors[0]
    return {
        actor: replace(
            pad,
            actions=[action for action in pad.actions if action.actor == actor],
            notes=[note for note in pad.notes if note.actor == actor or (note.voice == "user" and actor == lead)],
            qa_findings=pad.qa_findings if actor == lead else (),
            plan=pad.plan if actor == lead else (),
            first_plan=pad.first_plan if actor == lead else 0,
        )
        for actor in actors
    }
