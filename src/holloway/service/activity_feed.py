"""The activity feed of a project: sessions, what they learned, and what people corrected, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from holloway.domain.codec import encode
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.safety.repository_text import admit
from holloway.store import activity
from holloway.text.sanitize import first_paragraph, one_line

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway
    from holloway.store.activity import PersonActivityRow, SessionActivityRow

FEED_DAYS = 180
"""How far back the corrections of people are listed."""
FEED_ROWS = 20
FEED_ROWS_MAX = 200
TITLE_CHARS_MAX = 200
KEY_CHARS_MAX = 500
_END_OF_TIME = "9999"


class ActivityKind(StrEnum):
    """The kinds of activity."""

    SESSION = "session"
    TAUGHT = "taught"
    CONFIRMED = "confirmed"
    EDITED = "edited"
    WRONG = "wrong"
    FORGOTTEN = "forgotten"
    RESTORED = "restored"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    MUTED = "muted"
    UNMUTED = "unmuted"
    EXCLUDED = "excluded"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class NamedMemory:
    """A memory by its id and summary."""

    id: str
    summary: str


@dataclass(frozen=True, slots=True)
class Activity:
    """One activity. A session has its title, agent and outcome; anything else has the memories that it changed."""

    kind: ActivityKind
    at: str
    key: str
    count: int
    """Memories that were learned from the session, or changed."""
    memories: tuple[NamedMemory, ...] = ()
    """The first of them."""
    session: str = ""
    title: str = ""
    agent: str = ""
    outcome: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class ActivityPage:
    """One page of the feed, and the key of the page after it; the key is empty on the last page."""

    activities: tuple[Activity, ...]
    next_key: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the page as JSON fields; names of branches that read as sentences are left out."""
        entries = [encode(entry) | {"branch": admit("branch", entry.branch)} for entry in self.activities]
        return {"activities": entries, "next_key": self.next_key}


def list_activities(memory: Holloway, *, after: str = "", limit: int = FEED_ROWS) -> ActivityPage:
    """Return the page of the feed that follows a key, or the first one. Raises InvalidInput for a broken key."""
    limit = max(1, min(limit, FEED_ROWS_MAX))
    before = _parse_key(after)
    since = format_stamp(memory.clock.now() - timedelta(days=FEED_DAYS))
    database = memory.store.database
    with database.read_snapshot():
        sessions = activity.list_sessions_before(database, before, limit + 1)
        corrections = activity.list_person_activities(database, since, before, limit + 1)
        entries = [
            *map(_describe_session, sessions),
            *(_describe_correction(memory, correction) for correction in corrections),
        ]
    entries.sort(key=lambda entry: entry.key, reverse=True)
    page = tuple(entries[:limit])
    return ActivityPage(page, page[-1].key if len(entries) > limit else "")


def _parse_key(after: str) -> tuple[str, str]:
    if not after:
        return _END_OF_TIME, ""
    at, separator, name = after.partition("~")
    if not separator or not at[:4].isdigit() or len(after) > KEY_CHARS_MAX or "\0" in after:
        raise InvalidInput("This is not the key of a page.", "Use the key that the page before it has.")
    return at, name


def _describe_session(row: SessionActivityRow) -> Activity:
    return Activity(
        ActivityKind.SESSION,
        row.at,
        f"{row.at}~{row.id}",
        row.learned,
        session=row.id,
        title=one_line(first_paragraph(row.task), TITLE_CHARS_MAX),
        agent=row.agent,
        outcome=row.outcome,
        branch=row.branch,
    )


def _describe_correction(memory: Holloway, row: PersonActivityRow) -> Activity:
    memories = memory.store.memories.get_by_seqs(row.seqs)
    named = tuple(NamedMemory(memories[seq].id, memories[seq].summary) for seq in row.seqs if seq in memories)
    return Activity(ActivityKind(row.kind), row.at, f"{row.at}~{row.kind}", row.memories, named)
