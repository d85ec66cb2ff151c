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
SEARCH_TOOLS = ("Grep", "Glob")
SHELL_TOOLS = ("Bash", "shell", "exec_command")
FAILURE_CHARS_MAX = 20_000
PROMPT_CHARS_MAX = 20_000
PROMPT_WORDS_MIN = 3
"""Fewer words ("go on", "yes please") name no task."""
_FAILURE_SIGNS = ("rror", "FAIL", "fail", "atal", "panic", "ERR", "not found", "denied", "refused", "xception")


def file_of(event: dict[str, object]) -> str:
    """The file that a tool event is about, as the host names it."""
    arguments = event.get("tool_input")
    if event.get("tool_name") not in FILE_TOOLS or not isinstance(arguments, dict):
        return ""
    named = arguments.get("file_path") or arguments.get("notebook_path") or ""
    return named if isinstance(named, str) else ""


def search_of(event: dict[str, object]) -> str:
    """The pattern that a tool event searched for."""
    arguments = event.get("tool_input")
    if event.get("tool_name") not in SEARCH_TOOLS or not isinstance(arguments, dict):
        return ""
    pattern = arguments.get("pattern")
    return pattern if isinstance(pattern, str) else ""


def failure_of(event: dict[str, object], name: str) -> str:
    """What a tool that failed answered, bounded; empty for one that did not."""
    if name == "PostToolUseFailure":
        return _text(event.get("error")) or _text(event.get("tool_response"))
    if event.get("tool_name") not in SHELL_TOOLS:
        return ""
    answered = _text(event.get("tool_response"))
    if not any(sign in answered for sign in _FAILURE_SIGNS):
        return ""
    from holloway.text.failures import failed  # only where an output looks like a failure

    arguments = event.get("tool_input")
    command = arguments.get("command") if isinstance(arguments, dict) else ""
    return answered if failed(answered, False, str(command or "")) else ""


def _text(answer: object) -> str:
    """The end of what a tool printed, whatever form the host gives it."""
    if isinstance(answer, dict):
        answer = "\n".join(str(answer[key]) for key in ("stdout", "stderr", "output", "content") if answer.get(key))
    return answer[-FAILURE_CHARS_MAX:] if isinstance(answer, str) else ""


def with_tool_result(
    folder: str, root: str, event: dict[str, object], name: str, path: str, session: str, agent: str, now: str
) -> str:
    """What is known of a file that was just opened, of an error that was just met, or of what was searched for."""
    failure = "" if path else failure_of(event, name)
    pattern = "" if path or failure else search_of(event)
    if not (path or failure or pattern):
        return ""
    from holloway.injection import known  # sqlite3 is loaded only where there is something to look up
    from holloway.store import lookup

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
        if path:
            rows = known.on_files(store, [path], to, root, TOOL_RESULT_MEMORIES_MAX)
        elif failure:
            rows = known.on_failure(store, failure, to, root, TOOL_RESULT_MEMORIES_MAX)
        else:
            rows = known.on_search(store, pattern, to, root, 1)
        if not rows:
            return ""
        from holloway.injection.tool_result import render  # only where there is something to say

        ids = render(rows)[1]
        won = lookup.claim(store, ids, session=session, agent=agent, point="tool_result", now=now)
        return render([row for row in rows if row["id"] in won])[0]
    finally:
        store.close()


def at_prompt(session: str, agent: str, root: str, prompt: str) -> str:
    """Where the task of a prompt happens and what is known there; often nothing."""
    from holloway.observer.words.prompt import spoken  # a prompt comes seldom; it may load what it needs
    from holloway.service.points import Points

    words = spoken(prompt[:PROMPT_CHARS_MAX])
    if len(words.split()) < PROMPT_WORDS_MIN:
        return ""
    with _opened(root) as memory:
        return Points(memory, session, agent).on_prompt(words)


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
