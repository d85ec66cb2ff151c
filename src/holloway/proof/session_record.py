"""Session record: all metrics of one session, stored for every session so that they can be compared later."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from holloway.proof.injection_metrics import measure_answers, measure_injected
from holloway.proof.record_fields import RECORD_VERSION
from holloway.proof.work_metrics import measure_work

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.observer.activity import SessionActivity
    from holloway.observer.outcome import SessionClassification
    from holloway.observer.signals.signal import Signal
    from holloway.promotion.pipeline import Promotion
    from holloway.proof.session_facts import SessionFacts, StoreFigures


def build_record(
    account: SessionActivity,
    judged: SessionClassification,
    signals: Sequence[Signal],
    promotion: Promotion | None,
    before: SessionFacts,
    wording: str = "",
) -> dict[str, Any]:
    """Return all metrics of one session: every field of the table, with None for what is unknown."""
    return {
        "version": RECORD_VERSION,
        "group": before.group,
        "randomised": before.is_randomised,
        **_session_identity(account, judged, before),
        "trust_level": before.trust_level,
        **measure_work(account, before),
        **measure_injected(account, promotion, before),
        **measure_answers(before.answers),
        **_store_figures(before.store),
        "signals": dict(Counter(str(signal.name) for signal in signals)),
        "candidates": _count_candidates(promotion),
        "wording": wording or None,
    }


def _session_identity(account: SessionActivity, judged: SessionClassification, before: SessionFacts) -> dict[str, Any]:
    """Return the session's agent, type, outcome and work unit."""
    start = account.pad.start
    unit = start.work_unit if start else None
    return {
        "agent": start.agent if start else "",
        "type": str(judged.type),
        "phase": str(judged.phase),
        "outcome": str(judged.outcome),
        "evidence": judged.evidence,
        "work_unit": list(unit.path) if unit else None,
        "methodology": unit.methodology if unit else before.methodology,
        "role": before.role,
        "modules": None if before.modules is None else list(before.modules),
    }


def _store_figures(figures: StoreFigures | None) -> dict[str, Any]:
    return {
        "store_memories": figures.memories if figures else None,
        "store_mean_confidence": figures.mean_confidence if figures else None,
        "store_module_coverage": figures.module_coverage if figures else None,
    }


def _count_candidates(promotion: Promotion | None) -> Mapping[str, Mapping[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for candidate in promotion.candidates if promotion else ():
        counts.setdefault(str(candidate.signal.name), Counter())[candidate.state] += 1
    return {name: dict(counter) for name, counter in counts.items()}
