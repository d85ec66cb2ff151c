import pytest

from holloway.domain.work import Outcome, SessionType
from holloway.observer.signals.signal import SIGNALS, WRITTEN, SignalName
from holloway.promotion.gates import FROM_FAILURE, GATES, check_gate
from holloway.promotion.pipeline import COUNTED_ONLY

N = SignalName
PERSON = frozenset({N.USER_CORRECTION, N.USER_STATEMENT})
BEHAVIOUR = [signal for signal in SignalName if signal not in WRITTEN]


def test_every_type_of_session_has_a_gate() -> None:
    assert set(GATES) == set(SessionType)


@pytest.mark.parametrize("signal", list(SignalName))
def test_a_build_that_succeeded_opens_to_every_signal_on_its_own_terms(signal: SignalName) -> None:
    way = check_gate(SessionType.BUILD, Outcome.SUCCESS, signal)
    assert (way.decision, way.min_sessions) == ("open", SIGNALS[signal].min_sessions)


@pytest.mark.parametrize("signal", list(SignalName))
def test_a_cancelled_session_teaches_only_what_the_person_said(signal: SignalName) -> None:
    decision = check_gate(SessionType.BUILD, Outcome.CANCELLED, signal).decision
    assert decision == ("open" if signal in PERSON else "shut")


@pytest.mark.parametrize("signal", list(SignalName))
def test_a_failed_session_teaches_only_what_not_to_do(signal: SignalName) -> None:
    way = check_gate(SessionType.BUILD, Outcome.FAILURE, signal).decision
    assert way == ("open" if signal in FROM_FAILURE else "shut")
    assert FROM_FAILURE & WRITTEN == PERSON


@pytest.mark.parametrize("signal", BEHAVIOUR)
def test_a_partial_build_holds_what_does_not_prove_itself(signal: SignalName) -> None:
    way = check_gate(SessionType.BUILD, Outcome.PARTIAL, signal).decision
    assert way == ("open" if SIGNALS[signal].self_validating else "held")


@pytest.mark.parametrize("signal", BEHAVIOUR)
def test_a_changelog_session_teaches_nothing_by_its_behaviour(signal: SignalName) -> None:
    assert check_gate(SessionType.CHANGELOG, Outcome.SUCCESS, signal).decision == "shut"


def test_what_is_written_down_is_known() -> None:
    assert PERSON | {N.AGENT_RECORD, N.COMMIT_AUTO, N.AGENT_NOTE, N.CONCLUSION} == WRITTEN


@pytest.mark.parametrize("kind", list(SessionType))
@pytest.mark.parametrize("signal", sorted(WRITTEN))
def test_what_is_written_down_passes_every_type_of_session(kind: SessionType, signal: SignalName) -> None:
    way = check_gate(kind, Outcome.SUCCESS, signal)
    assert (way.decision, way.min_sessions, way.reduction) == ("open", 1, 0.0)
    wrong = {check_gate(kind, outcome, signal).decision for outcome in (Outcome.FAILURE, Outcome.CANCELLED)}
    assert wrong == {"open" if signal in PERSON else "shut"}


@pytest.mark.parametrize("signal", sorted(WRITTEN))
def test_an_unproved_session_holds_only_what_the_agent_asked_to_remember(signal: SignalName) -> None:
    for kind in SessionType:
        needs_proof = kind in (SessionType.BUILD, SessionType.SPEC_CREATION) and signal is N.AGENT_RECORD
        assert check_gate(kind, Outcome.PARTIAL, signal).decision == ("held" if needs_proof else "open")


@pytest.mark.parametrize("kind", [SessionType.INSIGHTS, SessionType.PR_REVIEW])
def test_a_session_that_only_reads_teaches_by_its_self_corrections(kind: SessionType) -> None:
    way = check_gate(kind, Outcome.PARTIAL, N.SELF_CORRECTION)
    assert (way.decision, way.min_sessions, way.reduction) == ("open", 1, 0.0)
    assert check_gate(kind, Outcome.PARTIAL, N.SEQUENCE).decision == "shut"


def test_every_rule_of_a_gate_can_fire() -> None:
    named = {signal for gate in GATES.values() for signal in gate.rules or ()}
    assert not named & (WRITTEN | COUNTED_ONLY)
    assert all(gate.max_memories for gate in GATES.values() if gate.rules)


def test_a_terminal_session_needs_to_see_an_error_twice() -> None:
    way = check_gate(SessionType.TERMINAL, Outcome.PARTIAL, N.ERROR_RETRY)
    assert (way.decision, way.min_sessions, way.reduction) == ("open", 2, 0.10)


@pytest.mark.parametrize(
    ("kind", "most", "review"),
    [
        (SessionType.BUILD, 20, False),
        (SessionType.INSIGHTS, 5, True),
        (SessionType.ROADMAP, 0, True),
        (SessionType.TERMINAL, 3, True),
        (SessionType.CHANGELOG, 0, False),
        (SessionType.SPEC_CREATION, 3, False),
        (SessionType.PR_REVIEW, 8, False),
    ],
)
def test_how_much_each_type_may_leave_and_who_looks_first(kind: SessionType, most: int, review: bool) -> None:
    assert (GATES[kind].max_memories, GATES[kind].review) == (most, review)


def test_a_shut_gate_says_why_in_plain_words() -> None:
    why = check_gate(SessionType.INSIGHTS, Outcome.SUCCESS, N.ERROR_RETRY).reason
    assert why == "insights sessions do not teach by error retry"
