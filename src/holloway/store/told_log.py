"""Log of the texts that agents were told, until they are moved into the database. Light: hooks append to it.

A hook appends one line after it has answered, so that no agent waits for it. Secrets are redacted before that.
"""

from __future__ import annotations

import json
import os

from holloway.config import TOLD_LOG_BYTES_MAX, TOLD_TEXT_CHARS_MAX
from holloway.safety import secrets

TOLD_LOG_NAME = "told.log"
NAME_CHARS_MAX = 400
"""Characters of a session's id, a subagent's name, a point or an event."""


def append_told(folder: str, *, at: str, session: str, point: str, text: str, actor: str = "", event: str = "") -> bool:
    """Append a text that an agent was told; return False if the log is full.

    `actor` is the subagent that was told, `event` the hook event or tool that was answered. Raises OSError.
    """
    entry = {
        "at": at,
        "session": session[:NAME_CHARS_MAX],
        "actor": actor[:NAME_CHARS_MAX],
        "point": point[:NAME_CHARS_MAX],
        "event": event[:NAME_CHARS_MAX],
        "text": _redact_text(text),
    }
    descriptor = os.open(os.path.join(folder, TOLD_LOG_NAME), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        if os.fstat(descriptor).st_size > TOLD_LOG_BYTES_MAX:
            return False
        os.write(descriptor, json.dumps(entry).encode() + b"\n")
    finally:
        os.close(descriptor)
    return True


def _redact_text(text: str) -> str:
    """Return the text without secrets, truncated after that: half a secret is not recognised."""
    readable = text[: 2 * TOLD_TEXT_CHARS_MAX].encode("utf-8", "replace").decode()
    redacted = secrets.redact_secrets(readable)[0]
    return redacted if len(redacted) <= TOLD_TEXT_CHARS_MAX else f"{redacted[:TOLD_TEXT_CHARS_MAX]}…"
