"""Memories as JSON: the fields that `--json`, exports and callers can rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway.domain import confidence, memory_details

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.domain.memory import Memory


def memory_json(memory: Memory, now: datetime) -> dict[str, Any]:
    """Every field of a memory; `confidence` is today's, `base_confidence` the one before fading."""
    unit = memory.work_unit
    return {
        "id": memory.id,
        "uid": memory.uid,
        "type": str(memory.type),
        "summary": memory.summary,
        "content": memory.content,
        "details": memory_details.shown_details(memory.details) or None,
        "files": list(memory.files),
        "modules": list(memory.modules),
        "tags": list(memory.tags),
        "state": str(memory.state),
        "confidence": round(confidence.current_confidence(memory, now), 4),
        "base_confidence": memory.confidence,
        "source": str(memory.source),
        "scope": str(memory.scope),
        "visibility": str(memory.visibility),
        "pinned": memory.pinned,
        "review": str(memory.review) if memory.review else None,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "last_used_at": memory.last_used_at,
        "use_count": memory.use_count,
        "half_life_days": memory.half_life_days,
        "session": memory.session,
        "sessions": list(memory.sessions),
        "agent": memory.agent,
        "branch": memory.branch,
        "branch_only": memory.branch_only,
        "commit": memory.commit,
        "work_unit": {"methodology": unit.methodology, "path": list(unit.path), "label": unit.label} if unit else None,
        "methodology": memory.methodology,
        "origin": memory.origin,
        "relations": [
            {
                "type": str(relation.type),
                "memory": relation.memory,
                "path": relation.path,
                "confidence": relation.confidence,
                "automatic": relation.automatic,
            }
            for relation in memory.relations
        ],
        "stale_at": memory.stale_at,
        "superseded_by": memory.superseded_by,
        "deleted_at": memory.deleted_at,
        "deleted_reason": memory.deleted_reason,
    }
