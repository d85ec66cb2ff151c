"""Pauses capturing or injection: the flags of a data folder say what hooks must not do there, and since when.

The times are recorded because an agent's own transcript also covers them, and must not be read for them.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from holloway.config import replace_file
from holloway.errors import InvalidInput
from holloway.store import registry
from holloway.store.database import make_private_folder

PARTS = {"all": {"capture", "injection"}, "capture": {"capture"}, "injection": {"injection"}}
SPANS_MAX = 1_000

Spans = list[tuple[float, float | None]]
"""Start and end of the times without capture, in seconds since 1970; the last one may be open."""


def pause_folder(folder: Path, part: str) -> str:
    """Pause a part in a data folder; parts that are paused already stay so. Returns all that is paused there.

    Raises InvalidInput for an unknown part.
    """
    make_private_folder(folder)
    return _write_parts(folder, _paused_parts(folder) | _parse_parts(part))


def resume_folder(folder: Path, part: str) -> bool:
    """Resume a part in a data folder; returns False if it was not paused there."""
    paused = _paused_parts(folder)
    _write_parts(folder, paused - _parse_parts(part))
    return bool(paused & _parse_parts(part))


def read_uncaptured(folder: Path) -> Spans:
    """Return the times without capture, as recorded in the folder of a project or of the user."""
    try:
        spans = json.loads((folder / "pauses.json").read_text("utf-8"))
        return [(float(start), None if end is None else float(end)) for start, end in spans]
    except (OSError, ValueError, TypeError):
        return []


def _paused_parts(folder: Path) -> set[str]:
    return _parse_parts(registry.read_paused_mode(str(folder)))


def _parse_parts(part: str) -> set[str]:
    if part and part not in PARTS:
        raise InvalidInput(f"{part!r} cannot be paused.", f"It takes one of: {', '.join(PARTS)}.")
    return PARTS[part] if part else set()


def _write_parts(folder: Path, parts: set[str]) -> str:
    """Write the flag of the paused parts, and the time at which capturing stopped or resumed."""
    mode = next((name for name, members in PARTS.items() if members == parts), "")
    if mode:
        replace_file(str(folder / "paused"), mode.encode())
    else:
        (folder / "paused").unlink(missing_ok=True)
    _record_span(folder, captures="capture" not in parts)
    return mode


def _record_span(folder: Path, *, captures: bool) -> None:
    spans = read_uncaptured(folder)
    is_open = bool(spans) and spans[-1][1] is None
    if captures == is_open:
        changed = [*spans[:-1], (spans[-1][0], time.time())] if captures else [*spans, (time.time(), None)]
        replace_file(str(folder / "pauses.json"), json.dumps(changed[-SPANS_MAX:]).encode())
