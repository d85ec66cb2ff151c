"""The hook's reads: plain rows, `sqlite3` and `json` only, within a deadline, silent where something is amiss."""

from __future__ import annotations

import json
import os
import sqlite3

from holloway.config import INJECTION_THRESHOLDS

SCHEMA_VERSION = 12
"""The schema that these queries know; a file of another version is left alone by hooks."""

LOADED_BY_HOST = "host"
"""The point of a memory that the agent has from its host: it is not shown, and not used either."""

# What may be shown to an agent unasked: living, not quarantined, of this branch, sure enough for the trust level, and
# not shown in this session yet.
_SHOWABLE = """
m.deleted_at = '' AND m.superseded_by = '' AND m.state <> 'quarantined'
    AND (m.branch_only = '' OR m.branch_only = :branch)
    AND (:level > 1 OR m.state = 'confirmed' OR m.source IN ('user_taught', 'error_fix'))
    AND (m.pinned = 1 OR m.state = 'confirmed' OR :least < m.confidence * CASE WHEN m.half_life_days IS NULL THEN 1
         ELSE pow(0.5, :fades * max(0, julianday(:now) - julianday(m.last_used_at)) / m.half_life_days) END)
    AND m.id NOT IN (SELECT memory FROM injections WHERE session = :session AND context = :context)
"""
_COLUMNS = "m.id, m.type, m.summary, m.state, m.source, m.sessions, m.created_at, m.updated_at"

# Traps are worth saying unasked when a file is opened, and so is what a person tied to a file, whatever its type.
# The inner query reads the two indexes only; whole rows are fetched for the few that are shown.
_TRAPS = f"""
SELECT {_COLUMNS}, chosen.path
FROM (
  SELECT m.seq, f.path
  FROM memory_files f JOIN memories m INDEXED BY memories_lookup ON m.seq = f.seq
  WHERE f.path IN (SELECT value FROM json_each(:paths)) AND {_SHOWABLE}
    AND (m.type IN ('gotcha', 'dead_end', 'error_pattern', 'causal_dependency') OR m.pinned = 1
         OR m.source = 'user_taught')
  ORDER BY m.pinned DESC, m.type = 'dead_end' DESC, m.confidence DESC, m.seq DESC
  LIMIT :limit
) chosen JOIN memories m ON m.seq = chosen.seq
ORDER BY m.pinned DESC, m.type = 'dead_end' DESC, m.confidence DESC, m.seq DESC
"""

# A search of the agent's own is answered where a memory has all of its words.
_ANSWERS = f"""
SELECT {_COLUMNS}, '' AS path
FROM (SELECT rowid AS seq, rank FROM memories_fts WHERE memories_fts MATCH :words ORDER BY rank LIMIT :looked_at) hit
JOIN memories m ON m.seq = hit.seq
WHERE {_SHOWABLE}
ORDER BY m.pinned DESC, hit.rank, m.seq DESC
LIMIT :limit
"""
_ANSWERS_LOOKED_AT = 50

_FIXES = f"""
SELECT {_COLUMNS}, '' AS path
FROM memories m INDEXED BY memories_errors
WHERE m.type = 'error_pattern' AND {_SHOWABLE}
  AND CASE WHEN json_valid(m.details) THEN json_extract(m.details, '$.fingerprint') END
      IN (SELECT value FROM json_each(:errors))
ORDER BY m.pinned DESC, m.confidence DESC, m.seq DESC
LIMIT :limit
"""

# What a few memories name: the details of each, and its files.
_NAMED = """
SELECT m.id, m.details, (SELECT json_group_array(f.path) FROM memory_files f WHERE f.seq = m.seq) AS files
FROM memories m WHERE m.id IN (SELECT value FROM json_each(:ids))
"""

_UNSEEN = f"""
SELECT {_COLUMNS}, '' AS path
FROM memories m
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND {_SHOWABLE}
ORDER BY m.pinned DESC, m.type = 'dead_end' DESC, m.confidence DESC, m.seq DESC
"""


RULES = ("decision", "requirement", "preference")
TRAPS = ("gotcha", "dead_end", "error_pattern")

# What is told when a session starts: pinned, or confirmed and brought by no file and no host.
_GENERAL = f"""
SELECT {_COLUMNS}, '' AS path
FROM memories m
WHERE m.type IN (SELECT value FROM json_each(:types)) AND {_SHOWABLE}
  AND (m.pinned = 1 OR (m.state = 'confirmed' AND m.source <> 'rules_file'
       AND NOT EXISTS (SELECT 1 FROM memory_files f WHERE f.seq = m.seq)))
ORDER BY m.pinned DESC, m.confidence DESC, m.seq DESC
LIMIT :limit
"""


def open_store(path: str, timeout_ms: int) -> sqlite3.Connection | None:
    """A store for a hook, or None where there is none, or it is of another version."""
    if not os.path.exists(path):
        return None
    connection = sqlite3.connect(path, isolation_level=None, timeout=timeout_ms / 1000)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = NORMAL")
        if connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
            connection.create_function("pow", 2, pow, deterministic=True)
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


class Shown:
    """To whom memories would be shown, and when; a plain class, because a dataclass costs a hook milliseconds."""

    __slots__ = ("asked", "branch", "context", "level", "now", "session")

    def __init__(self, *, session: str, context: int, branch: str, now: str, level: int, asked: bool = False) -> None:
        self.session = session
        self.context = context
        self.branch = branch
        self.now = now
        self.level = level
        self.asked = asked
        """Whether somebody asked for it: then the cautious level is only as strict as its threshold."""

    def values(self) -> dict[str, object]:
        """As the queries name them."""
        return {
            "session": self.session,
            "context": self.context,
            "branch": self.branch,
            "now": self.now,
            "level": max(self.level, 2) if self.asked else self.level,
            "least": INJECTION_THRESHOLDS[self.level],
            "fades": 1,
        }


def traps(connection: sqlite3.Connection, paths: list[str], to: Shown, limit: int) -> list[dict[str, object]]:
    """The memories about these files that this session has not been shown, the most telling first."""
    values = to.values() | {"paths": json.dumps(paths), "limit": limit}
    return [dict(row) for row in connection.execute(_TRAPS, values)]


def answers(connection: sqlite3.Connection, words: list[str], to: Shown, limit: int) -> list[dict[str, object]]:
    """The memories that have all these words, for a search that they may answer; none where there are no words."""
    if not words or any("\0" in word for word in words):
        return []
    quoted = " AND ".join('"' + word.replace('"', '""') + '"' for word in words)
    values = to.values() | {"words": quoted, "looked_at": _ANSWERS_LOOKED_AT, "limit": limit}
    return [dict(row) for row in connection.execute(_ANSWERS, values)]


def fixes(connection: sqlite3.Connection, errors: list[str], to: Shown, limit: int) -> list[dict[str, object]]:
    """The memories of errors with these fingerprints: what solved them before, however long ago."""
    values = to.values() | {"errors": json.dumps(errors), "limit": limit, "fades": 0}
    return [dict(row) for row in connection.execute(_FIXES, values)]


def named(connection: sqlite3.Connection, ids: list[str]) -> dict[str, tuple[dict[str, object], list[str]]]:
    """The details and the files of these memories, by their ids."""
    found = {}
    for row in connection.execute(_NAMED, {"ids": json.dumps(ids)}):
        try:
            details = json.loads(row["details"] or "{}")
        except ValueError:
            details = {}
        found[row["id"]] = (details if isinstance(details, dict) else {}, json.loads(row["files"]))
    return found


def unseen(connection: sqlite3.Connection, ids: list[str], to: Shown) -> list[dict[str, object]]:
    """Those of these memories that may be shown and have not been, the most telling first."""
    values = to.values() | {"ids": json.dumps(ids)}
    return [dict(row) for row in connection.execute(_UNSEEN, values)]


def allowed(connection: sqlite3.Connection, memory: str, to: Shown) -> bool:
    """Whether a memory may be shown at this trust level, also if it was shown before."""
    values = to.values() | {"ids": json.dumps([memory]), "session": ""}
    return connection.execute(_UNSEEN, values).fetchone() is not None


def general(connection: sqlite3.Connection, types: tuple[str, ...], to: Shown, limit: int) -> list[dict[str, object]]:
    """The memories of these types that hold for the whole project, the most telling first."""
    values = to.values() | {"types": json.dumps(types), "limit": limit}
    return [dict(row) for row in connection.execute(_GENERAL, values)]


def trust_level(connection: sqlite3.Connection) -> int:
    """The project's trust level, as the last command left it."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'trust_level'").fetchone()
    level = int(row[0]) if row else 1
    return level if level in INJECTION_THRESHOLDS else 1


def context_of(connection: sqlite3.Connection, session: str) -> int:
    """How often the host has compacted this session's context; what was shown before that is forgotten."""
    row = connection.execute("SELECT context FROM sessions WHERE id = ?", (session,)).fetchone()
    return int(row[0]) if row else 0


def last_heard(connection: sqlite3.Connection, session: str) -> str:
    """When this session was last told or did something; empty for one that nobody knows."""
    row = connection.execute("SELECT last_event_at FROM sessions WHERE id = ?", (session,)).fetchone()
    return str(row[0]) if row else ""


def see_session(connection: sqlite3.Connection, session: str, agent: str, now: str, *, compacted: bool = False) -> int:
    """Open a session in the ledger, or note that it goes on; after compaction a new context begins. Returns it."""
    connection.execute(
        "INSERT INTO sessions(id, agent, started_at, last_event_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT(id) DO UPDATE SET last_event_at = excluded.last_event_at, context = context + ?",
        (session, agent, now, now, int(compacted)),
    )
    return context_of(connection, session)


def living(connection: sqlite3.Connection, memory: str) -> dict[str, object]:
    """The details of a memory that is in force; none where it was taken out, replaced or set aside."""
    found = connection.execute(
        "SELECT details FROM memories "
        "WHERE id = ? AND deleted_at = '' AND superseded_by = '' AND state <> 'quarantined'",
        (memory,),
    )
    row = found.fetchone()
    try:
        details = json.loads(row[0] or "{}") if row else {}
    except ValueError:
        return {}
    return details if isinstance(details, dict) else {}


def loaded_by_host(connection: sqlite3.Connection, path: str, *, session: str, agent: str, now: str) -> None:
    """The host has loaded a rules file into this session: what was read from it is not shown, and not used either."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        context = see_session(connection, session, agent, now)
        connection.execute(
            "INSERT OR IGNORE INTO injections(session, context, memory, point, at, counted) "
            "SELECT ?, ?, id, ?, ?, 1 FROM memories WHERE source = 'rules_file' AND substr(origin, 1, length(?)) = ?",
            (session, context, LOADED_BY_HOST, now, f"rules:{path}#", f"rules:{path}#"),
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def claim(
    connection: sqlite3.Connection,
    ids: list[str],
    *,
    session: str,
    agent: str,
    point: str,
    now: str,
    compacted: bool = False,
) -> list[str]:
    """Write down that this session is shown these memories; returns those that no parallel hook showed first."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        context = see_session(connection, session, agent, now, compacted=compacted)
        won = [
            memory
            for memory in ids
            if connection.execute(
                "INSERT OR IGNORE INTO injections(session, context, memory, point, at) VALUES (?, ?, ?, ?, ?)",
                (session, context, memory, point, now),
            ).rowcount
        ]
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return won
