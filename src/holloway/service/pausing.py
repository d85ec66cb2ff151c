"""Pause and resume: from the next event on, hooks capture nothing, inject nothing, or neither."""

from __future__ import annotations

from pathlib import Path

from holloway import config
from holloway.config import replace_file
from holloway.errors import InvalidInput
from holloway.service.opening import known_project
from holloway.store import registry
from holloway.store.database import make_folder

WHAT = ("all", "capture", "injection")


def pause(path: str, what: str = "all", *, everywhere: bool = False) -> None:
    """Pause the project that holds a folder, or everything."""
    if what not in WHAT:
        raise InvalidInput(f"{what!r} cannot be paused.", f"It takes one of: {', '.join(WHAT)}.")
    folder = _place(path, everywhere)
    make_folder(folder)
    replace_file(str(folder / "paused"), what.encode())


def resume(path: str, *, everywhere: bool = False) -> bool:
    """Go on; False if nothing was paused there."""
    flag = _place(path, everywhere) / "paused"
    was = flag.exists()
    flag.unlink(missing_ok=True)
    return was


def paused(path: str) -> str:
    """What is paused for the project that holds a folder, by itself or with everything."""
    return registry.paused(config.home(), known_project(path).key)


def _place(path: str, everywhere: bool) -> Path:
    return Path(config.home()) if everywhere else known_project(path, create=True).folder
