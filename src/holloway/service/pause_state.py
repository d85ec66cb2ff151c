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
from holloway.service.project_finder import known_project
from holloway.store import registry
from holloway.store.database import make_folder

PARTS = {"all": {"capture", "injection"}, "capture": {"capture"}, "injection": {"injection"}}
SPANS_MAX = 1_000

Spans = list[tuple[float, float | None]]
"""From when to when nothing was captured, in seconds since 1970; the last may not be over."""


def pause(path: str, what: str = "all", *, everywhere: bool = False) -> str:
    """Pause the project that holds a folder, or everything; what is paused already stays so. Returns all that is."""
    folder = _place(path, everywhere)
    make_folder(folder)
    return _write(folder, _parts(_kept(folder)) | _parts(what))


def resume(path: str, what: str = "all", *, everywhere: bool = False) -> bool:
    """Go on with all or a part of it; False if that was not paused there."""
    folder = _place(path, everywhere)
    was = _parts(_kept(folder))
    _write(folder, was - _parts(what))
    return bool(was & _parts(what))


def _kept(folder: Path) -> str:
    return registry.paused_in(str(folder))


def _parts(what: str) -> set[str]:
    if what and what not in PARTS:
        raise InvalidInput(f"{what!r} cannot be paused.", f"It takes one of: {', '.join(PARTS)}.")
    return PARTS[what] if what else set()


def _write(folder: Path, parts: set[str]) -> str:
    """Leave word of what is paused in a folder, and of when capturing stopped or went on."""
    what = next((name for name, meant in PARTS.items() if meant == parts), "")
    if what:
        replace_file(str(folder / "paused"), what.encode())
    else:
        (folder / "paused").unlink(missing_ok=True)
    _note(folder, captures="capture" not in parts)
    return what


def paused_where(path: str) -> dict[str, str]:
    """What is paused `here`, in the project that holds a folder, and `everywhere`; neither where nothing is."""
    home, key = config.home(), known_project(path).key
    found = {"here": registry.project_folder(home, key), "everywhere": home}
    return {place: what for place, folder in found.items() if (what := registry.paused_in(folder))}


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
