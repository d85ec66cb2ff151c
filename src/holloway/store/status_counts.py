"""Counts for the lines that a person reads while an agent works. Light: hooks load this."""

from __future__ import annotations

from holloway import fast_json
from holloway.config import TRUST_NAMES, trust_override
from holloway.store.lookup import IS_SESSION, LOADED_BY_HOST, build_session_condition, read_trust_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

_COUNTS = """
SELECT
  (SELECT count(*) FROM memories WHERE deleted_at = '' AND superseded_by = ''),
  (SELECT count(*) FROM memories
   WHERE review IS NOT NULL AND review_after <= :now AND deleted_at = '' AND superseded_by = '')
  + (SELECT count(*) FROM relations WHERE origin = 'agent'),
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

FLAGGED_KINDS = ("wrong", "disputed")
"""Feedback by a person, or by the agent that was shown the memory."""
FLAGGED_IN_A_SESSION = 3
"""After this many wrong memories in one session, a more careful trust level is offered."""
FLAGGED_SESSIONS = 10
"""Latest sessions that are searched for wrong memories."""
_FLAGGED = f"""
SELECT count(DISTINCT m.seq) AS flagged
FROM (SELECT id FROM sessions s WHERE {IS_SESSION} ORDER BY started_at DESC LIMIT :latest) s
JOIN injections i ON {build_session_condition("s.id")}
JOIN memories m ON m.id = i.memory
JOIN memory_history h ON h.seq = m.seq AND h.at >= i.at AND h.at > :since
     AND h.kind IN (SELECT value FROM json_each(:kinds))
GROUP BY s.id ORDER BY flagged DESC LIMIT 1
"""


def load_status_counts(connection: sqlite3.Connection, session: str, now: str) -> tuple[int, int, int]:
    """Count the memories, those that wait for review, and those that were injected into this session."""
    row = connection.execute(_COUNTS, {"session": session, "now": now, "host": LOADED_BY_HOST}).fetchone()
    return int(row[0]), int(row[1]), int(row[2])


def claim_learned_memories(connection: sqlite3.Connection, session: str) -> list[tuple[str, bool]]:
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


def count_most_flagged(connection: sqlite3.Connection) -> int:
    """Return the most memories of one recent session that were called wrong since the trust level was settled."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'trust_settled_at'").fetchone()
    values = {"latest": FLAGGED_SESSIONS, "since": row[0] if row else "", "kinds": fast_json.dumps(FLAGGED_KINDS)}
    flagged = connection.execute(_FLAGGED, values).fetchone()
    return int(flagged[0]) if flagged else 0


def offer_lower_trust(connection: sqlite3.Connection) -> str:
    """Offer a more careful trust level after too many wrong memories; empty if there is no reason to."""
    level = trust_override() or read_trust_level(connection)
    if level <= min(TRUST_NAMES):
        return ""
    flagged = count_most_flagged(connection)
    return describe_lower_trust(level, flagged) if flagged >= FLAGGED_IN_A_SESSION else ""


def describe_lower_trust(level: int, flagged: int) -> str:
    """Describe the offer of the next lower trust level."""
    name = TRUST_NAMES[level - 1]
    return f"{flagged} memories of one session were wrong: `holloway trust {name}` shows fewer and surer ones"
