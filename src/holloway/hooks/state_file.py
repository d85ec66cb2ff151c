"""The file that holds a session's state between two hook processes: counters and one id, no text of the session.

It is deleted when the session ends, at the latest with the journals. Light.
"""

from __future__ import annotations

import json
import os

from holloway.injection.session_state import new_state
from holloway.safety.paths import safe_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holloway.injection.session_state import SessionState

SUFFIX = ".step"


def load_state(folder: str, session: str) -> SessionState:
    """Load the state of a session; a missing or unreadable file gives a new one."""
    try:
        with open(_path(folder, session), encoding="utf-8") as file:
            saved = json.load(file)
    except (OSError, ValueError):
        return new_state()
    return new_state(saved if isinstance(saved, dict) else None)


def save_state(folder: str, session: str, state: SessionState) -> None:
    """Save the state of a session."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # Not through a synchronised copy: a torn file only means that counting begins again.
    descriptor = os.open(_path(folder, session), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, json.dumps(state).encode())
    finally:
        os.close(descriptor)


def delete_state(folder: str, session: str) -> None:
    """Delete the state of a session that is over."""
    try:
        os.unlink(_path(folder, session))
    except OSError:
        return


def _path(folder: str, session: str) -> str:
    return os.path.join(folder, safe_name(session) + SUFFIX)
