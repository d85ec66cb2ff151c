"""The state of a session between two injections, and its file: numbers and one id, no text of the session. Light.

A hook process loads it from a file; a session in process holds it in memory.
"""

from __future__ import annotations

import os

from holloway import fast_json
from holloway.safety.paths import safe_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypedDict

    class SessionState(TypedDict):
        """Counters of one reader."""

        prompts: int
        """Prompts so far."""
        step: int
        """Steps so far."""
        spent: int
        """Tokens injected between steps so far."""
        notes: int
        """Notes of the agent that were already repeated to it."""
        recipe: str
        """Id of the recipe in use."""
        reached: int
        """Number of the last completed step of the recipe."""
        told: int
        """Number of the last step of the recipe that was announced."""
        asked: int
        """Whether the session was asked for its lessons."""


COUNTER_MAX = 1 << 31
RECIPE_ID_CHARS_MAX = 100
SUFFIX = ".step"


def new_state(saved: Mapping[str, object] | None = None) -> SessionState:
    """Return the state of a new session, or a saved one; a value that is no sane count becomes 0."""
    saved = saved or {}
    return {
        "prompts": _count(saved.get("prompts")),
        "step": _count(saved.get("step")),
        "spent": _count(saved.get("spent")),
        "notes": _count(saved.get("notes")),
        "recipe": str(saved.get("recipe") or "")[:RECIPE_ID_CHARS_MAX],
        "reached": _count(saved.get("reached")),
        "told": _count(saved.get("told")),
        "asked": _count(saved.get("asked")),
    }


def follow_recipe(state: SessionState, recipe: str) -> None:
    """Use another recipe, from its first step on."""
    if recipe and recipe != state["recipe"]:
        state["recipe"], state["reached"], state["told"] = recipe, 0, 0


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < COUNTER_MAX else 0


def load_state(folder: str, session: str) -> SessionState:
    """Load the state of a session; a missing or unreadable file gives a new one."""
    try:
        with open(_path(folder, session), encoding="utf-8") as file:
            saved = fast_json.load(file)
    except (OSError, ValueError):
        return new_state()
    return new_state(saved if isinstance(saved, dict) else None)


def save_state(folder: str, session: str, state: SessionState) -> None:
    """Save the state of a session."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # Not through a synchronised copy: a torn file only means that counting begins again.
    descriptor = os.open(_path(folder, session), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, fast_json.dumps(state).encode())
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
