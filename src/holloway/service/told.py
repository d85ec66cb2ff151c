"""Texts that agents were told, word for word: listed for a person, and noted for answers that no hook gave."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.domain.codec import encode
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.service import agents
from holloway.store import told_log, told_texts

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway
    from holloway.store.told_texts import ToldText

TOLD_ROWS = 50
TOLD_ROWS_LISTED_MAX = 1_000
MCP_POINT = "mcp"
"""The point of an answer that an agent asked the MCP server for."""
_END_OF_TIME = "9999"
_KEY_CHARS_MAX = 60


@dataclass(frozen=True, slots=True)
class ToldPage:
    """One page of told texts, newest first, and the key of the page after it; the key is empty on the last page."""

    texts: tuple[ToldText, ...]
    next_key: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the page as JSON fields."""
        return {"texts": [encode(text) for text in self.texts], "next_key": self.next_key}


def list_told_texts(
    memory: Holloway, *, session: str = "", since: str = "", after: str = "", limit: int = TOLD_ROWS
) -> ToldPage:
    """Return what agents were told, newest first: in one session, since a time, and after the key of a page.

    Raises InvalidInput for a broken key.
    """
    database = memory.store.database
    told_texts.collect_told(database, memory.project.folder)
    limit = max(1, min(limit, TOLD_ROWS_LISTED_MAX))
    rows = told_texts.list_told_before(database, _parse_key(after), limit + 1, session=session, since=since)
    page = tuple(rows[:limit])
    return ToldPage(page, f"{page[-1].at}~{page[-1].id}" if len(rows) > limit else "")


def _parse_key(after: str) -> tuple[str, int]:
    if not after:
        return _END_OF_TIME, 0
    at, _, number = after[:_KEY_CHARS_MAX].rpartition("~")
    if not (number.isascii() and number.isdigit() and at[:4].isdigit()) or int(number) >= 2**63:
        raise InvalidInput("This is not the key of a page.", "Use the key that the page before it has.")
    return at, int(number)


def note_told(memory: Holloway, session: str, agent: str, tool: str, text: str) -> None:
    """Note the answer of an MCP tool, for the session that hooks watch or else for the connection.

    Nothing is noted while injection or capture is paused.
    """
    if not text or any(agents.read_pauses(memory)):
        return
    watched = agents.find_watched_session(memory, agent) or session
    with suppress(OSError):  # a full disk does not keep the agent from its answer
        told_log.append_told(
            str(memory.project.folder),
            at=format_stamp(memory.clock.now()),
            session=watched,
            point=MCP_POINT,
            text=text,
            event=tool,
        )
