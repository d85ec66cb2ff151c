"""The observer: takes in events as they come, and says what may be worth remembering when it is asked.

Watching never writes, never raises and never waits: an event is noted in a few microseconds, and all judging is done
on what was noted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.observer.account import Account
from holloway.observer.signals import application, files, pace, parallel, searching, spoken, trying
from holloway.observer.signals.signal import SignalName
from holloway.observer.taint import Taint
from holloway.scratchpad.scratchpad import Scratchpad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.domain.event import Event
    from holloway.observer.signals.signal import Signal
    from holloway.scratchpad.scratchpad import Action, Note

EVENT_BUDGET_US = 2_000
"""An event that takes longer is counted."""

DETECTORS: tuple[Callable[[Account], Iterable[Signal]], ...] = (
    spoken.user_corrections,
    spoken.self_corrections,
    spoken.agent_records,
    spoken.qa_findings,
    spoken.causal_statements,
    spoken.commit_auto,
    trying.error_retry,
    trying.dead_end,
    trying.backtrack,
    trying.time_anomaly,
    searching.repeated_grep,
    searching.glob_ignore,
    searching.external_reference,
    files.read_abandon,
    files.config_touch,
    files.import_chase,
    files.co_access,
    files.file_access,
    pace.sequence,
    pace.test_order,
    pace.step_overrun,
    pace.context_token_spike,
    application.e2e,
)


@dataclass(slots=True)
class Telemetry:
    """How the observer itself fared."""

    events: int = 0
    failed: int = 0
    slow: int = 0
    slowest_us: float = 0.0


class Observer:
    """Watches one session."""

    def __init__(self, pad: Scratchpad | None = None) -> None:
        self.pad = pad or Scratchpad()
        self.telemetry = Telemetry()

    def observe(self, event: Event) -> None:
        """Note one event; whatever is wrong with it is counted, and nobody else's trouble."""
        began = time.perf_counter_ns()
        try:
            self.pad.add(event)
        except Exception:  # the agent goes on, whatever an adapter hands over
            self.telemetry.failed += 1
        took = (time.perf_counter_ns() - began) / 1_000
        self.telemetry.events += 1
        if took > EVENT_BUDGET_US:
            self.telemetry.slow += 1
        self.telemetry.slowest_us = max(self.telemetry.slowest_us, took)

    def signals(self, trust: Trust | None = None) -> list[Signal]:
        """What the session shows so far."""
        return detect(self.pad, trust)

    def view(self) -> View:
        """What siblings may see of this session while it runs."""
        account = Account(self.pad)
        failing = [action.command for action in self.pad.actions if action.ok is False and action.command]
        return View(
            task=account.task,
            reading=tuple(account.touched)[-20:],
            editing=tuple(account.edited),
            failing=tuple(dict.fromkeys(failing))[-5:],
            recorded=tuple(note.text for note in account.said("record")),
        )


@dataclass(frozen=True, slots=True)
class View:
    """A session in progress, as its siblings may query it."""

    task: str
    reading: tuple[str, ...]
    editing: tuple[str, ...]
    failing: tuple[str, ...]
    recorded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trust:
    """What tells foreign words from own ones: trusted sources, the project's folder, and the names that it knows."""

    sources: frozenset[str] = frozenset()
    root: str = ""
    known: Callable[[str], bool] | None = None


def detect(pad: Scratchpad, trust: Trust | None = None) -> list[Signal]:
    """All signals in a scratchpad, each once; what several agents saw on their own says how many they were."""
    trust = trust or Trust()
    found: dict[tuple[str, str], Signal] = {}
    parts = _by_actor(pad)
    for actor, part in parts.items():
        account = Account(part)
        shown = [signal for detector in DETECTORS for signal in detector(account)]
        for signal in tainted(part, shown, trust):
            _join(found, replace(signal, actor=actor))
    for signal in parallel.parallel_conflict(Account(pad)) if len(parts) > 1 else ():
        _join(found, signal)
    return list(found.values())


def tainted(pad: Scratchpad, shown: list[Signal], trust: Trust) -> list[Signal]:
    """The signals with the source that their words may come from, if that is not the session itself.

    The session is gone through in order, because words that came before a page was read cannot come from it.
    """
    waiting: dict[int, list[Signal]] = {}
    for signal in shown:
        waiting.setdefault(signal.step if signal.quotes else -1, []).append(signal)
    marked = waiting.pop(-1, [])
    if not waiting:
        return marked
    taint = Taint(trust.sources, trust.root, trust.known)
    notes: dict[int, list[Note]] = {}
    for note in pad.notes:
        notes.setdefault(note.step, []).append(note)
    actions: list[Action | None] = [None, *pad.actions]
    for action in actions:
        if not waiting:
            break
        step = action.step if action else 0
        source = taint.observe(action) if action else ""
        said = {_USER: "", _AGENT: ""}
        for note in notes.get(step, ()):
            by_user = note.voice == "user"
            who = _USER if by_user else _AGENT
            said[who] = taint.said(note.text, step, by_user=by_user) or said[who]
        for signal in waiting.pop(step, ()):
            marked.append(replace(signal, taint=_source(signal, taint, said, source)))
    return marked + [replace(signal, taint=taint.after(signal.step)) for rest in waiting.values() for signal in rest]


_USER, _AGENT = "user", "agent"
_FROM_TOOL = frozenset({SignalName.E2E, SignalName.EXTERNAL_REFERENCE})
_FROM_AGENT = frozenset(
    {SignalName.SELF_CORRECTION, SignalName.CAUSAL_STATEMENT, SignalName.DEAD_END, SignalName.AGENT_RECORD}
)


def _source(signal: Signal, taint: Taint, said: dict[str, str], answered: str) -> str:
    """Where the words of a signal come from: the tool that answered, who said them, or what they quote or name."""
    words = " ".join(signal.quotes)
    if signal.name in _FROM_TOOL:
        return answered
    if signal.name is SignalName.USER_CORRECTION:
        return taint.quotes(words)
    if signal.name in _FROM_AGENT:
        return said[_AGENT] or taint.of(words, signal.step)
    if signal.name is SignalName.COMMIT_AUTO:
        return taint.of(words, signal.step)
    if signal.name is SignalName.ERROR_RETRY:
        # The error is what a program of the project printed. What an output told the agent to run is its word.
        fix = str(signal.facts["fix"])
        return "" if signal.facts["fix_kind"] == "edit" else taint.strongly(fix) or taint.names(fix)
    return taint.strongly(words)


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


def _join(found: dict[tuple[str, str], Signal], signal: Signal) -> None:
    """The same observation of two agents is one, and surer; tainted if either is."""
    known = found.get((signal.name, signal.key))
    if known is None:
        found[(signal.name, signal.key)] = signal
    elif known.actor != signal.actor:
        joined = replace(known, actors=known.actors + 1, taint=known.taint or signal.taint)
        found[(signal.name, signal.key)] = joined
