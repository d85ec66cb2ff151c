"""Builds the line that an agent displays as its status line, and messages for the person at a start or a turn's end.

The agent runs it again and again, so it loads as little as a hook, and like a hook it hides all errors.
"""

from __future__ import annotations

import os
import time

from holloway.config import STATUS_INPUT_BYTES_MAX, STATUS_LINE_DEADLINE_MS, data_home, deadline_factor
from holloway.hooks.deadline import leave_after
from holloway.store import status_counts
from holloway.store.panel_address import REVIEW_PAGE, find_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3


REVIEW = "holloway review"
"""How a person sees what waits, where no panel runs."""


def main() -> None:
    """Read the description of a session from stdin, print one line or nothing, exit 0."""
    try:
        leave_after(STATUS_LINE_DEADLINE_MS)
        if text := line(_read_input()):
            os.write(1, text.encode() + b"\n")
    except BaseException:  # noqa: S110  (a status line that cannot be made is left empty)
        pass
    os._exit(0)


def line(data: bytes) -> str:
    """Render the line for the session that `data` describes; empty if its folder belongs to no known project."""
    from holloway import fast_json

    about = fast_json.loads(data)
    if not isinstance(about, dict):
        return ""
    from holloway.store import registry

    folder = data_home()
    key, _ = registry.find_project_key(_folder(about), folder)
    if not key:
        return ""
    if paused := registry.get_paused_mode(folder, key):
        return "holloway: paused" if paused == "all" else f"holloway: {paused} paused"
    project, session = registry.get_project_folder(folder, key), str(about.get("session_id") or "")[:200]
    parts = [*_count_memories(os.path.join(project, "memory.db"), session), *_count_lost(project, session)]
    link = find_page(project, "")
    return f"holloway: {', '.join(parts)}{f' {link}' if link else ''}" if parts else ""


def find_review(folder: str) -> str:
    """Return how a person sees what waits: the page of the running panel, else a command."""
    return find_page(folder, REVIEW_PAGE) or REVIEW


def _folder(about: dict[str, object]) -> str:
    """Return the folder that the session works in."""
    workspace = about.get("workspace")
    inner = workspace.get("current_dir") if isinstance(workspace, dict) else ""
    named = about.get("cwd") or inner
    return named if isinstance(named, str) and named else os.getcwd()


def _count_lost(folder: str, session: str) -> list[str]:
    """List how many answers this session got in part or not at all, because the time was up."""
    from holloway.store import answer_log

    counts = answer_log.count_outcomes(answer_log.read_answers(folder, session=session)) if session else {}
    lost = (
        (counts.get(answer_log.ANSWER_DEGRADED, 0), "shortened"),
        (counts.get(answer_log.ANSWER_DROPPED, 0), "dropped"),
    )
    return [f"{count} {word}" for count, word in lost if count]


def _count_memories(database: str, session: str) -> list[str]:
    from holloway.store import lookup, status_counts

    store = lookup.open_store(database, int(STATUS_LINE_DEADLINE_MS * deadline_factor() / 3))
    if store is None:
        return []
    try:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        memories, waiting, shown_count = status_counts.load_status_counts(store, session, now)
    finally:
        store.close()
    parts = [f"{memories} memor{'y' if memories == 1 else 'ies'}"]
    parts += [f"{shown_count} shown"] if shown_count else []
    parts += [f"{waiting} to review"] if waiting else []
    return parts


def _read_input() -> bytes:
    """Read stdin up to the limit; longer input is no description of a session."""
    parts, size = [], 0
    while size <= STATUS_INPUT_BYTES_MAX and (part := os.read(0, 1 << 16)):
        size += len(part)
        parts.append(part)
    return b"".join(parts) if size <= STATUS_INPUT_BYTES_MAX else b""


def render_start(
    store: sqlite3.Connection, sessions: int, briefed: int, waiting_elsewhere: int, now: str, review: str = REVIEW
) -> str:
    """Render how much the agent was briefed with, what waits for a review, and an offer to be more careful.

    `sessions` came before this one, `briefed` counts the memories of the brief, `waiting_elsewhere` the reviews that
    wait in the user's own store; `review` says how to see them.
    """
    memories, waiting, _ = status_counts.load_status_counts(store, "", now)
    if not (sessions or memories):
        return ""
    line = "holloway: briefed"
    line += f" from {_plural(sessions, 'session')}, {_memories(briefed)}" if sessions else f" with {_memories(briefed)}"
    line += "" if briefed else "; what is known of a file comes with it"
    if waiting + waiting_elsewhere:
        line += f"; {waiting + waiting_elsewhere} to review ({review})"
    offer = status_counts.offer_lower_trust(store)
    return f"{line}; {offer}" if offer else line


def render_turn_end(store: sqlite3.Connection, session: str, review: str = REVIEW) -> str:
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
    return f"holloway: {'; '.join(parts)} ({review})" if parts else ""


def _memories(count: int) -> str:
    return f"{count} memor{'y' if count == 1 else 'ies'}"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
