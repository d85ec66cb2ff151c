"""Confidence of a memory: initial value, changes by use, and decay with age. All its constants are defined here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holloway.domain.memory import Memory, MemoryType, Source, State
from holloway.domain.ports import parse_stamp

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.domain.memory import Sketch

BIRTH = {
    Source.USER_TAUGHT: (0.90, State.CONFIRMED),
    Source.RULES_FILE: (0.85, State.UNCONFIRMED),
    Source.USER_CORRECTION: (0.85, State.UNCONFIRMED),
    Source.ERROR_FIX: (0.82, State.UNCONFIRMED),
    Source.AGENT_EXPLICIT: (0.75, State.UNCONFIRMED),
    Source.QA_AUTO: (0.75, State.UNCONFIRMED),
    Source.MCP_AUTO: (0.75, State.UNCONFIRMED),
    Source.COMMIT_AUTO: (0.82, State.UNCONFIRMED),
    Source.AGENT_NOTE: (0.75, State.UNCONFIRMED),
    Source.AGENT_CONCLUDED: (0.66, State.UNCONFIRMED),
    Source.OBSERVER_INFERRED: (0.70, State.UNCONFIRMED),
    Source.SYNTHESIS: (0.70, State.UNCONFIRMED),
    Source.FOREIGN_FILE: (0.60, State.QUARANTINED),
    Source.COLLEAGUE: (0.60, State.UNCONFIRMED),
}
"""Confidence and state at birth, where the caller's evidence does not give its own."""

CONFIRMED_BY_PERSON = 0.10
CONFIRMED_BY_PERSON_MAX = 0.95
AGREED_BY_SESSION = 0.05
USED_OFTEN = 0.05
USED_OFTEN_AFTER = 5
CONFIDENCE_MAX = 0.95
CONFIRMED_BY_COLLEAGUE = 0.05
COLLEAGUE_MAX = 0.75
"""Below the threshold of a cautious project: only a person here lifts a colleague's memory above it."""
TAINTED_FACTOR = 0.7
DISPUTED_FACTOR = 0.8

HALF_LIFE_DAYS: dict[MemoryType, float | None] = {
    MemoryType.WORK_STATE: 7,
    MemoryType.WORK_UNIT_OUTCOME: 30,
    MemoryType.E2E_OBSERVATION: 30,
    MemoryType.ERROR_PATTERN: 60,
    MemoryType.GOTCHA: 60,
    MemoryType.MODULE_INSIGHT: 90,
    MemoryType.DEAD_END: 90,
    MemoryType.PATTERN: 90,
    MemoryType.PREFETCH_PATTERN: 120,
    MemoryType.CAUSAL_DEPENDENCY: 120,
    MemoryType.WORKFLOW_RECIPE: 120,
    MemoryType.TASK_CALIBRATION: 180,
    MemoryType.CONTEXT_COST: 180,
    MemoryType.PREFERENCE: 180,
    MemoryType.REQUIREMENT: None,
    MemoryType.DECISION: None,
}
"""Days after which the confidence of an unused memory is half; None means that it does not decay."""


def current_confidence(memory: Memory | Sketch, now: datetime) -> float:
    """Return the decayed confidence: halved for each half-life since the memory was last used, unless it is pinned."""
    if memory.pinned or memory.half_life_days is None:
        return memory.confidence
    days = max(0.0, (now - parse_stamp(memory.last_used_at)).total_seconds() / 86_400)
    return float(memory.confidence * math.pow(0.5, days / memory.half_life_days))


def confirm_confidence(confidence: float) -> float:
    """Return the confidence after a person confirmed the memory."""
    return max(confidence, min(confidence + CONFIRMED_BY_PERSON, CONFIRMED_BY_PERSON_MAX))


def weigh_colleagues(confirmations: int) -> float:
    """Return the confidence of a colleague's memory that accepted colleagues have confirmed."""
    return min(BIRTH[Source.COLLEAGUE][0] + CONFIRMED_BY_COLLEAGUE * confirmations, COLLEAGUE_MAX)


def raise_confidence(confidence: float) -> float:
    """Return the confidence after an independent session agreed."""
    return max(confidence, min(confidence + AGREED_BY_SESSION, CONFIDENCE_MAX))
