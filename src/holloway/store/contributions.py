"""Relations and module edits that people and agents add to the code map; stored with the memories, never re-indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.config import PATH_CHARS_MAX
from holloway.errors import InvalidInput
from holloway.store.write_gate import sanitize_reason

if TYPE_CHECKING:
    from holloway.store.database import Database

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


def save_relation(database: Database, relation: CodeRelation) -> CodeRelation:
    """Store a relation and return it as stored; an existing one between the same ends is replaced.

    Raises InvalidInput for an unknown kind, a missing end, or too many relations.
    """
    if relation.kind not in RELATION_KINDS:
        raise InvalidInput(f"{relation.kind!r} is not a relation.", f"One of: {', '.join(RELATION_KINDS)}.")
    for end in (relation.source, relation.target):
        if not end or len(end) > PATH_CHARS_MAX:
            raise InvalidInput("A relation has two ends.", "Give a path, or path:symbol, for each.")
    sanitized = relation._replace(note=sanitize_reason(relation.note))
    with database.write_transaction():
        database.execute("INSERT OR REPLACE INTO relations VALUES (?, ?, ?, ?, ?, ?, ?)", sanitized)
        if int(database.fetch_value("SELECT COUNT(*) FROM relations")) > CODE_RELATIONS_MAX:
            raise InvalidInput(f"There are {CODE_RELATIONS_MAX:,} relations already.", "Remove some first.")
    return sanitized


def delete_relation(database: Database, source: str, kind: str, target: str) -> bool:
    """Delete a relation; return whether it existed."""
    with database.write_transaction():
        cursor = database.execute(
            "DELETE FROM relations WHERE source = ? AND kind = ? AND target = ?", (source, kind, target)
        )
    return cursor.rowcount > 0


def list_relations(database: Database, path: str = "") -> list[CodeRelation]:
    """Return all relations, or those with an end in one file, oldest first."""
    condition = (
        " WHERE :p IN (source, target) OR source LIKE :q ESCAPE '\\' OR target LIKE :q ESCAPE '\\'" if path else ""
    )
    escaped_path = path.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = database.fetch_rows(
        f"SELECT * FROM relations{condition} ORDER BY at, source", {"p": path, "q": escaped_path + ":%"}
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


def reset_module(database: Database, module: str) -> int:
    """Delete every edit of a module; return how many there were."""
    with database.write_transaction():
        return database.execute("DELETE FROM module_edits WHERE module = ? OR value = ?", (module, module)).rowcount


def list_module_edits(database: Database) -> list[tuple[str, str, str]]:
    """Return all edits as (kind, module, value), oldest first."""
    return [
        (row[0], row[1], row[2])
        for row in database.fetch_rows("SELECT kind, module, value FROM module_edits ORDER BY seq")
    ]
