"""Status counts and newly learned memories for the status line of a session; light, because hooks ask for them."""

from __future__ import annotations

from holloway.store.lookup import LOADED_BY_HOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

_COUNTS = """
SELECT
  (SELECT count(*) FROM memories WHERE deleted_at = '' AND superseded_by = ''),
  (SELECT count(*) FROM memories
   WHERE review IS NOT NULL AND review_after <= :now AND deleted_at = '' AND superseded_by = ''),
  (SELECT count(DISTINCT memory) FROM injections WHERE session = :session AND point <> :host)
"""

# A person knows what they taught or imported, and work states are shown at the next session start.
_LEARNED = """
SELECT summary, state, created_at FROM memories
WHERE created_at > :since AND deleted_at = '' AND superseded_by = ''
  AND source NOT IN ('user_taught', 'rules_file', 'foreign_file')
  AND type NOT IN ('work_state', 'work_unit_outcome')
ORDER BY created_at DESC LIMIT :limit
"""
_SINCE = """
SELECT coalesce((SELECT value FROM meta WHERE key = 'told_at'),
                (SELECT started_at FROM sessions WHERE id = ?))
"""
LEARNED_MAX = 50


def counts(connection: sqlite3.Connection, session: str, now: str) -> tuple[int, int, int]:
    """Count the memories, those that wait for review, and those that were injected into this session."""
    row = connection.execute(_COUNTS, {"session": session, "now": now, "host": LOADED_BY_HOST}).fetchone()
    return int(row[0]), int(row[1]), int(row[2])


def learned(connection: sqlite3.Connection, session: str) -> list[tuple[str, bool]]:
    """Return memories learned since the last report, or since this session began; each is reported to one caller only.

    The latest comes first, each as its summary and whether it is quarantined.
    """
    since = connection.execute(_SINCE, (session,)).fetchone()[0]
    rows = connection.execute(_LEARNED, {"since": since, "limit": LEARNED_MAX}).fetchall() if since else []
    if not rows:
        return []
    # Of hooks that end a turn at the same moment, only the one that moves the mark reports.
    mark = (
        "INSERT INTO meta VALUES ('told_at', ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value WHERE value = ?"
    )
    if not connection.execute(mark, (rows[0][2], since)).rowcount:
        return []
    return [(str(row[0]), row[1] == "quarantined") for row in rows]
