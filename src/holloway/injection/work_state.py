"""Unfinished work: its task and progress, how old it is, and what changed since.

Plan items, failures and next steps quote tools and pages as often as the person, and anybody writes commits, so they
are counted and not quoted.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from holloway.config import RESUME_COMMITS_MAX, RESUME_TOKENS_MAX
from holloway.injection.template import line
from holloway.safety.neutralize import neutralize_text
from holloway.safety.repository_text import only_paths
from holloway.text.citation import fits_budget, render_citation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNCOMMITTED_SHOWN = 4


def render_lines(state: Mapping[str, object], commits: Sequence[str], now: datetime) -> str:
    """Render unfinished work in full, for a session that resumes it; `state` is a row with id, details, updated_at."""
    lines = [_render_head(state, now)]
    if uncommitted := only_paths(_texts(state, "uncommitted")):
        lines.append(line("work", "uncommitted", files=", ".join(uncommitted)))
    if commits:
        lines.append(line("work", "since", number=_count_commits(commits)))
    while not fits_budget(lines, RESUME_TOKENS_MAX) and len(lines) > 1:
        lines.pop()
    return "\n".join(lines)


def render_line(state: Mapping[str, object], commits: Sequence[str], now: datetime) -> str:
    """Render unfinished work in one line, for the start of a session."""
    parts = [_render_head(state, now)]
    uncommitted = only_paths(_texts(state, "uncommitted"))[:UNCOMMITTED_SHOWN]
    parts += [f"uncommitted: {', '.join(uncommitted)}"] if uncommitted else []
    parts += [f"since then: {_count_commits(commits)}"] if commits else []
    return "; ".join(parts)


def render_age(then: str, now: datetime) -> str:
    """Render an age, such as `3 days ago`."""
    days = (now - datetime.fromisoformat(then)).days
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"


def _render_head(state: Mapping[str, object], now: datetime) -> str:
    done_count, total = len(_texts(state, "done")), len(_texts(state, "done")) + len(_texts(state, "open"))
    details = state["details"]
    task = str(details.get("task") or "") if isinstance(details, dict) else ""
    return line(
        "work",
        "head",
        age=render_age(str(state["updated_at"]), now),
        task=neutralize_text(task),
        counted=line("work", "counted", done=str(done_count), total=str(total)) if total else "",
        cited=render_citation(str(state["id"])),
    )


def _texts(state: Mapping[str, object], name: str) -> list[str]:
    """Return a list of strings from the details."""
    details = state["details"]
    values = details.get(name) if isinstance(details, dict) else None
    return [str(value) for value in values] if isinstance(values, list) else []


def _count_commits(commits: Sequence[str]) -> str:
    listed = ", ".join(commits[:RESUME_COMMITS_MAX])
    return f"{len(commits)} commit{'s' if len(commits) > 1 else ''} ({listed})"
