"""Pause and resume: from the next event on, hooks capture nothing, inject nothing, or neither.

When nothing was captured is written down: an agent's own transcript tells of that time too, and is not read for it.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from holloway import config
from holloway.config import replace_file
from holloway.errors import InvalidInput
from holloway.service.opening import known_project
from holloway.store import registry
from holloway.store.database import make_folder

WHAT = ("all", "capture", "injection")
SPANS_MAX = 1_000

Spans = list[tuple[float, float | None]]
"""From when to when nothing was captured, in seconds since 1970; the last may not be over."""


def pause(path: str, what: str = "all", *, everywhere: bool = False) -> None:
    """Pause the project that holds a folder, or everything."""
    if what not in WHAT:
        raise InvalidInput(f"{what!r} cannot be paused.", f"It takes one of: {', '.join(WHAT)}.")
    folder = _place(path, everywhere)
    make_folder(folder)
    replace_file(str(folder / "paused"), what.encode())
    _note(folder, captures=what == "injection")


def resume(path: str, *, everywhere: bool = False) -> bool:
    """Go on; False if nothing was paused there."""
    folder = _place(path, everywhere)
    flag = folder / "paused"
    was = flag.exists()
    flag.unlink(missing_ok=True)
    _note(folder, captures=True)
    return was


def paused(path: str) -> str:
    """What is paused for the project that holds a folder, by itself or with everything."""
    return registry.paused(config.home(), known_project(path).key)


def _place(path: str, everywhere: bool) -> Path:
    return Path(config.home()) if everywhere else known_project(path, create=True).folder


def uncaptured(folder: Path) -> Spans:
    """The times at which nothing was to be captured, by what stands in the folder of a project or of everything."""
    try:
        said = json.loads((folder / "pauses.json").read_text("utf-8"))
        return [(float(start), None if end is None else float(end)) for start, end in said]
    except (OSError, ValueError, TypeError):
        return []


def _note(folder: Path, *, captures: bool) -> None:
    spans = uncaptured(folder)
    goes_on = bool(spans) and spans[-1][1] is None
    if captures == goes_on:
        changed = [*spans[:-1], (spans[-1][0], time.time())] if captures else [*spans, (time.time(), None)]
        replace_file(str(folder / "pauses.json"), json.dumps(changed[-SPANS_MAX:]).encode())
