"""Promotion gates: which signals may become memories, and how many, for each session type and outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.work import Outcome, SessionType
from holloway.observer.signals.signal import SIGNALS, WRITTEN, SignalName

if TYPE_CHECKING:
    from holloway.store.store import Store

HELD_DAYS = 14
"""Number of days that a held candidate waits for its change to be committed or tested."""

REJECTED_ABOVE = 0.3
"""Share of rejected inferred memories above which fewer and more certain ones are stored."""
JUDGED_FROM = 5
"""Number of inferred memories that people must have confirmed or rejected before that share counts."""


class GateRule(NamedTuple):
    """Gate rule for one signal: the minimum number of sessions, and the reduction of its confidence."""

    min_sessions: int
    reduction: float = 0.0


class Gate(NamedTuple):
    """Gate for one session type: outcomes that open it, limit of memories, review and rules.

    Without rules, every signal passes with its own minimum number of sessions.
    """

    opens: frozenset[Outcome]
    max_memories: int
    review: bool
    rules: dict[SignalName, GateRule] | None = None


_VALIDATED = frozenset({Outcome.SUCCESS})
_ENDED = frozenset({Outcome.SUCCESS, Outcome.PARTIAL})
_ONCE = GateRule(1)

GATES: dict[SessionType, Gate] = {
    SessionType.BUILD: Gate(_VALIDATED, 20, review=False),
    SessionType.INSIGHTS: Gate(_ENDED, 5, review=True, rules={SignalName.SELF_CORRECTION: _ONCE}),
    SessionType.ROADMAP: Gate(_ENDED, 0, review=True, rules={}),
    SessionType.TERMINAL: Gate(
        _ENDED,
        3,
        review=True,
        rules={SignalName.ERROR_RETRY: GateRule(2, 0.10), SignalName.SEQUENCE: GateRule(3, 0.20)},
    ),
    SessionType.CHANGELOG: Gate(frozenset(), 0, review=False, rules={}),
    SessionType.SPEC_CREATION: Gate(_VALIDATED, 3, review=False, rules={SignalName.SELF_CORRECTION: _ONCE}),
    SessionType.PR_REVIEW: Gate(
        _ENDED,
        8,
        review=False,
        rules={
            SignalName.ERROR_RETRY: _ONCE,
            SignalName.SELF_CORRECTION: _ONCE,
            SignalName.QA_FINDING: _ONCE,
        },
    ),
}
"""Gates by session type. Statements pass every gate, so that no row names them."""

FROM_FAILURE = frozenset(
    {SignalName.DEAD_END, SignalName.QA_FINDING, SignalName.USER_CORRECTION, SignalName.USER_STATEMENT}
)
"""Signals that may become memories even if the session failed: approaches to avoid, and a person's statements."""


class GateDecision(NamedTuple):
    """Decision of a gate on one signal: `open`, `held` or `shut`, with the reason."""

    decision: str
    reason: str = ""
    min_sessions: int = 1
    reduction: float = 0.0


def check_gate(kind: SessionType, outcome: Outcome, signal: SignalName) -> GateDecision:
    """Decide whether a signal of a session of this type and outcome may become a memory now, later or never."""
    if signal in WRITTEN:
        return _check_written(GATES[kind], outcome, signal)
    gate = GATES[kind]
    rule = gate.rules.get(signal) if gate.rules is not None else GateRule(SIGNALS[signal].min_sessions)
    if rule is None or not gate.max_memories:
        return GateDecision("shut", f"{humanize_name(kind)} sessions do not teach by {humanize_name(signal)}")
    if outcome is Outcome.CANCELLED:
        return GateDecision("shut", "the session was cancelled")
    if outcome is Outcome.FAILURE and signal not in FROM_FAILURE:
        return GateDecision("shut", "the session failed")
    if outcome in gate.opens or outcome is Outcome.FAILURE or SIGNALS[signal].self_validating:
        return GateDecision("open", "", rule.min_sessions, rule.reduction)
    return GateDecision("held", "the session's work is not proved yet", rule.min_sessions, rule.reduction)


def _check_written(gate: Gate, outcome: Outcome, signal: SignalName) -> GateDecision:
    """Decide on what somebody wrote down: a person's words always count, others unless the work went wrong."""
    if signal not in FROM_FAILURE and outcome in (Outcome.CANCELLED, Outcome.FAILURE):
        return GateDecision("shut", f"the session {'failed' if outcome is Outcome.FAILURE else 'was cancelled'}")
    if signal is SignalName.AGENT_RECORD and gate.opens == _VALIDATED and outcome is not Outcome.SUCCESS:
        return GateDecision("held", "the session's work is not proved yet", 1)
    return GateDecision("open", "", 1)


def humanize_name(name: SessionType | SignalName) -> str:
    """Return a name in words, for a sentence."""
    return name.value.replace("_", " ")


def is_strict(store: Store) -> bool:
    """Return whether the rejection rate of inferred memories is so high that a new one needs more evidence."""
    confirmed, rejected = store.memories.count_reviewed()
    total = confirmed + rejected
    return total >= JUDGED_FROM and rejected / total > REJECTED_ABOVE
