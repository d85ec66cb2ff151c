"""Diff of a configuration change, without context lines: a neighbouring line may hold a secret."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.install.file_change import Change

AROUND_CHARS = 16
"""Characters shown on either side of the changed part of a long line."""


def diff(change: Change) -> str:
    """Return the removed and added lines below the file's name; an empty string if nothing changes."""
    if not change.rewrites:
        return ""
    old, new = _lines(change.before), _lines(change.after)
    lines = [f"--- {change.path if change.before is not None else '(no file)'}"]
    lines.append(f"+++ {change.path if change.after is not None else '(no file)'}")
    for kind, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            lines.append(f"@@ line {start + 1} @@")
            lines += _hunk(old[start:end], new[first:last])
    return "\n".join(lines) + "\n"


def _hunk(old: list[str], new: list[str]) -> list[str]:
    if old and len(old) <= len(new):
        pairs = [_cut(removed_line, added_line) for removed_line, added_line in zip(old, new, strict=False)]
        additional_lines = [f"+{line}" for line in new[len(old) :]]
        return (
            [f"-{removed_line}" for removed_line, _ in pairs]
            + [f"+{added_line}" for _, added_line in pairs]
            + additional_lines
        )
    return [f"-{line}" for line in old] + [f"+{line}" for line in new]


def _cut(one: str, other: str) -> tuple[str, str]:
    """Shorten two lines to their differing part with a little context."""
    start = _shared(one, other)
    room = min(len(one), len(other)) - start
    end = min(room, _shared(one[::-1], other[::-1]))
    head = one[:start] if start <= AROUND_CHARS * 2 else f"…{one[start - AROUND_CHARS : start]}"
    tail = one[len(one) - end :] if end <= AROUND_CHARS * 2 else f"{one[len(one) - end :][:AROUND_CHARS]}…"
    return head + one[start : len(one) - end] + tail, head + other[start : len(other) - end] + tail


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two lines."""
    return next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()
