"""Rows of memories as the text that an agent reads with a tool result or between two steps. Light."""

from __future__ import annotations

from holloway import fast_json
from holloway.config import TOOL_RESULT_TOKENS_MAX
from holloway.injection.template import line
from holloway.safety.neutralize import neutralize_text
from holloway.text.tokens import doubt_note, fits_budget, render_citation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.injection.reader import StoreView

    Row = dict[str, object]


def show_rows(view: StoreView, rows: list[Row], point: str, tokens: int) -> str:
    """Record the rows that fit the budget as shown, and render those that no parallel process showed first."""
    claimed = view.claim(render_rows(rows, tokens)[1], point)
    return render_rows([row for row in rows if row["id"] in claimed], tokens)[0]


def render_rows(rows: Sequence[Row], tokens: int = TOOL_RESULT_TOKENS_MAX) -> tuple[str, list[str]]:
    """Return the text and the ids of the memories in it; both are empty if nothing fits."""
    lines: list[str] = []
    ids: list[str] = []
    for row in rows:
        text = render_row(row)
        if not fits_budget([*lines, text], tokens):
            break
        lines.append(text)
        ids.append(str(row["id"]))
    return "\n".join(lines), ids


def render_row(row: Row) -> str:
    """Render one memory about a file, a failure or a search."""
    label = label_memory(row)
    cited, details = cite_row(row), row.get("details")
    if row.get("as") == "fix" and isinstance(details, dict) and details.get("fix"):
        error, fix = neutralize_text(str(details.get("error", ""))), neutralize_text(str(details["fix"]))
        return line("tool_result", "fix", label=label, error=error, fix=fix, cited=cited)
    text = summarize_row(row)
    if row.get("as") == "answer":
        return line(
            "tool_result", "answer", pattern=neutralize_text(str(row["pattern"])), label=label, text=text, cited=cited
        )
    if row.get("as") == "command":
        command = neutralize_text(str(row["command"]))
        return line("tool_result", "command", command=command, label=label, text=text, cited=cited)
    path = neutralize_text(str(row["path"]) or "this error")
    return line("tool_result", "file", path=path, label=label, text=text, cited=cited)


def label_memory(row: Row) -> str:
    """Return the prefix of a memory: its doubt or speaker, and whether it is a dead end."""
    doubtful = note_doubt(row)
    return (f"{doubtful}: " if doubtful else "") + ("dead end: " if row["type"] == "dead_end" else "")


def note_doubt(row: Row) -> str:
    """Return the caveat of a row: who says it, or why it may not hold; empty if it is confirmed."""
    return doubt_note(
        str(row["state"]),
        str(row["source"]),
        str(row["stated_at"]),
        str(row["origin"]),
        str(row.get("author") or ""),
        int(str(row.get("confirmations") or 0)),
    )


def cite_row(row: Row) -> str:
    """Return the citation of a row."""
    sessions = len(fast_json.loads(str(row["sessions"])))
    stated_at = str(row["stated_at"] or row["updated_at"])
    return render_citation(str(row["id"]), stated_at, sessions, taught=row["source"] == "user_taught")


def more_hint(row: Row) -> str:
    """Return how to read the rest of a memory whose line is only its beginning; empty for a whole one."""
    return f" (more: show {row['id']})" if row.get("is_cut") else ""


def summarize_row(row: Row) -> str:
    """Return a row as one sentence; a dead end adds its reason and its alternative, if stored."""
    details, text = row.get("details"), neutralize_text(str(row["summary"]))
    text += more_hint(row)
    if row["type"] != "dead_end" or not isinstance(details, dict):
        return text
    reason, alternative = (neutralize_text(str(details.get(name) or "")) for name in ("reason", "alternative"))
    parts = [text]
    parts += [reason] if reason and reason not in text else []
    parts += [f"instead: {alternative}"] if alternative and alternative not in text else []
    return "; ".join(parts)
