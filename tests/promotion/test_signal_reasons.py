"""Inferred signals that say why."""

import pytest

from holloway.observer.signals.signal import Signal, SignalName
from holloway.promotion.pipeline import compute_initial_confidence
from holloway.promotion.signal_reasons import has_reason

N = SignalName
DEAD_END = {"approach": "Keeping the sessions in Redis", "reason": "CI has no Redis"}


@pytest.mark.parametrize(
    ("name", "facts", "quotes"),
    [
        (N.DEAD_END, DEAD_END, ()),
        (N.SELF_CORRECTION, {"agrees": True}, ()),
        (N.CAUSAL_STATEMENT, {"agrees": True}, ("the schema changes", "run codegen, otherwise CI fails")),
    ],
)
def test_a_signal_with_its_reason_is_born_at_a_confidence_that_the_earned_level_shows(
    name: SignalName, facts: dict[str, object], quotes: tuple[str, ...]
) -> None:
    signal = Signal(name, "key", facts=facts, quotes=quotes)
    assert has_reason(signal)
    assert compute_initial_confidence(signal, 1, 0.0) == 0.75
    assert compute_initial_confidence(signal, 1, 0.1) == 0.65


@pytest.mark.parametrize(
    ("name", "facts", "quotes"),
    [
        (N.DEAD_END, {**DEAD_END, "approach": "This approach"}, ()),
        (N.DEAD_END, {**DEAD_END, "approach": "the current solution"}, ()),
        (N.DEAD_END, {**DEAD_END, "approach": "t work because Redis"}, ()),
        (N.DEAD_END, {**DEAD_END, "reason": ""}, ()),
        (N.SELF_CORRECTION, {"agrees": False}, ()),
        (N.CAUSAL_STATEMENT, {"agrees": True}, ("the schema changes", "run codegen")),
        (N.CAUSAL_STATEMENT, {"agrees": False}, ("the schema changes", "run codegen, otherwise CI fails")),
        (N.SELF_CORRECTION, {"agrees": True, "only_read": True}, ()),
        (N.BACKTRACK, DEAD_END, ()),
    ],
)
def test_without_a_reason_it_is_not(name: SignalName, facts: dict[str, object], quotes: tuple[str, ...]) -> None:
    signal = Signal(name, "key", facts=facts, quotes=quotes)
    assert not has_reason(signal)
    assert compute_initial_confidence(signal, 1, 0.0) < 0.65
