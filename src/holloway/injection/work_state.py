"""Where unfinished work stands, how old that is, and what others changed since.

Plan items, failures and next steps are words of tools and pages as often as of the person, and commits are anybody's,
so they are counted and not quoted.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from holloway.config import RESUME_COMMITS_MAX, RESUME_TOKENS_MAX
from holloway.domain.memory_details import WorkState
from holloway.injection.template import line
from holloway.safety.neutralize import neutral
from holloway.safety.repository_text import only_paths
from holloway.text.citation import citation, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory


UNCOMMITTED_SHOWN = 4


def resume(memory: Memory, commits: Sequence[str], now: datetime) -> str:
    """What the next session needs to go on: how far the plan was, and what happened to the files since."""
    state = memory.details
    if not isinstance(state, WorkState):
        return ""
    lines = [_head(memory, state, now)]
    if uncommitted := only_paths(state.uncommitted):
        lines.append(line("work", "uncommitted", files=", ".join(uncommitted)))
    if commits:
        lines.append(line("work", "since", number=_counted(commits)))
    while not within(lines, RESUME_TOKENS_MAX) and len(lines) > 1:
        lines.pop()
    return "\n".join(lines)


def in_brief(memory: Memory, commits: Sequence[str], now: datetime) -> str:
    """The same in one line, for the start of a session."""
    state = memory.details
    if not isinstance(state, WorkState):
        return ""
    parts = [_head(memory, state, now)]
    uncommitted = only_paths(state.uncommitted)[:UNCOMMITTED_SHOWN]
    parts += [f"uncommitted: {', '.join(uncommitted)}"] if uncommitted else []
    parts += [f"since then: {_counted(commits)}"] if commits else []
    return "; ".join(parts)


def age(then: str, now: datetime) -> str:
    """`3 days ago`."""
    days = (now - datetime.fromisoformat(then)).days
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"


def _head(memory: Memory, state: WorkState, now: datetime) -> str:
    total = len(state.done) + len(state.open)
    counted = line("work", "counted", done=str(len(state.done)), total=str(total)) if total else ""
    return line(
        "work",
        "head",
        age=age(memory.updated_at, now),
        task=neutral(state.task),
        counted=counted,
        cited=citation(memory.id),
    )


def _counted(commits: Sequence[str]) -> str:
    shown = ", ".join(commits[:RESUME_COMMITS_MAX])
    return f"{len(commits)} commit{'s' if len(commits) > 1 else ''} ({shown})"
