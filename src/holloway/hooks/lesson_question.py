"""The question for lessons when a turn ends: opt-in, once per session, and only after the session fixed something."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holloway.hooks.responses import HookReader

ASKING_HOSTS = ("claude-code", "codex")
"""Hosts that let a hook ask the agent to go on."""
SESSION_BYTES_MAX = 1024 * 1024
"""Bytes at the end of a session's journal that are searched for a fix."""


def ask_for_lessons(reader: HookReader, event: dict[str, object]) -> str:
    """Return the question to the agent; empty if it was asked before, is not wanted, or nothing was fixed."""
    if event.get("stop_hook_active") or reader.agent not in ASKING_HOSTS or not is_wanted(reader.folder):
        return ""
    from holloway.capture import journal
    from holloway.injection import session_state

    state = session_state.load_state(reader.journal, reader.main_session)
    if state["asked"] or not has_fixed(read_rows(journal.file_of(reader.journal, reader.main_session))):
        return ""
    state["asked"] = 1
    session_state.save_state(reader.journal, reader.main_session, state)
    from holloway.extras import find_invocation
    from holloway.injection.template import line

    return line("stop", "question", command=find_invocation())


def is_wanted(folder: str) -> bool:
    """Return whether the person wants the question in the project whose data is in a folder."""
    from holloway.store import registry

    return bool(registry.read_hook_settings(folder).get("ask_at_stop"))


def read_rows(path: str) -> list[dict[str, object]]:
    """Return the last rows of a session's journal, from its last start on."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - SESSION_BYTES_MAX))
            lines = file.read(SESSION_BYTES_MAX).split(b"\n")
    except OSError:
        return []
    rows: list[dict[str, object]] = []
    for text in lines:
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows = [] if row.get("event") == "SessionStart" and row.get("source") != "compact" else [*rows, row]
    return rows


def has_fixed(rows: list[dict[str, object]]) -> bool:
    """Return whether a command failed, a file was edited after it, and the same command then succeeded."""
    failed: set[str] = set()
    edited_after: set[str] = set()
    for row in rows:
        command = row.get("command") or row.get("cmd")
        if row.get("event") not in ("PostToolUse", "PostToolUseFailure") or row.get("interrupted"):
            continue
        if "edits" in row or "added" in row:
            edited_after |= failed
        elif isinstance(command, str):
            text = " ".join(command.split())
            if row.get("failed"):
                failed.add(text)
            elif text in edited_after:
                return True
    return False
