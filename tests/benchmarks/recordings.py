"""Recorded sessions for the benchmarks' own tests."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from benchmarks.sessions import Recorded

DAY_S = 86_400.0
FIRST_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC).timestamp()


def recording(
    name: str,
    day: float,
    prompt: str,
    *deeds: tuple[str, str],
    branch: str = "",
    began_on: str = "",
    hours: float = 1.0,
) -> Recorded:
    """A session that begins on a day and does these things: read, edit, search or run, and what; it ends on a branch,
    and may have begun on another."""
    start = FIRST_DAY + day * DAY_S
    moments = [start + hours * 3600 * step / (len(deeds) + 1) for step in range(len(deeds) + 2)]
    rows: list[dict[str, Any]] = [{"k": "user", "ts": _stamp(start), "text": prompt}]
    for number, ((kind, what), at) in enumerate(zip(deeds, moments[1:], strict=False)):
        rows.append({"k": "call", "ts": _stamp(at), "id": f"{name}-{number}", **_call(kind, what)})
        failed = kind == "fail"
        text = what.partition(" -> ")[2] if failed else "done"
        rows.append({"k": "result", "ts": _stamp(at), "id": f"{name}-{number}", "err": failed, "text": text})
    rows.append({"k": "text", "ts": _stamp(moments[-1]), "text": "Done."})
    return Recorded(name, start, branch, (), rows, began_on)


def _call(kind: str, what: str) -> dict[str, Any]:
    if kind in ("read", "edit"):
        given = {"file_path": what} | ({"old_string": "a", "new_string": "b"} if kind == "edit" else {})
        return {"tool": kind.title(), "paths": [what], "inp": json.dumps(given)}
    if kind == "search":
        return {"tool": "Grep", "paths": [], "inp": json.dumps({"pattern": what})}
    return {"tool": "Bash", "paths": [], "inp": json.dumps({"command": what.partition(" -> ")[0]})}


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
