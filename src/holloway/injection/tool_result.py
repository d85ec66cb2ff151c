"""What an agent reads with a tool result: traps of the file it opened, the fix of an error, the answer to a search.

Light: plain rows in, text out.
"""

from __future__ import annotations

import json

from holloway.config import TOOL_RESULT_TOKENS_MAX
from holloway.injection.template import line
from holloway.safety.neutralize import neutral
from holloway.text.citation import citation, doubt, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def render(rows: Sequence[dict[str, object]], tokens: int = TOOL_RESULT_TOKENS_MAX) -> tuple[str, list[str]]:
    """The text, and the ids of the memories that are in it; both empty where nothing fits."""
    lines: list[str] = []
    ids: list[str] = []
    for row in rows:
        said = told(row)
        if not within([*lines, said], tokens):
            break
        lines.append(said)
        ids.append(str(row["id"]))
    return "\n".join(lines), ids


def told(row: dict[str, object]) -> str:
    """One memory, as it is said about a file, a failure or a search."""
    label = labelled(str(row["state"]), str(row["type"]))
    cited, details = cited_as(row), row.get("details")
    if row.get("as") == "fix" and isinstance(details, dict) and details.get("fix"):
        error, fix = neutral(str(details.get("error", ""))), neutral(str(details["fix"]))
        return line("tool_result", "fix", label=label, error=error, fix=fix, cited=cited)
    text = summed(row)
    if row.get("as") == "answer":
        return line("tool_result", "answer", pattern=neutral(str(row["pattern"])), label=label, text=text, cited=cited)
    path = neutral(str(row["path"]) or "this error")
    return line("tool_result", "file", path=path, label=label, text=text, cited=cited)


def labelled(state: str, kind: str) -> str:
    """What stands before a memory: that it may not hold, that it is a way not to go."""
    said = doubt(state)
    return (f"{said}: " if said else "") + ("dead end: " if kind == "dead_end" else "")


def cited_as(row: dict[str, object]) -> str:
    """How a row is cited."""
    sessions = len(json.loads(str(row["sessions"])))
    return citation(str(row["id"]), str(row["updated_at"]), sessions, taught=row["source"] == "user_taught")


def summed(row: dict[str, object]) -> str:
    """A row in a sentence; of a dead end also why it was left and what was done instead, where that is known."""
    details, text = row.get("details"), neutral(str(row["summary"]))
    if row["type"] != "dead_end" or not isinstance(details, dict):
        return text
    reason, instead = (neutral(str(details.get(name) or "")) for name in ("reason", "alternative"))
    more = [reason] if reason and reason not in text else []
    more += [f"instead: {instead}"] if instead and instead not in text else []
    return "; ".join([text, *more])
