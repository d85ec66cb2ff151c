"""Where the words of a signal come from: the session itself, or something foreign that it had read before."""

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
    """What tells foreign words from own ones: trusted sources, the project's folder, and the names that it knows."""

    sources: frozenset[str] = frozenset()
    root: str = ""
    known: Callable[[str], bool] | None = None


def tainted(pad: Scratchpad, shown: Sequence[Signal], trust: Trust) -> list[Signal]:
    """The signals with the source that their words may come from, if that is not the session itself.

    The session is gone through in order, because words that came before a page was read cannot come from it.
    """
    waiting: dict[int, list[Signal]] = {}
    for signal in shown:
        waiting.setdefault(signal.step if _can_be_foreign(signal) else -1, []).append(signal)
    marked = waiting.pop(-1, [])
    if not waiting:
        return marked
    taint = Taint(trust.sources, trust.root, trust.known)
    for step, source, spoken in _gone_through(pad, taint):
        for signal in waiting.pop(step, ()):
            marked.append(replace(signal, taint=_source(signal, taint, spoken, source)))
        if not waiting:
            break
    return marked + [replace(signal, taint=taint.after(signal.step)) for rest in waiting.values() for signal in rest]


def carried(pad: Scratchpad, signals: Sequence[Signal], trust: Trust) -> list[str]:
    """What taints signals of a session of several agents because another one was told it: they hand words on.

    That one of them was told something just before another spoke means nothing. What a subagent answers repeats its
    own words, and its own part of the session tells where those come from.
    """
    waiting: dict[int, list[Signal]] = {}
    for signal in filter(_can_be_foreign, signals):
        waiting.setdefault(signal.step, []).append(signal)
    found: dict[int, str] = {}
    taint = Taint(trust.sources, trust.root, trust.known)
    actions = [replace(each, text="") if each.kind is ToolKind.SUBAGENT else each for each in pad.actions]
    for step, _, _ in _gone_through(replace(pad, actions=actions), taint, near=False):
        found |= {id(signal): _handed_on(signal, taint) for signal in waiting.pop(step, ())}
        if not waiting:
            break
    found |= {id(signal): _handed_on(signal, taint) for rest in waiting.values() for signal in rest}
    return [found.get(id(signal), "") for signal in signals]


def _gone_through(pad: Scratchpad, taint: Taint, *, near: bool = True) -> Iterator[tuple[int, str, list[int]]]:
    """Each step of a session, once it is taken in: where its answer comes from, and what the agent said with it."""
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
"""The step of words that are near to nothing that was read."""


def _can_be_foreign(signal: Signal) -> bool:
    """Whether a signal has words that are not ours; an edit that mended an error is the agent's own deed."""
    return bool(signal.quotes) and signal.facts.get("fix_kind") != "edit"


_FROM_TOOL = frozenset({SignalName.E2E, SignalName.EXTERNAL_REFERENCE})
_FROM_AGENT = frozenset(
    {SignalName.SELF_CORRECTION, SignalName.CAUSAL_STATEMENT, SignalName.DEAD_END, SignalName.AGENT_RECORD}
)


def _source(signal: Signal, taint: Taint, spoken: list[int], answered: str) -> str:
    """Where the words of a signal come from: the tool that answered, what the agent said with them (the last of it that
    is tainted), or what they quote or name."""
    words = " ".join(signal.quotes)
    if signal.name in _FROM_TOOL:
        return answered
    if signal.name is SignalName.USER_CORRECTION:
        # A line of the agent's that the user changed is still the agent's.
        return taint.quotes(words) or taint.names(str(signal.facts.get("agents_line", "")))
    if signal.name in _FROM_AGENT:
        return next(filter(None, map(taint.heard, reversed(spoken))), "") or taint.of(words, signal.step)
    if signal.name is SignalName.COMMIT_AUTO:
        return taint.of(words, signal.step)
    if signal.name is SignalName.ERROR_RETRY:
        # The error is what a program of the project printed. What an output told the agent to run is its word.
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
