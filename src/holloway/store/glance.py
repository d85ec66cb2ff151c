"""What a person is told in a line while an agent works: a few counts, light, because hooks ask for them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

_COUNTS = """
SELECT
  (SELECT count(*) FROM memories WHERE deleted_at = '' AND superseded_by = ''),
  (SELECT count(*) FROM memories
   WHERE review IS NOT NULL AND review_after <= :now AND deleted_at = '' AND superseded_by = ''),
  (SELECT count(DISTINCT memory) FROM injections WHERE session = :session)
"""


def counts(connection: sqlite3.Connection, session: str, now: str) -> tuple[int, int, int]:
    """How many memories there are, how many wait for a person, and how many this session was shown."""
    row = connection.execute(_COUNTS, {"session": session, "now": now}).fetchone()
    return int(row[0]), int(row[1]), int(row[2])
