"""What the person sees while an agent works: a line when a session starts, a line when a turn taught something.

The end of a turn is light; the start of a session has the whole service at hand.
"""

from __future__ import annotations

from holloway.store import status_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from holloway.service.holloway import Holloway


def at_start(memory: Holloway, sessions: int, briefed: int) -> str:
    """From how much the agent was briefed, what waits for the person, and an offer to be more careful."""
    from holloway.store.filter import Filter  # a session starts once; it may load what it needs

    if not (sessions or memory.store.memories.count(Filter())):
        return ""
    line = "holloway: briefed"
    line += (
        f" from {_counted(sessions, 'session')}, {_memories(briefed)}" if sessions else f" with {_memories(briefed)}"
    )
    line += "" if briefed else "; what is known of a file comes with it"
    if waiting := memory.count_to_review():
        line += f"; {waiting} to review (holloway review)"
    less = memory.trust.offer_more_careful()
    return f"{line}; {less}" if less else line


def at_turn_end(store: sqlite3.Connection, session: str) -> str:
    """What was learned since the last such line; empty where nothing was. Words from outside are counted, not said."""
    found = status_counts.learned(store, session)
    own = [words for words, quarantined in found if not quarantined]
    foreign = len(found) - len(own)
    said = []
    if own:
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        said.append(f"learned: {own[0]}{more}")
    if foreign:
        said.append(f"{_memories(foreign)} from outside to review")
    return f"holloway: {'; '.join(said)} (holloway review)" if said else ""


def _memories(number: int) -> str:
    return f"{number} memor{'y' if number == 1 else 'ies'}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
