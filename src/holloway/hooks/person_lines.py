"""The lines that a person sees while an agent works: at the start of a session, and after a turn that taught something.

Light.
"""

from __future__ import annotations

from holloway.store import status_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3


def render_start(store: sqlite3.Connection, sessions: int, briefed: int, waiting_elsewhere: int, now: str) -> str:
    """Render how much the agent was briefed with, what waits for a review, and an offer to be more careful.

    `sessions` came before this one, `briefed` counts the memories of the brief, `waiting_elsewhere` the reviews that
    wait in the user's own store.
    """
    memories, waiting, _ = status_counts.load_status_counts(store, "", now)
    if not (sessions or memories):
        return ""
    line = "holloway: briefed"
    line += f" from {_plural(sessions, 'session')}, {_memories(briefed)}" if sessions else f" with {_memories(briefed)}"
    line += "" if briefed else "; what is known of a file comes with it"
    if waiting + waiting_elsewhere:
        line += f"; {waiting + waiting_elsewhere} to review (holloway review)"
    offer = status_counts.offer_lower_trust(store)
    return f"{line}; {offer}" if offer else line


def render_turn_end(store: sqlite3.Connection, session: str) -> str:
    """Render what was learned since the last such line; empty if nothing was. Untrusted text is counted, not shown."""
    learned = status_counts.claim_learned_memories(store, session)
    trusted = [text for text, is_quarantined in learned if not is_quarantined]
    untrusted_count = len(learned) - len(trusted)
    parts = []
    if trusted:
        more = f" and {len(trusted) - 1} more" if len(trusted) > 1 else ""
        parts.append(f"learned: {trusted[0]}{more}")
    if untrusted_count:
        parts.append(f"{_memories(untrusted_count)} from outside to review")
    return f"holloway: {'; '.join(parts)} (holloway review)" if parts else ""


def _memories(count: int) -> str:
    return f"{count} memor{'y' if count == 1 else 'ies'}"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
