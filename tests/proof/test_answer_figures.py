"""Figures of our own answers: outcomes by point, and percentiles of their time."""

from holloway.proof.answer_figures import measure_answers
from holloway.proof.session_facts import HookAnswer


def test_answers_are_counted_by_point_and_outcome() -> None:
    answers = [
        HookAnswer("prompt", "full", "", 40),
        HookAnswer("prompt", "degraded", "map", 90),
        HookAnswer("prompt", "degraded", "map", 95),
        HookAnswer("step", "degraded", "store", 12),
        HookAnswer("step", "dropped", "store", 100),
        HookAnswer("step", "empty", "", 3),
    ]

    figures = measure_answers(answers)

    assert figures["answers"] == {
        "prompt": {"full": 1, "degraded": 2},
        "step": {"degraded": 1, "dropped": 1, "empty": 1},
    }
    assert figures["answers_dropped"] == 1
    assert figures["answers_degraded"] == {"map": 2, "store": 1}


def test_percentiles_are_times_that_were_measured() -> None:
    figures = measure_answers([HookAnswer("prompt", "full", "", ms) for ms in range(100, 0, -1)])
    assert (figures["answer_ms_p50"], figures["answer_ms_p95"]) == (50, 95)

    one = measure_answers([HookAnswer("prompt", "full", "", 7.25)])
    assert (one["answer_ms_p50"], one["answer_ms_p95"]) == (7.25, 7.25)


def test_answers_that_nobody_counted_are_unknown_and_no_answers_are_none() -> None:
    assert set(measure_answers(None).values()) == {None}

    nothing = measure_answers([])
    assert (nothing["answers"], nothing["answers_dropped"], nothing["answers_degraded"]) == ({}, 0, {})
    assert (nothing["answer_ms_p50"], nothing["answer_ms_p95"]) == (None, None)
