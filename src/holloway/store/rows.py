"""A memory and its row: one direction each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holloway.domain import details
from holloway.domain.memory import (
    Memory,
    MemoryType,
    Relation,
    RelationType,
    ReviewReason,
    Scope,
    Source,
    State,
    Visibility,
)
from holloway.domain.ports import moment
from holloway.domain.sketch import Sketch
from holloway.domain.work import WorkUnit
from holloway.store.database import Row
from holloway.text.identifiers import search_text

if TYPE_CHECKING:
    from collections.abc import Mapping

SELECT = """
SELECT m.*,
  (SELECT json_group_array(path) FROM (SELECT path FROM memory_files f WHERE f.seq = m.seq ORDER BY place)) AS files,
  (SELECT json_group_array(module) FROM
    (SELECT module FROM memory_modules o WHERE o.seq = m.seq ORDER BY place)) AS modules,
  (SELECT json_group_array(json_array(type, memory, path, confidence, automatic)) FROM
    (SELECT * FROM memory_relations r WHERE r.seq = m.seq ORDER BY type, memory, path)) AS relations
FROM memories m
"""

# The files of a memory are read from an index alone: their order would have to be looked up for each.
SELECT_SKETCH = """
SELECT m.seq, m.id, m.type, m.source, m.state, m.confidence, m.half_life_days, m.pinned, m.last_used_at, m.updated_at,
  m.stale_at, m.commit_sha, (SELECT json_group_array(path) FROM memory_files f WHERE f.seq = m.seq) AS files
FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value
"""


def columns(memory: Memory) -> dict[str, Any]:
    """A memory as the columns of its row."""
    unit = memory.work_unit
    return {
        "id": memory.id,
        "uid": memory.uid,
        "type": memory.type,
        "content": memory.content,
        "summary": memory.summary,
        "details": _json(details.plain(memory.details)) if memory.details else None,
        "state": memory.state,
        "confidence": memory.confidence,
        "source": memory.source,
        "scope": memory.scope,
        "visibility": memory.visibility,
        "tags": _json(memory.tags),
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "last_used_at": memory.last_used_at,
        "use_count": memory.use_count,
        "pinned": int(memory.pinned),
        "half_life_days": memory.half_life_days,
        "review": memory.review,
        "review_after": memory.review_after,
        "session": memory.session,
        "sessions": _json(memory.sessions),
        "agent": memory.agent,
        "branch": memory.branch,
        "branch_only": memory.branch_only,
        "commit_sha": memory.commit,
        "work_unit": _json([unit.methodology, list(unit.path), unit.label]) if unit else None,
        "methodology": memory.methodology,
        "origin": memory.origin,
        "stale_at": memory.stale_at,
        "superseded_by": memory.superseded_by,
        "deleted_at": memory.deleted_at,
        "deleted_reason": memory.deleted_reason,
        "search_text": search_text(
            memory.content,
            memory.summary,
            *memory.tags,
            *memory.files,
            *memory.modules,
            *(details.texts(memory.details) if memory.details else ()),
        ),
    }


def to_memory(found: Row | Mapping[str, Any]) -> Memory:
    """The memory behind a row of `SELECT`."""
    # A row of SQLite looks through all its columns for each name.
    row = dict(zip(found.keys(), found, strict=True)) if isinstance(found, Row) else found
    memory_type = MemoryType(row["type"])
    for name in ("created_at", "updated_at", "last_used_at"):
        moment(row[name])
    return Memory(
        id=row["id"],
        uid=row["uid"],
        type=memory_type,
        content=row["content"],
        summary=row["summary"],
        details=details.parse(memory_type, json.loads(row["details"])) if row["details"] else None,
        state=State(row["state"]),
        confidence=row["confidence"],
        source=Source(row["source"]),
        scope=Scope(row["scope"]),
        visibility=Visibility(row["visibility"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        last_used_at=row["last_used_at"],
        use_count=row["use_count"],
        files=_listed(row["files"]),
        modules=_listed(row["modules"]),
        tags=_listed(row["tags"]),
        relations=tuple(
            Relation(RelationType(kind), memory, path, sure, bool(automatic))
            for kind, memory, path, sure, automatic in _listed(row["relations"])
        ),
        pinned=bool(row["pinned"]),
        half_life_days=row["half_life_days"],
        review=ReviewReason(row["review"]) if row["review"] else None,
        review_after=row["review_after"],
        session=row["session"],
        sessions=_listed(row["sessions"]),
        agent=row["agent"],
        branch=row["branch"],
        branch_only=row["branch_only"],
        commit=row["commit_sha"],
        work_unit=_work_unit(row["work_unit"]),
        methodology=row["methodology"],
        origin=row["origin"],
        stale_at=row["stale_at"],
        superseded_by=row["superseded_by"],
        deleted_at=row["deleted_at"],
        deleted_reason=row["deleted_reason"],
    )


def to_sketch(row: Row) -> Sketch:
    """The sketch behind a row of `SELECT_SKETCH`."""
    _, id_, type_, source, state, sure, half_life, pinned, used, updated, stale, commit, files = row
    known = MemoryType(type_), Source(source), State(state)
    for at in (used, updated):
        moment(at)
    return Sketch(id_, *known, sure, half_life, bool(pinned), used, updated, stale, commit, _listed(files))


def _listed(text: str) -> tuple[Any, ...]:
    """A JSON list; most are empty, and a search reads three hundred of them."""
    return tuple(json.loads(text)) if text != "[]" else ()


def _work_unit(text: str | None) -> WorkUnit | None:
    if not text:
        return None
    methodology, path, label = json.loads(text)
    return WorkUnit(methodology, tuple(path), label)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
