"""Where unfinished work stands, how old that is, and what others changed since."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from holloway.config import RESUME_COMMITS_MAX, RESUME_TOKENS_MAX
from holloway.domain.details import WorkState
from holloway.injection.template import line
from holloway.safety.instructions import neutral
from holloway.safety.secrets import redact
from holloway.text.citation import citation, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory

Change = tuple[str, str, str]
"""A commit: its short hash, its author and its subject."""


def resume(memory: Memory, changes: Sequence[Change], now: datetime) -> str:
    """What the next session needs to go on: plan, failure, next step, and what happened to the files since."""
    state = memory.details
    if not isinstance(state, WorkState):
        return ""
    lines = [_head(memory, state, now)]
    for name, slot, said in (
        ("done", "steps", "; ".join(state.done)),
        ("open", "steps", "; ".join(state.open)),
        ("uncommitted", "files", ", ".join(state.uncommitted)),
        ("failure", "failure", state.last_failure),
        ("next", "step", state.next_step),
    ):
        if said:
            lines.append(line("work", name, **{slot: neutral(said)}))
    lines += _since(changes)
    while not within(lines, RESUME_TOKENS_MAX) and len(lines) > 1:
        lines.pop()
    return "\n".join(lines)


def in_brief(memory: Memory, changes: Sequence[Change], now: datetime) -> str:
    """The same in one line, for the start of a session."""
    state = memory.details
    if not isinstance(state, WorkState):
        return ""
    parts = [_head(memory, state, now)]
    parts += [f"uncommitted: {neutral(', '.join(state.uncommitted[:4]))}"] if state.uncommitted else []
    parts += [f"last failure: {neutral(state.last_failure)}"] if state.last_failure else []
    parts += [f"since then: {_counted(changes)}"] if changes else []
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


def _since(changes: Sequence[Change]) -> list[str]:
    if not changes:
        return []
    told = [
        line("work", "commit", sha=sha, author=neutral(author), subject=neutral(redact(subject)[0]))
        for sha, author, subject in changes[:RESUME_COMMITS_MAX]
    ]
    return [line("work", "since", number=_counted(changes)), *told]


def _counted(changes: Sequence[Change]) -> str:
    people = ", ".join(sorted({neutral(author) for _, author, _ in changes})[:3])
    return f"{len(changes)} commit{'s' if len(changes) > 1 else ''} by {people}"
