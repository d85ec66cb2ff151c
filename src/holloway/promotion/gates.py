"""Promotion gates: which signals may become memories, and how many, for each session type and outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.memory import MemoryType
from holloway.domain.session import Outcome, SessionType
from holloway.observer.signals.signal import SIGNALS, SignalName

if TYPE_CHECKING:
    from holloway.store.store import Store

HELD_DAYS = 14
"""Number of days that a held candidate waits for its change to be committed or tested."""

REJECTED_ABOVE = 0.3
"""Share of rejected inferred memories above which fewer and more certain ones are stored."""
JUDGED_FROM = 5
"""Number of inferred memories that people must have confirmed or rejected before that share counts."""


class Rule(NamedTuple):
    """Gate rule for one signal: the minimum number of sessions, and the reduction of its confidence."""

    min_sessions: int
    reduction: float = 0.0


class Gate(NamedTuple):
    """Gate for one session type: outcomes that open it, limit of memories, review, rules and memory types.

    Without rules, every signal passes with its own minimum number of sessions.
    """

    opens: frozenset[Outcome]
    most: int
    review: bool
    rules: dict[SignalName, Rule] | None = None
    types: frozenset[MemoryType] = frozenset(MemoryType)


_VALIDATED = frozenset({Outcome.SUCCESS})
_ENDED = frozenset({Outcome.SUCCESS, Outcome.PARTIAL})
_SAID = {SignalName.USER_CORRECTION: Rule(1), SignalName.AGENT_RECORD: Rule(1)}

GATES: dict[SessionType, Gate] = {
    SessionType.BUILD: Gate(_VALIDATED, 20, review=False),
    SessionType.INSIGHTS: Gate(
        _ENDED,
        5,
        review=True,
        rules={
            **_SAID,
            SignalName.CO_ACCESS: Rule(1, 0.15),
            SignalName.SELF_CORRECTION: Rule(1),
            SignalName.REPEATED_GREP: Rule(1, 0.10),
        },
    ),
    SessionType.ROADMAP: Gate(
        _ENDED,
        3,
        review=True,
        rules={**_SAID, SignalName.COMMIT_AUTO: Rule(1)},
        types=frozenset({MemoryType.DECISION, MemoryType.REQUIREMENT, MemoryType.PREFERENCE}),
    ),
    SessionType.TERMINAL: Gate(
        _ENDED,
        3,
        review=True,
        rules={**_SAID, SignalName.ERROR_RETRY: Rule(2, 0.10), SignalName.SEQUENCE: Rule(3, 0.20)},
    ),
    SessionType.CHANGELOG: Gate(frozenset(), 0, review=False, rules={}),
    SessionType.SPEC_CREATION: Gate(
        _VALIDATED,
        3,
        review=False,
        rules={**_SAID, SignalName.FILE_ACCESS: Rule(1, 0.25), SignalName.COMMIT_AUTO: Rule(1)},
    ),
    SessionType.PR_REVIEW: Gate(
        _ENDED,
        8,
        review=False,
        rules={
            **_SAID,
            SignalName.ERROR_RETRY: Rule(1),
            SignalName.SELF_CORRECTION: Rule(1),
            SignalName.QA_FINDING: Rule(1),
        },
    ),
}

FROM_FAILURE = frozenset({SignalName.DEAD_END, SignalName.QA_FINDING, SignalName.USER_CORRECTION})
"""Signals that may become memories even if the session failed: approaches to avoid, and a person's statements."""


class Passage(NamedTuple):
    """Decision of a gate on one signal: `open`, `held` or `shut`, with the reason."""

    way: str
    why: str = ""
    min_sessions: int = 1
    reduction: float = 0.0


def passage(kind: SessionType, outcome: Outcome, signal: SignalName) -> Passage:
    """Decide whether a signal of a session of this type and outcome may become a memory now, later or never."""
    gate = GATES[kind]
    rule = gate.rules.get(signal) if gate.rules is not None else Rule(SIGNALS[signal].min_sessions)
    if rule is None or not gate.most:
        return Passage("shut", f"{plain(kind)} sessions do not teach by {plain(signal)}")
    if outcome is Outcome.CANCELLED:
        return Passage("shut", "the session was cancelled")
    if outcome is Outcome.FAILURE and signal not in FROM_FAILURE:
        return Passage("shut", "the session failed")
    if outcome in gate.opens or outcome is Outcome.FAILURE or SIGNALS[signal].self_validating:
        return Passage("open", "", rule.min_sessions, rule.reduction)
    return Passage("held", "the session's work is not proved yet", rule.min_sessions, rule.reduction)


def plain(name: SessionType | SignalName) -> str:
    """Return a name in words, for a sentence."""
    return name.value.replace("_", " ")


def is_strict(store: Store) -> bool:
    """Return whether people rejected so many inferred memories that a new one needs more evidence."""
    confirmed, rejected = store.memories.judged()
    total = confirmed + rejected
    return total >= JUDGED_FROM and rejected / total > REJECTED_ABOVE
