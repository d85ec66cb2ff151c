"""What an agent reads between two steps: rarely anything, and what is said is worth its tokens. Light, under 5 ms."""

from __future__ import annotations

from holloway.config import (
    STEP_MEMORIES_MAX,
    STEP_TOKENS_MAX,
    STEP_TOKENS_PER_SESSION_MAX,
    STEPS_WITHOUT_WORD,
)
from holloway.injection import known_facts
from holloway.injection.template import line
from holloway.injection.tool_result import render
from holloway.safety.neutralize import neutral
from holloway.text.citation import within
from holloway.text.tokens import MARGIN, estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from holloway.store.lookup import Shown

NOTHING: tuple[str, str, list[str]] = ("", "", [])


class State:
    """What happened since the last step, and what was said before. A plain class: hooks load this."""

    __slots__ = ("due", "files", "notes", "searches", "seen", "spent", "step")

    def __init__(
        self,
        *,
        step: int,
        spent: float,
        files: Sequence[str] = (),
        notes: Sequence[str] = (),
        searches: Sequence[str] = (),
        due: str = "",
        seen: Collection[str] = (),
    ) -> None:
        self.step = step
        self.spent = spent
        self.files = files
        self.notes = notes
        self.searches = searches
        self.due = due
        self.seen = seen
        """Ids of memories that the agent has read elsewhere."""


def decide(
    connection: sqlite3.Connection, state: State, to: Shown, root: str, gone: list[str] | None = None
) -> tuple[str, str, list[str]]:
    """The first of four things that there is to say: which one it is, its text, and the ids of the memories in it.

    Traps of files in play; the agent's own new notes; the answer to a search; the next step of a recipe.
    """
    left = min(STEP_TOKENS_MAX, STEP_TOKENS_PER_SESSION_MAX - state.spent)
    early = state.step <= STEPS_WITHOUT_WORD
    if traps := _traps(connection, state, to, root, only_dead_ends=early or left <= 0, gone=gone):
        text, ids = render(traps, int(left if left > 0 else STEP_TOKENS_MAX))
        if not ids and left < STEP_TOKENS_MAX:
            text, ids = render([row for row in traps if row["type"] == "dead_end"], STEP_TOKENS_MAX)
        if ids:
            return "traps", text, ids
    if early or left <= 0:
        return NOTHING
    if said := _noted(state.notes, int(left)):
        return "notes", said, []
    for pattern in state.searches:
        text, ids = render(_unread(known_facts.on_search(connection, pattern, to, root, 1, gone), state), int(left))
        if ids:
            return "answer", text, ids
    return ("recipe", state.due, []) if state.due and within([state.due], int(left)) else NOTHING


def cost(text: str) -> float:
    """Tokens of a text, as budgets count them."""
    return estimate(text) * MARGIN


def _traps(
    connection: sqlite3.Connection,
    state: State,
    to: Shown,
    root: str,
    *,
    only_dead_ends: bool,
    gone: list[str] | None,
) -> list[dict[str, object]]:
    if not state.files:
        return []
    rows = _unread(known_facts.on_files(connection, list(state.files), to, root, STEP_MEMORIES_MAX, gone), state)
    return [row for row in rows if row["type"] == "dead_end"] if only_dead_ends else rows


def _unread(rows: list[dict[str, object]], state: State) -> list[dict[str, object]]:
    return [row for row in rows if row["id"] not in state.seen]


def _noted(notes: Sequence[str], tokens: int) -> str:
    """The agent's own notes, the latest of them if not all fit."""
    for first in range(len(notes)):
        lines = [line("step", "notes"), *(line("step", "note", text=neutral(text)) for text in notes[first:])]
        if within(lines, tokens):
            return "\n".join(lines)
    return ""
