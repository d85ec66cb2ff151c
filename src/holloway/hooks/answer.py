"""What a hook says back, by event. Tool events stay light; a session's start may load the whole service."""

from __future__ import annotations

import os

from holloway import git
from holloway.config import (
    HOOK_START_DEADLINE_MS,
    HOOK_TOOL_DEADLINE_MS,
    TOOL_RESULT_MEMORIES_MAX,
    home,
    patience,
    trust_override,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holloway.service.holloway import Holloway

FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")


def file_of(event: dict[str, object]) -> str:
    """The file that a tool event is about, as the host names it."""
    arguments = event.get("tool_input")
    if event.get("tool_name") not in FILE_TOOLS or not isinstance(arguments, dict):
        return ""
    named = arguments.get("file_path") or arguments.get("notebook_path") or ""
    return named if isinstance(named, str) else ""


def with_tool_result(folder: str, root: str, path: str, session: str, agent: str, now: str) -> str:
    """The unseen traps of a file that was just read or edited, and of the folders it lies in."""
    from holloway.store import lookup  # sqlite3 is loaded only where a file was opened

    store = lookup.open_store(os.path.join(folder, "memory.db"), int(HOOK_TOOL_DEADLINE_MS * patience() / 3))
    if store is None:
        return ""
    try:
        to = lookup.Shown(
            session=session,
            context=lookup.context_of(store, session),
            branch=git.branch(root),
            now=now,
            level=trust_override() or lookup.trust_level(store),
        )
        rows = lookup.traps(store, with_parents(path), to, TOOL_RESULT_MEMORIES_MAX)
        if not rows:
            return ""
        from holloway.injection.tool_result import render  # only where there is something to say

        ids = render(rows)[1]
        won = lookup.claim(store, ids, session=session, agent=agent, point="tool_result", now=now)
        return render([row for row in rows if row["id"] in won])[0]
    finally:
        store.close()


def with_parents(path: str) -> list[str]:
    """A file and the folders above it, up to the project itself."""
    parts = path.split("/")
    return [*("/".join(parts[:size]) for size in range(len(parts), 0, -1)), "."]


def at_start(session: str, agent: str, root: str, now: str, *, compacted: bool) -> tuple[str, str]:
    """The brief for the agent, and a line for the person."""
    from holloway.store.filter import Filter  # a session starts once; it may load what it needs

    with _opened(root) as memory:
        made = memory.brief()
        memory.shown(made, session=session, agent=agent, now=now, compacted=compacted)
        waiting = len(memory.to_review())
        known = memory.store.memories.count(Filter())
    review = f"; {waiting} to review (holloway review)" if waiting else ""
    line = f"holloway: briefed with {len(made.memories)} of {known} memories{review}"
    return made.text, line if known else ""


def settled(root: str) -> str:
    """The key of the project at a known root whose origin is new, once git has been asked."""
    from pathlib import Path  # this happens once in the life of a project

    from holloway.store import project as projects

    return projects.resolve(Path(root), Path(home())).key


def afterwards(folder: str, root: str, name: str) -> None:
    """What an event leaves to do once the agent has its answer: a process of its own does it."""
    from holloway.service import background  # only where a session or a turn begins or ends

    background.start(folder, root, seldom=name == "Stop")


def _opened(root: str) -> Holloway:
    from pathlib import Path  # a session starts once; it may load what it needs

    from holloway.service.holloway import Holloway
    from holloway.store import project as projects

    folder = Path(home())
    timeout_ms = int(HOOK_START_DEADLINE_MS * patience() / 3)
    return Holloway(projects.resolve(Path(root), folder), folder, busy_timeout_ms=timeout_ms, settle=False)
