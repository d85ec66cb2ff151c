"""A change as a person reads it: only what comes and goes, because a neighbouring line may hold a secret."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.install.file_change import Change

AROUND_CHARS = 16
"""So much of a long line is shown on either side of what changes in it."""


def diff(change: Change) -> str:
    """The lines that come and go, below the name of the file; nothing where none do."""
    if not change.rewrites:
        return ""
    old, new = _lines(change.before), _lines(change.after)
    shown = [f"--- {change.path if change.before is not None else '(no file)'}"]
    shown.append(f"+++ {change.path if change.after is not None else '(no file)'}")
    for kind, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            shown.append(f"@@ line {start + 1} @@")
            shown += _hunk(old[start:end], new[first:last])
    return "\n".join(shown) + "\n"


def _hunk(old: list[str], new: list[str]) -> list[str]:
    if old and len(old) <= len(new):
        pairs = [_cut(one, other) for one, other in zip(old, new, strict=False)]
        rest = [f"+{line}" for line in new[len(old) :]]
        return [f"-{one}" for one, _ in pairs] + [f"+{other}" for _, other in pairs] + rest
    return [f"-{line}" for line in old] + [f"+{line}" for line in new]


def _cut(one: str, other: str) -> tuple[str, str]:
    """Two lines without what they share, but for a little of it."""
    start = _shared(one, other)
    room = min(len(one), len(other)) - start
    end = min(room, _shared(one[::-1], other[::-1]))
    head = one[:start] if start <= AROUND_CHARS * 2 else f"…{one[start - AROUND_CHARS : start]}"
    tail = one[len(one) - end :] if end <= AROUND_CHARS * 2 else f"{one[len(one) - end :][:AROUND_CHARS]}…"
    return head + one[start : len(one) - end] + tail, head + other[start : len(other) - end] + tail


def _shared(one: str, other: str) -> int:
    """How many characters two lines begin with in common."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()
