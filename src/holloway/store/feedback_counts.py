"""Feedback counts: how many injected memories people confirmed or corrected, from which trust is computed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.store.lookup import LOADED_BY_HOST, build_session_condition
from holloway.store.memories import CORRECTED_KINDS
from holloway.store.status_counts import FLAGGED_KINDS

if TYPE_CHECKING:
    from holloway.store.database import Database

# Sessions from before the database was created were read from transcripts: no memory was injected in them.
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
_CORRECTED_IN = f"""
SELECT count(DISTINCT m.seq)
FROM injections i JOIN memories m ON m.id = i.memory
JOIN memory_history h ON h.seq = m.seq AND h.at >= i.at AND h.kind IN (SELECT value FROM json_each(:kinds))
WHERE {build_session_condition(":session")}
"""


@dataclass(frozen=True, slots=True)
class FeedbackCounts:
    """Finished sessions, memories injected into them, and how many of those were confirmed or corrected."""

    sessions: int = 0
    shown: int = 0
    confirmed: int = 0
    """By a person, or because independent sessions agreed."""
    corrected: int = 0
    """By a person, after the injection: marked wrong, forgotten or edited."""


def count_feedback(database: Database) -> FeedbackCounts:
    """Count the feedback on all injected memories since the database was created."""
    row = database.fetch_rows(_SHOWN, (json.dumps(CORRECTED_KINDS),))[0]
    return FeedbackCounts(int(database.fetch_value(_SESSIONS)), row["shown"], row["confirmed"], row["corrected"])


def count_corrected_in_session(database: Database, session: str) -> int:
    """Count the memories that a person or the agent corrected after they were injected into a session."""
    kinds = json.dumps((*CORRECTED_KINDS, *FLAGGED_KINDS))
    return int(database.fetch_value(_CORRECTED_IN, {"session": session, "kinds": kinds}))


def count_flagged_in_session(database: Database, session: str) -> int:
    """Count the memories that were flagged as wrong after they were injected into a session."""
    return int(database.fetch_value(_CORRECTED_IN, {"session": session, "kinds": json.dumps(FLAGGED_KINDS)}))
