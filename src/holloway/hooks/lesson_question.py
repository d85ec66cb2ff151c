"""The question for lessons when a turn ends: opt-in, once per session, and only after the session fixed something."""

from __future__ import annotations

import os

from holloway import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from holloway.hooks.responses import HookReader

ASKING_HOSTS = ("claude-code", "codex")
"""Hosts that let a hook ask the agent to go on."""
SESSION_BYTES_MAX = 1024 * 1024
"""Bytes at the end of a session's journal and transcript that are searched for a fix."""
OUTPUT_HEAD_CHARS = 400
_EXIT_MARK = "Process exited with code "


def ask_for_lessons(reader: HookReader, event: dict[str, object]) -> str:
    """Return the question to the agent; empty if it was asked before, is not wanted, or nothing was fixed."""
    if event.get("stop_hook_active") or reader.agent not in ASKING_HOSTS or not is_wanted(reader.folder):
        return ""
    from holloway.capture import journal
    from holloway.injection import session_state

    state = session_state.load_state(reader.journal, reader.main_session)
    if state["asked"]:
        return ""
    rows = read_session(read_rows(journal.file_of(reader.journal, reader.main_session)))
    if not has_fixed(rows, find_failed_calls(read_rows(str(event.get("transcript_path") or "")))):
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
    """Return the JSON objects at the end of a file with one per line; empty if it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - SESSION_BYTES_MAX))
            lines = file.read(SESSION_BYTES_MAX).split(b"\n")
    except (OSError, ValueError):
        return []
    rows: list[dict[str, object]] = []
    for text in lines:
        try:
            row = fast_json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def read_session(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the rows of a journal from the last start of its session on."""
    starts = [
        at for at, row in enumerate(rows) if row.get("event") == "SessionStart" and row.get("source") != "compact"
    ]
    return rows[starts[-1] :] if starts else rows


def find_failed_calls(transcript: list[dict[str, object]]) -> set[object]:
    """Return the ids of failed commands in a transcript of Codex, which tells hooks no exit code."""
    failed_calls = set()
    for row in transcript:
        payload = row.get("payload")
        output = payload.get("output") if isinstance(payload, dict) else None
        if isinstance(payload, dict) and isinstance(output, str) and isinstance(payload.get("call_id"), str):
            _, mark, code = output[:OUTPUT_HEAD_CHARS].partition(_EXIT_MARK)
            if mark and code.split(None, 1)[:1] != ["0"]:
                failed_calls.add(payload["call_id"])
    return failed_calls


def has_fixed(rows: list[dict[str, object]], failed_calls: Container[object] = ()) -> bool:
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
            if row.get("failed") or row.get("call") in failed_calls:
                failed.add(text)
            elif text in edited_after:
                return True
    return False
