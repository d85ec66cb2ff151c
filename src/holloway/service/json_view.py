"""Search results as JSON: the fields of a memory, its score and its project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway.domain.memory_json import memory_json

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.retrieval.recall import RecallResult

__all__ = ["memory_json", "result_json"]


def result_json(result: RecallResult, now: datetime) -> dict[str, Any]:
    """Return a search result with its score, the result of each stage, and its project."""
    return {
        **memory_json(result.memory, now),
        "score": round(result.score, 4),
        "stages": {stage: round(value, 4) for stage, value in result.stages.items()},
        "project": result.project,
    }
