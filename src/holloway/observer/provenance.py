"""Signal provenance: traces the quoted text of each signal to the session itself or to an untrusted source (taint)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holloway.domain.event import ToolKind
from holloway.observer.signals.signal import SignalName
from holloway.observer.taint import TaintTracker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holloway.observer.scratchpad import Action, Note, Scratchpad
    from holloway.observer.signals.signal import Signal


@dataclass(frozen=True, slots=True)
class Trust:
    """Trust settings for provenance: trusted sources, the project folder, and a check for known names."""

    sources: frozenset[str] = frozenset()
    root: str = ""
    is_known_name: Callable[[str], bool] | None = None


def mark_tainted_signals(pad: Scratchpad, signals: Sequence[Signal], trust: Trust) -> list[Signal]:
    """Return the signals, each with the untrusted source that its quotes may come from.

    The session is replayed in order, because text from before a page was read cannot come from that page.
    """
    pending: dict[int, list[Signal]] = {}
    for signal in signals:
        pending.setdefault(signal.step if _can_be_untrusted(signal) else -1, []).append(signal)
    checked = pending.pop(-1, [])
    if not pending:
        return checked
    taint = TaintTracker(trust.sources, trust.root, trust.is_known_name)
    for step, source, spoken in _replay_session(pad, taint):
        for signal in pending.pop(step, ()):
            checked.append(replace(signal, taint=_find_source(signal, taint, spoken, source)))
        if not pending:
            break
    return checked + [
        replace(signal, taint=taint.find_latest_source(signal.step))
        for late_signals in pending.values()
        for signal in late_signals
    ]


def find_carried_taint(pad: Scratchpad, signals: Sequence[Signal], trust: Trust) -> list[str]:
    """Return the taint source that each signal carries from another agent of the same session, or empty strings.

    Agents pass text on to each other. Nearness in time is not evidence between agents. The result of a subagent is
    ignored, because it repeats the subagent's own statements, which are checked in the subagent's own scratchpad.
    """
    pending: dict[int, list[Signal]] = {}
    for signal in filter(_can_be_untrusted, signals):
        pending.setdefault(signal.step, []).append(signal)
    sources: dict[int, str] = {}
    taint = TaintTracker(trust.sources, trust.root, trust.is_known_name)
    actions = [replace(action, text="") if action.kind is ToolKind.SUBAGENT else action for action in pad.actions]
    for step, _, _ in _replay_session(replace(pad, actions=actions), taint, near=False):
        sources |= {id(signal): _find_carried_source(signal, taint) for signal in pending.pop(step, ())}
        if not pending:
            break
    sources |= {
        id(signal): _find_carried_source(signal, taint) for late_signals in pending.values() for signal in late_signals
    }
    return [sources.get(id(signal), "") for signal in signals]


def _replay_session(pad: Scratchpad, taint: TaintTracker, *, near: bool = True) -> Iterator[tuple[int, str, list[int]]]:
    """Replay a session into the taint tracker; yields each step, its result's source and its statement numbers."""
    notes: dict[int, list[Note]] = {}
    for note in pad.notes:
        notes.setdefault(note.step, []).append(note)
    actions: list[Action | None] = [None, *pad.actions]
    for action in actions:
        step = action.step if action else 0
        source = taint.observe_action(action) if action else ""
        after = step if near else _NEAR_NOTHING
        numbers = [
            (note.voice, taint.add_statement(note.text, after, by_user=note.voice == "user"))
            for note in notes.get(step, ())
        ]
        yield step, source, [number for voice, number in numbers if voice != "user"]


_NEAR_NOTHING = -1
"""Step of a statement that is not near any untrusted text."""


def _can_be_untrusted(signal: Signal) -> bool:
    """Whether a signal has quotes that may be untrusted; an edit that fixed an error is the agent's own action."""
    return bool(signal.quotes) and signal.facts.get("fix_kind") != "edit"


_FROM_TOOL = frozenset({SignalName.E2E, SignalName.EXTERNAL_REFERENCE})
_FROM_AGENT = frozenset(
    {SignalName.SELF_CORRECTION, SignalName.CAUSAL_STATEMENT, SignalName.DEAD_END, SignalName.AGENT_RECORD}
)


def _find_source(signal: Signal, taint: TaintTracker, statement_numbers: list[int], result_source: str) -> str:
    """Find the untrusted source of a signal's quotes, or return an empty string.

    The source is that of the tool result, of the agent's last tainted statement in the same step, or of a text that
    the quotes repeat or take a name from.
    """
    words = " ".join(signal.quotes)
    if signal.name in _FROM_TOOL:
        return result_source
    if signal.name is SignalName.USER_CORRECTION:
        # A line that the user edited was written by the agent first.
        return taint.find_quoted_source(words) or taint.find_named_source(str(signal.facts.get("agents_line", "")))
    if signal.name in _FROM_AGENT:
        return next(
            filter(None, map(taint.get_statement_source, reversed(statement_numbers))), ""
        ) or taint.find_source(words, signal.step)
    if signal.name is SignalName.COMMIT_AUTO:
        return taint.find_source(words, signal.step)
    if signal.name is SignalName.ERROR_RETRY:
        # The project's own program printed the error; only a fix that some output told the agent to run is untrusted.
        fix = str(signal.facts["fix"])
        return taint.find_strong_source(fix) or taint.find_named_source(fix)
    return taint.find_strong_source(words)


def _find_carried_source(signal: Signal, taint: TaintTracker) -> str:
    words = " ".join(signal.quotes)
    if signal.name in _FROM_TOOL:
        return ""
    if signal.name is SignalName.USER_CORRECTION:
        return taint.find_quoted_source(words)
    return taint.find_strong_source(str(signal.facts["fix"]) if signal.name is SignalName.ERROR_RETRY else words)
