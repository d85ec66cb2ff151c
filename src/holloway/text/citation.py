"""Citations of memories, and the check that lines fit a token budget. Light: the hook loads this."""

from __future__ import annotations

import re

from holloway.text.tokens import MARGIN, estimate_tokens

_CITED = re.compile(r"\bhw:([0-9a-f]{6,32})\b")
_DOUBTS = {"unconfirmed": "unconfirmed", "stale": "possibly out of date"}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def render_citation(memory_id: str, updated_at: str = "", sessions: int = 0, *, taught: bool = False) -> str:
    """Render a citation such as `[hw:7f3a2c, 3 sessions, last 12 Oct]`, which `holloway show` accepts."""
    parts = [f"hw:{memory_id}"]
    if taught:
        parts.append("taught")
    elif sessions:
        parts.append(f"{sessions} session{'s' if sessions > 1 else ''}")
    if updated_at:
        parts.append(("last " if sessions > 1 else "") + format_day(updated_at))
    return f"[{', '.join(parts)}]"


def doubt_note(state: str) -> str:
    """Return the caveat for a memory in this state; empty if it is confirmed."""
    return _DOUBTS.get(state, "")


def cited_in(text: str) -> list[str]:
    """Return the ids of the memories that a text cites."""
    return _CITED.findall(text) if "hw:" in text else []


def format_day(stamp: str) -> str:
    """Format the day of a timestamp: `12 Oct`."""
    return f"{int(stamp[8:10])} {_MONTHS[int(stamp[5:7]) - 1]}"


def fits_budget(lines: list[str], tokens: int) -> bool:
    """Whether these lines fit a budget, with the estimator's margin."""
    return estimate_tokens("\n".join(lines)) * MARGIN <= tokens
