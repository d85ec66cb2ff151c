"""Pause and resume: from the next event on, hooks capture nothing, inject nothing, or neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import replace_file
from holloway.errors import InvalidInput
from holloway.store.database import make_folder

if TYPE_CHECKING:
    from pathlib import Path

WHAT = ("all", "capture", "injection")


def pause(folder: Path, what: str = "all") -> None:
    """Pause a project (its folder) or everything (the home folder)."""
    if what not in WHAT:
        raise InvalidInput(f"{what!r} cannot be paused.", f"It takes one of: {', '.join(WHAT)}.")
    make_folder(folder)
    replace_file(str(folder / "paused"), what.encode())


def resume(folder: Path) -> bool:
    """Go on; False if nothing was paused there."""
    flag = folder / "paused"
    was = flag.exists()
    flag.unlink(missing_ok=True)
    return was
