"""Metrics of holloway's responses to a running session: outcomes and latency percentiles."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.proof.session_facts import HookAnswer


def measure_answers(answers: Sequence[HookAnswer] | None) -> dict[str, Any]:
    """Return the metrics of these answers; all are None if answers were not counted."""
    if answers is None:
        names = ("answers", "answers_dropped", "answers_degraded", "answer_ms_p50", "answer_ms_p95")
        return dict.fromkeys(names)
    outcomes: dict[str, Counter[str]] = {}
    for answer in answers:
        outcomes.setdefault(answer.point, Counter())[answer.outcome] += 1
    times = sorted(answer.milliseconds for answer in answers)
    return {
        "answers": {point: dict(counted) for point, counted in outcomes.items()},
        "answers_dropped": sum(answer.outcome == "dropped" for answer in answers),
        "answers_degraded": dict(Counter(answer.degraded_step for answer in answers if answer.outcome == "degraded")),
        "answer_ms_p50": _compute_percentile(times, 0.50),
        "answer_ms_p95": _compute_percentile(times, 0.95),
    }


def _compute_percentile(times: list[float], share: float) -> float | None:
    """Return the smallest time that this share of the times, which are sorted, does not exceed."""
    return round(times[math.ceil(share * len(times)) - 1], 3) if times else None
