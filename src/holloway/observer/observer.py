"""The observer: takes in events as they come, and says what may be worth remembering when it is asked.

Watching never writes, never raises and never waits: an event is noted in a few microseconds, and all judging is done
on what was noted.
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
"""An event that takes longer is counted."""

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
    """Watches one session."""

    def __init__(self, pad: Scratchpad | None = None) -> None:
        self.pad = pad or Scratchpad()
        self.pad.spare(lambda words: self_correction.find(words) is not None)

    def observe(self, event: Event) -> None:
        """Note one event; whatever is wrong with it is counted, and nobody else's trouble."""
        began = time.perf_counter_ns()
        try:
            self.pad.add(event)
        except Exception:  # the agent goes on, whatever an adapter hands over
            self.pad.failed += 1
        if time.perf_counter_ns() - began > EVENT_BUDGET_US * 1_000:
            self.pad.slow += 1

    def signals(self, trust: Trust | None = None) -> list[Signal]:
        """What the session shows so far."""
        return detect(self.pad, trust)

    def view(self) -> View:
        """What siblings may see of this session while it runs."""
        account = Account(self.pad)
        return View(
            task=account.task,
            reading=tuple(account.touched)[-20:],
            editing=tuple(account.edited),
            failing=_failing(self.pad)[-5:],
            recorded=tuple(note.text for note in account.said("record")),
        )


def _failing(pad: Scratchpad) -> tuple[str, ...]:
    """Commands that failed when they were last run, the latest last."""
    last: dict[str, bool] = {}
    for action in pad.actions:
        if action.command and action.ok is not None:
            last.pop(action.command, None)
            last[action.command] = action.ok
    return tuple(command for command, ok in last.items() if not ok)


@dataclass(frozen=True, slots=True)
class View:
    """A session in progress, as its siblings may query it."""

    task: str
    reading: tuple[str, ...]
    editing: tuple[str, ...]
    failing: tuple[str, ...]
    recorded: tuple[str, ...]


class Detected:
    """All signals in a session, each once; what several agents saw on their own says how many they were.

    Where the words of a signal come from is looked up for those that are asked for: most never become candidates.
    """

    def __init__(self, account: Account) -> None:
        self._pad = account.pad
        parts = _by_actor(account.pad)
        accounts = {actor: account if part is account.pad else Account(part) for actor, part in parts.items()}
        self._shown = [(each.pad, _shown(actor, each)) for actor, each in accounts.items()]
        found: dict[tuple[str, str], Signal] = {}
        for _, shown in self._shown:
            for key, signal in shown.items():
                known = found.get(key)
                found[key] = replace(known, actors=known.actors + 1) if known else signal
        conflicts = parallel.parallel_conflict(account) if len(parts) > 1 else ()
        self.signals = [*found.values(), *conflicts]

    def sources(self, signals: Iterable[Signal], trust: Trust) -> list[str]:
        """What taints each of these signals, if anything does; of what several agents saw, whatever taints either."""
        listed = list(signals)
        asked = [(signal.name, signal.key) for signal in listed]
        wanted = set(asked)
        found: dict[tuple[str, str], str] = {}
        for pad, shown in self._shown:
            for signal in tainted(pad, [signal for key, signal in shown.items() if key in wanted], trust):
                key = (signal.name, signal.key)
                found[key] = found.get(key) or signal.taint
        sources = [found.get(key, "") for key in asked]
        if len(self._shown) > 1:
            clean = [signal for signal, source in zip(listed, sources, strict=True) if not source]
            handed_on = iter(carried(self._pad, clean, trust))
            sources = [source or next(handed_on) for source in sources]
        return sources


def detect(pad: Scratchpad, trust: Trust | None = None) -> list[Signal]:
    """All signals in a scratchpad, with what taints them."""
    detected = Detected(Account(pad))
    sources = detected.sources(detected.signals, trust or Trust())
    return [replace(signal, taint=source) for signal, source in zip(detected.signals, sources, strict=True)]


def _shown(actor: str, account: Account) -> dict[tuple[str, str], Signal]:
    """What one agent's part of a session shows: what carries nobody's words first, then in the order of the session."""
    shown = [signal for detector in DETECTORS for signal in detector(account)]
    shown.sort(key=lambda signal: signal.step if signal.quotes else -1)
    found: dict[tuple[str, str], Signal] = {}
    for signal in shown:
        found.setdefault((signal.name, signal.key), replace(signal, actor=actor))
    return found


def _by_actor(pad: Scratchpad) -> dict[str, Scratchpad]:
    """A scratchpad for each agent in it: what two of them did at the same time is not one story."""
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
