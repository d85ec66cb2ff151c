"""Serialization of memories: from a Memory to the columns of its row, and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holloway.domain import memory_json
from holloway.domain.memory import (
    Memory,
    MemoryType,
    Relation,
    RelationType,
    ReviewReason,
    Scope,
    Sketch,
    Source,
    State,
    Visibility,
)
from holloway.domain.ports import parse_stamp
from holloway.domain.work import WorkUnit
from holloway.store.database import Row
from holloway.text.identifiers import search_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

SELECT = """
SELECT m.*,
  (SELECT json_group_array(path) FROM (SELECT path FROM memory_files f WHERE f.seq = m.seq ORDER BY place)) AS files,
  (SELECT json_group_array(module) FROM
    (SELECT module FROM memory_modules o WHERE o.seq = m.seq ORDER BY place)) AS modules,
  (SELECT json_group_array(json_array(type, memory, path, confidence, automatic)) FROM
    (SELECT * FROM memory_relations r WHERE r.seq = m.seq ORDER BY type, memory, path)) AS relations
FROM memories m
"""

# The files of a memory come from an index alone and are unordered: ordering them would read another page for each.
SELECT_SKETCH = """
SELECT m.seq, m.id, m.type, m.source, m.state, m.confidence, m.half_life_days, m.pinned, m.last_used_at, m.updated_at,
  m.stale_at, m.commit_sha, (SELECT json_group_array(path) FROM memory_files f WHERE f.seq = m.seq) AS files
FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value
"""


_TEXTS = (
    "id",
    "uid",
    "content",
    "summary",
    "created_at",
    "updated_at",
    "last_used_at",
    "stated_at",
    "review_after",
    "session",
    "agent",
    "branch",
    "branch_only",
    "methodology",
    "origin",
    "stale_at",
    "superseded_by",
    "deleted_at",
    "deleted_reason",
)
_NUMBERS = ("confidence", "use_count", "half_life_days")
_KINDS: dict[str, type[StrEnum]] = {
    "type": MemoryType,
    "state": State,
    "source": Source,
    "scope": Scope,
    "visibility": Visibility,
}
_LISTS = ("tags", "sessions")
"""The three groups of fields that a row has under the same name: unchanged, as an enum, and as JSON."""


def to_columns(memory: Memory) -> dict[str, Any]:
    """Return the columns of a memory's row."""
    detail_texts = memory_json.details_texts(memory.details) if memory.details else ()
    searchable_texts = (memory.content, memory.summary, *memory.tags, *memory.files, *memory.modules, *detail_texts)
    return {
        **{name: getattr(memory, name) for name in (*_TEXTS, *_NUMBERS, *_KINDS)},
        **{name: _dump_json(getattr(memory, name)) for name in _LISTS},
        "details": _dump_json(memory_json.details_json(memory.details)) if memory.details else None,
        "pinned": int(memory.pinned),
        "muted": int(memory.muted),
        "chosen": int(memory.chosen),
        "review": memory.review,
        "commit_sha": memory.commit,
        "work_unit": serialize_work_unit(memory.work_unit),
        "search_text": search_text(*searchable_texts),
    }


def to_memory(source_row: Row | Mapping[str, Any]) -> Memory:
    """Build the memory from a row of `SELECT`.

    Raises ValueError, TypeError or InvalidInput if a value cannot be parsed.
    """
    # Reading sqlite3.Row by name scans all columns each time.
    row = dict(zip(source_row.keys(), source_row, strict=True)) if isinstance(source_row, Row) else source_row
    for name in ("created_at", "updated_at", "last_used_at"):
        parse_stamp(row[name])
    fields: dict[str, Any] = {name: row[name] for name in (*_TEXTS, *_NUMBERS)}
    fields |= {name: kind(row[name]) for name, kind in _KINDS.items()}
    fields |= {name: _parse_list(row[name]) for name in (*_LISTS, "files", "modules")}
    return Memory(
        **fields,
        details=memory_json.parse_details(fields["type"], json.loads(row["details"])) if row["details"] else None,
        relations=tuple(
            Relation(RelationType(kind), memory, path, confidence, bool(automatic))
            for kind, memory, path, confidence, automatic in _parse_list(row["relations"])
        ),
        pinned=bool(row["pinned"]),
        muted=bool(row["muted"]),
        chosen=bool(row.get("chosen")),  # an archive of an earlier release has none
        review=ReviewReason(row["review"]) if row["review"] else None,
        commit=row["commit_sha"],
        work_unit=parse_work_unit(row["work_unit"]),
    )


def to_sketch(row: Row) -> Sketch:
    """Build the sketch from a row of `SELECT_SKETCH`."""
    _, id_, type_, source, state, confidence, half_life, pinned, last_used_at, updated_at, stale_at, commit, files = row
    kinds = MemoryType(type_), Source(source), State(state)
    for timestamp in (last_used_at, updated_at):
        parse_stamp(timestamp)
    return Sketch(
        id_, *kinds, confidence, half_life, bool(pinned), last_used_at, updated_at, stale_at, commit, _parse_list(files)
    )


def _parse_list(text: str) -> tuple[Any, ...]:
    """Parse a JSON list; most are empty, and a search reads three hundred of them."""
    return tuple(json.loads(text)) if text != "[]" else ()


def serialize_work_unit(unit: WorkUnit | None) -> str | None:
    """Serialize a work unit for its column."""
    return _dump_json([unit.methodology, list(unit.path), unit.label]) if unit else None


def parse_work_unit(text: str | None) -> WorkUnit | None:
    """Parse a work unit from its column."""
    if not text:
        return None
    methodology, path, label = json.loads(text)
    return WorkUnit(methodology, tuple(path), label)


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
