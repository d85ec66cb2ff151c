"""Signal provenance: traces the quoted text of each signal to the session itself or to an untrusted source (taint)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.domain.event import ToolKind
from holloway.observer.signals.signal import SignalName
from holloway.observer.taint import Taint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holloway.observer.scratchpad import Action, Note, Scratchpad
    from holloway.observer.signals.signal import Signal


@dataclass(frozen=True, slots=True)
class Trust:
    """Trust settings for provenance: trusted sources, the project folder, and a check for known names."""

    sources: frozenset[str] = frozenset()
    root: str = ""
    known: Callable[[str], bool] | None = None


def tainted(pad: Scratchpad, shown: Sequence[Signal], trust: Trust) -> list[Signal]:
    """Return the signals, each with the untrusted source that its quotes may come from.

    The session is replayed in order, because text from before a page was read cannot come from that page.
    """
    pending: dict[int, list[Signal]] = {}
    for signal in shown:
        pending.setdefault(signal.step if _can_be_foreign(signal) else -1, []).append(signal)
    checked = pending.pop(-1, [])
    if not pending:
        return checked
    taint = Taint(trust.sources, trust.root, trust.known)
    for step, source, spoken in _gone_through(pad, taint):
        for signal in pending.pop(step, ()):
            checked.append(replace(signal, taint=_source(signal, taint, spoken, source)))
        if not pending:
            break
    return checked + [
        replace(signal, taint=taint.after(signal.step)) for late_signals in pending.values() for signal in late_signals
    ]


def carried(pad: Scratchpad, signals: Sequence[Signal], trust: Trust) -> list[str]:
    """Return the taint source that each signal carries from another agent of the same session, or empty strings.

    Agents pass text on to each other. Nearness in time is not evidence between agents. The result of a subagent is
    ignored, because it repeats the subagent's own statements, which are checked in the subagent's own scratchpad.
    """
    pending: dict[int, list[Signal]] = {}
    for signal in filter(_can_be_foreign, signals):
        pending.setdefault(signal.step, []).append(signal)
    sources: dict[int, str] = {}
    taint = Taint(trust.sources, trust.root, trust.known)
    actions = [replace(action, text="") if action.kind is ToolKind.SUBAGENT else action for action in pad.actions]
    for step, _, _ in _gone_through(replace(pad, actions=actions), taint, near=False):
        sources |= {id(signal): _handed_on(signal, taint) for signal in pending.pop(step, ())}
        if not pending:
            break
    sources |= {id(signal): _handed_on(signal, taint) for late_signals in pending.values() for signal in late_signals}
    return [sources.get(id(signal), "") for signal in signals]


def _gone_through(pad: Scratchpad, taint: Taint, *, near: bool = True) -> Iterator[tuple[int, str, list[int]]]:
    """Replay a session into the taint tracker; yields each step, its result's source and its statement numbers."""
    notes: dict[int, list[Note]] = {}
    for note in pad.notes:
        notes.setdefault(note.step, []).append(note)
    actions: list[Action | None] = [None, *pad.actions]
    for action in actions:
        step = action.step if action else 0
        source = taint.observe(action) if action else ""
        after = step if near else _BEFORE_ALL
        numbers = [
            (note.voice, taint.hear(note.text, after, by_user=note.voice == "user")) for note in notes.get(step, ())
        ]
        yield step, source, [number for voice, number in numbers if voice != "user"]


_BEFORE_ALL = -1
"""Step of a statement that is not near any untrusted text."""


def _can_be_foreign(signal: Signal) -> bool:
    """Whether a signal has quotes that may be untrusted; an edit that fixed an error is the agent's own action."""
    return bool(signal.quotes) and signal.facts.get("fix_kind") != "edit"


_FROM_TOOL = frozenset({SignalName.E2E, SignalName.EXTERNAL_REFERENCE})
_FROM_AGENT = frozenset(
    {SignalName.SELF_CORRECTION, SignalName.CAUSAL_STATEMENT, SignalName.DEAD_END, SignalName.AGENT_RECORD}
)


def _source(signal: Signal, taint: Taint, spoken: list[int], answered: str) -> str:
    """Find the untrusted source of a signal's quotes, or return an empty string.

    The source is that of the tool result, of the agent's last tainted statement in the same step, or of a text that
    the quotes repeat or take a name from.
    """
    words = " ".join(signal.quotes)
    if signal.name in _FROM_TOOL:
        return answered
    if signal.name is SignalName.USER_CORRECTION:
        # A line that the user edited was written by the agent first.
        return taint.quotes(words) or taint.names(str(signal.facts.get("agents_line", "")))
    if signal.name in _FROM_AGENT:
        return next(filter(None, map(taint.heard, reversed(spoken))), "") or taint.of(words, signal.step)
    if signal.name is SignalName.COMMIT_AUTO:
        return taint.of(words, signal.step)
    if signal.name is SignalName.ERROR_RETRY:
        # The project's own program printed the error; only a fix that some output told the agent to run is untrusted.
        fix = str(signal.facts["fix"])
        return taint.strongly(fix) or taint.names(fix)
    return taint.strongly(words)


def _handed_on(signal: Signal, taint: Taint) -> str:
    words = " ".join(signal.quotes)
    if signal.name in _FROM_TOOL:
        return ""
    if signal.name is SignalName.USER_CORRECTION:
        return taint.quotes(words)
    return taint.strongly(str(signal.facts["fix"]) if signal.name is SignalName.ERROR_RETRY else words)
