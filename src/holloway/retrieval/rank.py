"""Ranking factors besides relevance: phase, trust in the source, recency, confidence and staleness.

Every factor is close to 1, so that none can rank an irrelevant memory above a relevant one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holloway.domain import confidence
from holloway.domain.memory import Memory, MemoryType, Source, State
from holloway.domain.ports import parse_stamp
from holloway.domain.work import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from holloway.domain.ranking_fields import Sketch

PHASE_WEIGHTS: dict[Phase, dict[MemoryType, float]] = {
    Phase.DEFINE: {
        MemoryType.WORKFLOW_RECIPE: 1.4,
        MemoryType.DEAD_END: 1.2,
        MemoryType.REQUIREMENT: 1.2,
        MemoryType.DECISION: 1.1,
        MemoryType.TASK_CALIBRATION: 1.1,
        MemoryType.GOTCHA: 0.8,
        MemoryType.ERROR_PATTERN: 0.8,
    },
    Phase.IMPLEMENT: {
        MemoryType.GOTCHA: 1.4,
        MemoryType.ERROR_PATTERN: 1.3,
        MemoryType.CAUSAL_DEPENDENCY: 1.2,
        MemoryType.DEAD_END: 1.2,
        MemoryType.PATTERN: 1.1,
        MemoryType.PREFETCH_PATTERN: 1.1,
    },
    Phase.VALIDATE: {
        MemoryType.ERROR_PATTERN: 1.4,
        MemoryType.E2E_OBSERVATION: 1.4,
        MemoryType.REQUIREMENT: 1.2,
        MemoryType.WORK_UNIT_OUTCOME: 1.1,
    },
    Phase.REFINE: {MemoryType.ERROR_PATTERN: 1.3, MemoryType.GOTCHA: 1.2, MemoryType.DEAD_END: 1.2},
    Phase.EXPLORE: {MemoryType.MODULE_INSIGHT: 1.4, MemoryType.DECISION: 1.2, MemoryType.PATTERN: 1.1},
    Phase.REFLECT: {MemoryType.WORK_UNIT_OUTCOME: 1.4, MemoryType.TASK_CALIBRATION: 1.3, MemoryType.DEAD_END: 1.1},
}
"""Weight of a memory type in a phase, if it is not 1."""

SOURCE_TRUST = {
    Source.USER_TAUGHT: 1.4,
    Source.USER_CORRECTION: 1.4,
    Source.RULES_FILE: 1.2,
    Source.AGENT_EXPLICIT: 1.2,
    Source.ERROR_FIX: 1.1,
    Source.QA_AUTO: 1.1,
    Source.MCP_AUTO: 1.0,
    Source.COMMIT_AUTO: 1.0,
    Source.SYNTHESIS: 1.0,
    Source.OBSERVER_INFERRED: 0.85,
    Source.FOREIGN_FILE: 0.7,
}
"""Prior trust in each source."""

PRIOR_SHARE = 0.25
"""Damping of both tables: how much of a weight's distance from 1 counts, so that priors only break near ties."""

RECENCY_SHARE = 0.10
"""Highest loss of an old memory by age alone."""
RECENCY_DAYS = 180.0
VOLATILE_DAYS = {
    ".md": 365.0,
    ".rst": 365.0,
    ".txt": 365.0,
    ".toml": 120.0,
    ".json": 120.0,
    ".yaml": 120.0,
    ".yml": 120.0,
}
"""Half-life of recency in days, by the extension of a memory's files."""

CONFIDENCE_SHARE = 0.20
"""Loss of a memory with confidence 0."""
STALE_FACTOR = 0.6
"""Factor of a memory that was marked as stale."""
CHANGED_SHARE = 0.3
"""Loss of a memory when all lines of its files have changed since it was learned."""


def compute_factors(
    memory: Memory | Sketch, now: datetime, phase: Phase | None, changed: Mapping[str, float]
) -> dict[str, float]:
    """Return the factors on a memory's score by name. `changed` is the rewritten share of each of its files."""
    by_name = {
        "trust": compute_trust(memory),
        "recency": compute_recency(memory, now),
        "confidence": 1.0 - CONFIDENCE_SHARE * (1.0 - min(confidence.current_confidence(memory, now), 1.0)),
        "staleness": compute_staleness(memory, changed),
    }
    if phase is not None:
        by_name["phase"] = _dampen_weight(PHASE_WEIGHTS[phase].get(memory.type, 1.0))
    return by_name


def compute_trust(memory: Memory | Sketch) -> float:
    """Return slightly more than 1 for what a person said, slightly less for inferred or imported memories."""
    return _dampen_weight(SOURCE_TRUST[memory.source])


def _dampen_weight(weight: float) -> float:
    return 1.0 + PRIOR_SHARE * (weight - 1.0)


def compute_recency(memory: Memory | Sketch, now: datetime) -> float:
    """Return about 1 for fresh or pinned memories, less with age; the file types decide how fast."""
    if memory.pinned:
        return 1.0
    days = max(0.0, (now - parse_stamp(max(memory.last_used_at, memory.updated_at))).total_seconds() / 86_400)
    half_lives = [VOLATILE_DAYS.get("." + path.rpartition(".")[2], RECENCY_DAYS) for path in memory.files]
    half_life_days = sum(half_lives) / len(half_lives) if half_lives else RECENCY_DAYS
    return 1.0 - RECENCY_SHARE * (1.0 - math.pow(0.5, days / half_life_days))


def compute_staleness(memory: Memory | Sketch, changed: Mapping[str, float]) -> float:
    """Return less than 1 for memories that are marked stale, or whose files changed."""
    factor = STALE_FACTOR if memory.state is State.STALE or memory.stale_at else 1.0
    if changed and memory.files and not memory.pinned:
        share = sum(min(changed.get(path, 0.0), 1.0) for path in memory.files) / len(memory.files)
        factor *= 1.0 - CHANGED_SHARE * share
    return factor
