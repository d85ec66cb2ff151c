"""Memory filter: the SQL condition that all queries for memories share."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import PRUNE_AFTER_HALF_LIVES, WORK_TOLD_DAYS
from holloway.domain.memory import MemoryType, Scope, Source, State, Visibility

if TYPE_CHECKING:
    from collections.abc import Iterator


def build_fading_condition(parameter: str) -> str:
    """Return the SQL condition for memories `m` that will have been unused for three half-lives at a time."""
    days_max = f"max(m.half_life_days * {PRUNE_AFTER_HALF_LIVES}, (m.type = 'work_state') * {WORK_TOLD_DAYS})"
    return (
        "m.pinned = 0 AND m.half_life_days IS NOT NULL"
        f" AND julianday(:{parameter}) - julianday(m.last_used_at) > {days_max}"
    )


CONFLICTING = (
    "m.seq IN (SELECT r.seq FROM memory_relations r JOIN memories o ON o.id = r.memory"
    " WHERE r.type = 'conflicts_with' AND o.deleted_at = '' AND o.superseded_by = '')"
)
"""Selects the memories `m` that contradict one which is in force."""


SHARED_ORIGIN = "shared:"
"""Beginning of the origin of a memory that came from another replica; its name follows."""
SHARED_BY_AUTHORS = (
    f"m.origin <> '' AND m.origin IN (SELECT '{SHARED_ORIGIN}' || r.replica FROM json_each(:authors) w"
    " JOIN replicas r ON w.value IN (r.author, lower(r.author)))"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a query selects. Empty fields do not restrict; `branch` None means every branch.

    `branch` selects the memories that are told on a branch, `learned_on` those that were learned on one.
    """

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
    shared: bool = False
    """Only memories that are exchanged with others, mine and theirs."""
    authors: tuple[str, ...] = ()
    """Names of people who shared them, as they are or in lower case."""
    scopes: tuple[Scope, ...] = ()
    agents: tuple[str, ...] = ()
    learned_on: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None
    created_from: str = ""
    created_before: str = ""
    unused: bool = False
    conflicting: bool = False
    fades_by: str = ""
    min_confidence: float = 0.0
    pinned: bool = False
    muted: bool = False
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
            ("scope", "m.scope", self.scopes),
            ("agent", "m.agent", self.agents),
            ("learned_on", "m.branch", self.learned_on),
        ):
            if allowed_values:
                conditions.append(f"{column} IN (SELECT value FROM json_each(:{name}))")
                values[name] = json.dumps([str(item) for item in allowed_values])
        if self.files:
            # As two ranges of the index of paths: a condition on a part of each path would read all of them.
            conditions.append(
                "m.seq IN (SELECT x.seq FROM json_each(:files) w JOIN memory_files x ON x.path = w.value UNION ALL "
                "SELECT x.seq FROM json_each(:files) w "
                "JOIN memory_files x ON x.path > w.value || '/' AND x.path < w.value || '0')"
            )
            values["files"] = json.dumps(self.files)
        if self.modules:
            wanted_modules = "SELECT value FROM json_each(:modules)"
            conditions.append(f"m.seq IN (SELECT x.seq FROM memory_modules x WHERE x.module IN ({wanted_modules}))")
            values["modules"] = json.dumps(self.modules)
        if self.tags:
            conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) t JOIN json_each(:tags) w ON t.value = w.value)")
            values["tags"] = json.dumps(self.tags)
        if self.authors:
            conditions.append(SHARED_BY_AUTHORS)
            values["authors"] = json.dumps([*self.authors, *map(str.lower, self.authors)])
        if self.branch is not None:
            conditions.append("(m.branch_only = '' OR m.branch_only = :branch)")
            values["branch"] = self.branch
        if self.ids is not None:
            conditions.append("m.id IN (SELECT value FROM json_each(:ids))")
            values["ids"] = json.dumps(self.ids)
        for name, text, condition in (
            ("session", self.session, "m.session = :session"),
            ("origin", self.origin, "m.origin = :origin"),
            ("created_from", self.created_from, "m.created_at >= :created_from"),
            ("created_before", self.created_before, "m.created_at < :created_before"),
            ("fades_by", self.fades_by, build_fading_condition("fades_by")),
        ):
            if text:
                conditions.append(condition)
                values[name] = text
        if self.min_confidence:
            conditions.append("m.confidence >= :min_confidence")
            values["min_confidence"] = self.min_confidence
        if self.due:
            conditions.append("m.review_after <= :due")
            values["due"] = self.due
        return " AND ".join([*conditions, *self._build_flag_conditions()]), values

    def _build_flag_conditions(self) -> Iterator[str]:
        if self.shared:
            yield "m.uid IN (SELECT s.uid FROM shared_memories s WHERE s.status <> 'erased')"
        if self.unused:
            yield "m.use_count = 0"
        if self.conflicting:
            yield CONFLICTING
        if self.pinned:
            yield "m.pinned = 1"
        if self.muted:
            yield "m.muted = 1"
        if self.to_review:
            yield "m.review IS NOT NULL"
        if not self.quarantined:
            yield f"m.state <> '{State.QUARANTINED}'"
        if not self.superseded:
            yield "m.superseded_by = ''"
        yield "m.deleted_at <> ''" if self.deleted else "m.deleted_at = ''"


EVERYTHING = Filter(superseded=True)
