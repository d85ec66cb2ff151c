"""How people took what agents were shown, in counts: what trust is earned by."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.store.lookup import LOADED_BY_HOST
from holloway.store.memories import CORRECTED_KINDS, FLAGGED_KINDS
from holloway.store.session_ledger import WHOLE, of_session

if TYPE_CHECKING:
    from holloway.store.database import Database

SESSIONS_LOOKED_AT = 10

# Sessions from before the memory was made were read from transcripts: nobody could have been shown anything in them.
_SESSIONS = """
SELECT count(*) FROM sessions WHERE outcome <> '' AND started_at >= (SELECT coalesce(min(at), '') FROM migrations)
"""
_SHOWN = f"""
SELECT count(*) AS shown,
  coalesce(sum(m.state = 'confirmed'), 0) AS confirmed,
  coalesce(sum(EXISTS (SELECT 1 FROM memory_history h WHERE h.seq = m.seq AND h.at >= i.at
                       AND h.kind IN (SELECT value FROM json_each(?)))), 0) AS corrected
FROM (SELECT memory, min(at) AS at FROM injections WHERE point <> '{LOADED_BY_HOST}' GROUP BY memory) i
JOIN memories m ON m.id = i.memory
"""
_FLAGGED = f"""
SELECT count(DISTINCT m.seq) AS flagged
FROM (SELECT id FROM sessions s WHERE {WHOLE} ORDER BY started_at DESC LIMIT :latest) s
JOIN injections i ON {of_session("s.id")}
JOIN memories m ON m.id = i.memory
JOIN memory_history h ON h.seq = m.seq AND h.at >= i.at AND h.at > :since
     AND h.kind IN (SELECT value FROM json_each(:kinds))
GROUP BY s.id ORDER BY flagged DESC LIMIT 1
"""

_CORRECTED_IN = f"""
SELECT count(DISTINCT m.seq)
FROM injections i JOIN memories m ON m.id = i.memory
JOIN memory_history h ON h.seq = m.seq AND h.at >= i.at AND h.kind IN (SELECT value FROM json_each(:kinds))
WHERE {of_session(":session")}
"""


@dataclass(frozen=True, slots=True)
class Regard:
    """Sessions that were watched and learned from, memories that they were shown, and what became of those."""

    sessions: int = 0
    shown: int = 0
    confirmed: int = 0
    """By a person, or because sessions agreed on their own."""
    corrected: int = 0
    """By a person, after they were shown: marked wrong, forgotten or rewritten."""


def regard(database: Database) -> Regard:
    """All of it, from the first day on."""
    row = database.rows(_SHOWN, (json.dumps(CORRECTED_KINDS),))[0]
    return Regard(int(database.value(_SESSIONS)), row["shown"], row["confirmed"], row["corrected"])


def corrected_in(database: Database, session: str) -> int:
    """How many memories that a session was shown were corrected, by a person or by its agent, after that."""
    kinds = json.dumps((*CORRECTED_KINDS, *FLAGGED_KINDS))
    return int(database.value(_CORRECTED_IN, {"session": session, "kinds": kinds}))


def flagged_in(database: Database, session: str) -> int:
    """How many memories that a session was shown were called wrong after that."""
    return int(database.value(_CORRECTED_IN, {"session": session, "kinds": json.dumps(FLAGGED_KINDS)}))


def most_flagged(database: Database, since: str) -> int:
    """The most memories of one session, of the latest ones, that were called wrong after a moment."""
    values = {"latest": SESSIONS_LOOKED_AT, "since": since, "kinds": json.dumps(FLAGGED_KINDS)}
    return int(database.value(_FLAGGED, values) or 0)
