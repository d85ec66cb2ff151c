"""The activity of a project, newest first: its sessions, and what people did with memories."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.memory import Source
from holloway.store.lookup import IS_SESSION

if TYPE_CHECKING:
    from holloway.store.database import Database

PERSON_KINDS = (
    "confirmed",
    "edited",
    "wrong",
    "forgotten",
    "restored",
    "pinned",
    "unpinned",
    "muted",
    "unmuted",
    "excluded",
    "undone",
)
"""Kinds of history entries that a person makes."""
MEMORIES_NAMED_MAX = 3

_SESSIONS = f"""
SELECT s.id, s.agent, s.task, s.outcome, s.branch, s.started_at, s.last_event_at AS at,
  (SELECT count(*) FROM memories m WHERE m.session = s.id AND m.session <> '' AND m.source <> :taught) AS learned
FROM sessions s
WHERE {IS_SESSION} AND (s.last_event_at, s.id) < (:before, :name)
ORDER BY s.last_event_at DESC, s.id DESC LIMIT :limit
"""
# Entries of one minute and kind are one activity: a person who confirms a page of memories does one thing.
_CORRECTIONS = """
SELECT h.kind, max(h.at) AS at, count(DISTINCT h.seq) AS memories, json_group_array(DISTINCT h.seq) AS seqs
FROM memory_history h
WHERE h.at >= :since AND h.kind IN (SELECT value FROM json_each(:kinds))
GROUP BY substr(h.at, 1, 16), h.kind HAVING (max(h.at), h.kind) < (:before, :name)
ORDER BY at DESC, h.kind DESC LIMIT :limit
"""
_TAUGHT = """
SELECT 'taught' AS kind, max(m.created_at) AS at, count(*) AS memories, json_group_array(m.seq) AS seqs
FROM memories m
WHERE m.created_at >= :since AND m.source = :taught
GROUP BY substr(m.created_at, 1, 16) HAVING (max(m.created_at), 'taught') < (:before, :name)
ORDER BY at DESC LIMIT :limit
"""


class SessionActivityRow(NamedTuple):
    """A session, with the number of memories that came from it."""

    id: str
    agent: str
    task: str
    outcome: str
    branch: str
    started_at: str
    at: str
    learned: int


class PersonActivityRow(NamedTuple):
    """One action of a person on one or several memories within a minute, and the row numbers of the memories."""

    kind: str
    at: str
    memories: int
    seqs: tuple[int, ...]


def list_sessions_before(database: Database, before: tuple[str, str], limit: int) -> list[SessionActivityRow]:
    """Return the latest sessions before a key of time and name, newest first; a session's name is its id."""
    values = {"before": before[0], "name": before[1], "limit": limit, "taught": Source.USER_TAUGHT}
    return [SessionActivityRow(*row) for row in database.fetch_rows(_SESSIONS, values)]


def list_person_activities(
    database: Database, since: str, before: tuple[str, str], limit: int
) -> list[PersonActivityRow]:
    """Return what people did with memories since a time and before a key of time and kind, newest first."""
    values = {"since": since, "before": before[0], "name": before[1], "limit": limit}
    rows = [
        *database.fetch_rows(_CORRECTIONS, {**values, "kinds": json.dumps(PERSON_KINDS)}),
        *database.fetch_rows(_TAUGHT, {**values, "taught": Source.USER_TAUGHT}),
    ]
    activities = [
        PersonActivityRow(row["kind"], row["at"], row["memories"], tuple(json.loads(row["seqs"])[:MEMORIES_NAMED_MAX]))
        for row in rows
    ]
    return sorted(activities, key=lambda activity: (activity.at, activity.kind), reverse=True)[:limit]
