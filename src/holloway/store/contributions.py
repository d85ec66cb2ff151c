"""Relations and module edits that people and agents add to the code map; stored with the memories, never re-indexed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import PATH_CHARS_MAX
from holloway.errors import InvalidInput
from holloway.store.write_gate import sanitize_reason

if TYPE_CHECKING:
    from holloway.store.database import Database

AGENT_ORIGIN = "agent"
"""Origin of a relation that an agent stated and no person has accepted."""
RELATION_KINDS = {
    "is_impact_of": "changing the second means looking at the first",
    "documents": "the first explains the second",
    "violates": "the first breaks a rule that the second holds",
    "supersedes": "the first takes the place of the second",
    "is_entrypoint_for": "the second is entered through the first",
    "flows_to": "data goes from the first to the second",
    "handles_errors_from": "errors of the second end in the first",
    "owns_data_for": "the first keeps what the second works on",
    "applies_pattern": "the first is built after the second",
    "depends_logically": "the first needs the second, though no import says so",
}
"""The kinds of relation that people and agents may add, and the meaning of each."""

HAS_PURPOSE, BELONGS_TO = "has_purpose", "belongs_to"
"""The kinds of a proposal about a module: its purpose is the note, or a file (source) is part of it (target)."""
PROPOSALS_MAX = 200
"""Proposals of agents that may wait for the person."""
CODE_RELATIONS_MAX = 5_000
MODULE_EDITS_MAX = 2_000


class CodeRelation(NamedTuple):
    """An edge that no parser can see. Source and target are paths, or `path:symbol`."""

    source: str
    kind: str
    target: str
    origin: str
    agent: str
    note: str
    at: str


class Proposal(NamedTuple):
    """A statement of an agent about the map: no agent reads it before a person accepts it."""

    id: str
    relation: CodeRelation

    @property
    def statement(self) -> str:
        """The statement for a person."""
        if self.relation.kind == HAS_PURPOSE:
            return f"Purpose of {self.relation.target}: {self.relation.note}"
        if self.relation.kind == BELONGS_TO:
            return f"{self.relation.source} belongs to {self.relation.target}"
        return f"{self.relation.source} {self.relation.kind} {self.relation.target}"


def propose_relation(database: Database, relation: CodeRelation) -> CodeRelation:
    """Store a statement of an agent for review and return it as stored; what a person said about the same stays.

    Raises InvalidInput for an unknown kind, a missing end, or too many proposals.
    """
    _check_relation(relation, (*RELATION_KINDS, HAS_PURPOSE, BELONGS_TO))
    sanitized = relation._replace(note=sanitize_reason(relation.note))
    with database.write_transaction():
        ends = (relation.source, relation.kind, relation.target)
        statement = "SELECT origin FROM relations WHERE source = ? AND kind = ? AND target = ?"
        if database.fetch_value(statement, ends) in (None, AGENT_ORIGIN):
            database.execute("INSERT OR REPLACE INTO relations VALUES (?, ?, ?, ?, ?, ?, ?)", sanitized)
        if len(list_proposals(database)) > PROPOSALS_MAX:
            raise InvalidInput(f"{PROPOSALS_MAX} statements about the map wait already.", "The user reviews them.")
    return sanitized


def list_proposals(database: Database) -> list[Proposal]:
    """Return the statements of agents that wait for a person, oldest first."""
    rows = database.fetch_rows("SELECT * FROM relations WHERE origin = ? ORDER BY at, source", (AGENT_ORIGIN,))
    return [Proposal(_make_proposal_id(CodeRelation(*row)), CodeRelation(*row)) for row in rows]


def _make_proposal_id(relation: CodeRelation) -> str:
    ends = "\n".join((relation.source, relation.kind, relation.target))
    return f"map-{hashlib.sha256(ends.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def accept_proposal(database: Database, proposal: Proposal, at: str) -> None:
    """Store a statement of an agent as the person's: a relation, or an edit of a module."""
    relation = proposal.relation
    with database.write_transaction():
        drop_proposal(database, proposal)
        if relation.kind == HAS_PURPOSE:
            edit_module(database, "purpose", relation.target, relation.note, at)
        elif relation.kind == BELONGS_TO:
            edit_module(database, "files", relation.target, relation.source, at)
        else:
            save_relation(database, relation._replace(origin="user"))


def drop_proposal(database: Database, proposal: Proposal) -> None:
    """Delete a statement of an agent that waits."""
    relation = proposal.relation
    with database.write_transaction():
        statement = "DELETE FROM relations WHERE source = ? AND kind = ? AND target = ? AND origin = ?"
        database.execute(statement, (relation.source, relation.kind, relation.target, AGENT_ORIGIN))


def save_relation(database: Database, relation: CodeRelation) -> CodeRelation:
    """Store a relation and return it as stored; an existing one between the same ends is replaced.

    Raises InvalidInput for an unknown kind, a missing end, or too many relations.
    """
    _check_relation(relation, tuple(RELATION_KINDS))
    sanitized = relation._replace(note=sanitize_reason(relation.note))
    with database.write_transaction():
        database.execute("INSERT OR REPLACE INTO relations VALUES (?, ?, ?, ?, ?, ?, ?)", sanitized)
        if int(database.fetch_value("SELECT COUNT(*) FROM relations")) > CODE_RELATIONS_MAX:
            raise InvalidInput(f"There are {CODE_RELATIONS_MAX:,} relations already.", "Remove some first.")
    return sanitized


def _check_relation(relation: CodeRelation, kinds: tuple[str, ...]) -> None:
    if relation.kind not in kinds:
        raise InvalidInput(f"{relation.kind!r} is not a relation.", f"One of: {', '.join(RELATION_KINDS)}.")
    for end in (relation.source, relation.target):
        if not end or len(end) > PATH_CHARS_MAX:
            raise InvalidInput("A relation has two ends.", "Give a path, or path:symbol, for each.")


def delete_relation(database: Database, source: str, kind: str, target: str) -> bool:
    """Delete a relation; return whether it existed."""
    with database.write_transaction():
        cursor = database.execute(
            "DELETE FROM relations WHERE source = ? AND kind = ? AND target = ?", (source, kind, target)
        )
    return cursor.rowcount > 0


def list_relations(database: Database, path: str = "") -> list[CodeRelation]:
    """Return all relations, or those with an end in one file, oldest first; without the proposals of agents."""
    condition = (
        " AND (:p IN (source, target) OR source LIKE :q ESCAPE '\\' OR target LIKE :q ESCAPE '\\')" if path else ""
    )
    escaped_path = path.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = database.fetch_rows(
        f"SELECT * FROM relations WHERE origin <> :agent{condition} ORDER BY at, source",
        {"agent": AGENT_ORIGIN, "p": path, "q": escaped_path + ":%"},
    )
    return [CodeRelation(*row) for row in rows]


def edit_module(database: Database, kind: str, module: str, value: str, at: str) -> None:
    """Store a person's edit of a module; for a name or a purpose, only the latest counts."""
    stored_value = sanitize_reason(value) if kind in ("name", "purpose") else value[:PATH_CHARS_MAX]
    with database.write_transaction():
        if kind == "files":
            database.execute("DELETE FROM module_edits WHERE kind = 'files' AND value = ?", (stored_value,))
        else:
            database.execute("DELETE FROM module_edits WHERE kind = ? AND module = ?", (kind, module))
        database.execute(
            "INSERT INTO module_edits (kind, module, value, at) VALUES (?, ?, ?, ?)", (kind, module, stored_value, at)
        )
        if int(database.fetch_value("SELECT COUNT(*) FROM module_edits")) > MODULE_EDITS_MAX:
            raise InvalidInput(
                f"There are {MODULE_EDITS_MAX:,} edits of modules already.", "`holloway module NAME --reset`."
            )


def reset_module(database: Database, module: str, name: str = "") -> int:
    """Delete every edit of a module, and the names that merged others into it; return how many there were."""
    sql = "DELETE FROM module_edits WHERE :module IN (module, value) OR kind = 'name' AND value = :name"
    with database.write_transaction():
        return database.execute(sql, {"module": module, "name": name}).rowcount


def list_module_edits(database: Database) -> list[tuple[str, str, str]]:
    """Return all edits as (kind, module, value), oldest first."""
    return [
        (row[0], row[1], row[2])
        for row in database.fetch_rows("SELECT kind, module, value FROM module_edits ORDER BY seq")
    ]
