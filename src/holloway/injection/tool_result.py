"""What an agent reads with a tool result: the unseen traps of the file it opened. Light: plain rows in, text out."""

from __future__ import annotations

import json

from holloway.config import TOOL_RESULT_TOKENS_MAX
from holloway.safety.instructions import neutral
from holloway.text.citation import citation, within


def render(rows: list[dict[str, object]]) -> tuple[str, list[str]]:
    """The text, and the ids of the memories that are in it; both empty where nothing fits."""
    lines: list[str] = []
    ids: list[str] = []
    for row in rows:
        line = _line(row)
        if not within([*lines, line], TOOL_RESULT_TOKENS_MAX):
            break
        lines.append(line)
        ids.append(str(row["id"]))
    return "\n".join(lines), ids


def _line(row: dict[str, object]) -> str:
    label = "dead end: " if row["type"] == "dead_end" else ""
    doubt = (
        "unconfirmed: "
        if row["state"] == "unconfirmed"
        else "possibly out of date: "
        if row["state"] == "stale"
        else ""
    )
    sessions = len(json.loads(str(row["sessions"])))
    cited = citation(str(row["id"]), str(row["updated_at"]), sessions, taught=row["source"] == "user_taught")
    return f"holloway on {neutral(str(row['path']))}: {doubt}{label}{neutral(str(row['summary']))} {cited}"
