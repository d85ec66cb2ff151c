"""Memory filter: the SQL condition that all queries for memories share."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType, Source, State, Visibility

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a query selects. Empty fields do not restrict; `branch` None means every branch."""

    types: tuple[MemoryType, ...] = ()
    states: tuple[State, ...] = ()
    sources: tuple[Source, ...] = ()
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    session: str = ""
    origin: str = ""
    branch: str | None = None
    visibility: tuple[Visibility, ...] = ()
    min_confidence: float = 0.0
    pinned: bool = False
    to_review: bool = False
    due: str = ""
    quarantined: bool = True
    superseded: bool = False
    deleted: bool = False

    def build_condition(self) -> tuple[str, dict[str, object]]:
        """Return the SQL condition and its bound values."""
        conditions: list[str] = []
        values: dict[str, object] = {}
        for name, column, allowed_values in (
            ("type", "m.type", self.types),
            ("state", "m.state", self.states),
            ("source", "m.source", self.sources),
            ("visibility", "m.visibility", self.visibility),
        ):
            if allowed_values:
                conditions.append(f"{column} IN (SELECT value FROM json_each(:{name}))")
                values[name] = json.dumps([str(item) for item in allowed_values])
        if self.files:
            is_or_contains = "x.path = w.value OR substr(x.path, 1, length(w.value) + 1) = w.value || '/'"
            conditions.append(
                f"m.seq IN (SELECT x.seq FROM memory_files x JOIN json_each(:files) w ON {is_or_contains})"
            )
            values["files"] = json.dumps(self.files)
        if self.modules:
            wanted_modules = "SELECT value FROM json_each(:modules)"
            conditions.append(f"m.seq IN (SELECT x.seq FROM memory_modules x WHERE x.module IN ({wanted_modules}))")
            values["modules"] = json.dumps(self.modules)
        if self.tags:
            conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) t JOIN json_each(:tags) w ON t.value = w.value)")
            values["tags"] = json.dumps(self.tags)
        if self.branch is not None:
            conditions.append("(m.branch_only = '' OR m.branch_only = :branch)")
            values["branch"] = self.branch
        for name, text in (("session", self.session), ("origin", self.origin)):
            if text:
                conditions.append(f"m.{name} = :{name}")
                values[name] = text
        if self.min_confidence:
            conditions.append("m.confidence >= :min_confidence")
            values["min_confidence"] = self.min_confidence
        if self.due:
            conditions.append("m.review_after <= :due")
            values["due"] = self.due
        return " AND ".join([*conditions, *self._build_flag_conditions()]), values

    def _build_flag_conditions(self) -> Iterator[str]:
        if self.pinned:
            yield "m.pinned = 1"
        if self.to_review:
            yield "m.review IS NOT NULL"
        if not self.quarantined:
            yield f"m.state <> '{State.QUARANTINED}'"
        if not self.superseded:
            yield "m.superseded_by = ''"
        yield "m.deleted_at <> ''" if self.deleted else "m.deleted_at = ''"


EVERYTHING = Filter(superseded=True)
