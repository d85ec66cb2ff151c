"""The journal: what an agent did, one bounded line per event, until it has been learned from. Light."""

from __future__ import annotations

import json
import os

from holloway.config import JOURNAL_FILE_BYTES_MAX, JOURNAL_TEXT_CHARS_MAX
from holloway.safety import secrets

_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)

_TEXTS = ("command", "pattern", "glob", "query", "url", "description", "subagent_type")
"""Arguments of tools that detectors need; whole file contents and results are not kept."""


def append(folder: str, session: str, entry: dict[str, object]) -> None:
    """Add one event to the session's journal; a journal that grew too large takes no more."""
    if not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    line = json.dumps(entry, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
    descriptor = os.open(file_of(folder, session), _APPEND, 0o600)
    try:
        if os.fstat(descriptor).st_size + len(line) <= JOURNAL_FILE_BYTES_MAX:
            os.write(descriptor, line)
    finally:
        os.close(descriptor)


def file_of(folder: str, session: str) -> str:
    """The journal of a session."""
    return os.path.join(folder, safe_name(session) + ".jsonl")


def safe_name(session: str) -> str:
    """A session's id as a file name, whatever a host puts into it."""
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "-_") else "_" for char in session[:100])
    return kept or "unknown"


def entry_of(event: dict[str, object], path: str, now: str) -> dict[str, object]:
    """What is kept of an event: which tool, on what, with what outcome; texts bounded and without secrets."""
    entry: dict[str, object] = {"at": now, "event": _text(event.get("hook_event_name"), 40)}
    for name, kept in (("tool_name", "tool"), ("tool_use_id", "call"), ("agent_id", "agent"), ("agent_type", "role")):
        if event.get(name):
            entry[kept] = _text(event[name], 200)
    arguments = event.get("tool_input")
    if path:
        entry["path"] = path
    for name in _TEXTS:
        if isinstance(arguments, dict) and arguments.get(name):
            entry[name] = _text(arguments[name])
    for name in ("prompt", "error", "source", "reason", "trigger", "last_assistant_message", "compact_summary"):
        if event.get(name):
            entry[name] = _text(event[name])
    return entry


def _text(value: object, limit: int = JOURNAL_TEXT_CHARS_MAX) -> str:
    text = str(value)[: limit + 200]
    return secrets.redact(text.encode("utf-8", "replace").decode())[0][:limit]
