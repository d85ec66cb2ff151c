"""Diff of a configuration change, without context lines: a neighbouring line may hold a secret."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.install.file_change import ConfigChange

AROUND_CHARS = 16
"""Characters shown on either side of the changed part of a long line."""


def render_diff(change: ConfigChange) -> str:
    """Return the removed and added lines below the file's name; an empty string if nothing changes."""
    if not change.changes_file:
        return ""
    old, new = _split_lines(change.before), _split_lines(change.after)
    lines = [f"--- {change.path if change.before is not None else '(no file)'}"]
    lines.append(f"+++ {change.path if change.after is not None else '(no file)'}")
    for kind, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            lines.append(f"@@ line {start + 1} @@")
            lines += _render_hunk(old[start:end], new[first:last])
    return "\n".join(lines) + "\n"


def _render_hunk(old: list[str], new: list[str]) -> list[str]:
    if old and len(old) <= len(new):
        pairs = [_shorten_pair(removed_line, added_line) for removed_line, added_line in zip(old, new, strict=False)]
        additional_lines = [f"+{line}" for line in new[len(old) :]]
        return (
            [f"-{removed_line}" for removed_line, _ in pairs]
            + [f"+{added_line}" for _, added_line in pairs]
            + additional_lines
        )
    return [f"-{line}" for line in old] + [f"+{line}" for line in new]


def _shorten_pair(removed_line: str, added_line: str) -> tuple[str, str]:
    """Shorten two lines to their differing part with a little context."""
    start = _common_prefix_length(removed_line, added_line)
    room = min(len(removed_line), len(added_line)) - start
    end = min(room, _common_prefix_length(removed_line[::-1], added_line[::-1]))
    head = removed_line[:start] if start <= AROUND_CHARS * 2 else f"…{removed_line[start - AROUND_CHARS : start]}"
    tail = (
        removed_line[len(removed_line) - end :]
        if end <= AROUND_CHARS * 2
        else f"{removed_line[len(removed_line) - end :][:AROUND_CHARS]}…"
    )
    return head + removed_line[start : len(removed_line) - end] + tail, head + added_line[
        start : len(added_line) - end
    ] + tail


def _common_prefix_length(first: str, second: str) -> int:
    """Return the length of the common prefix of two lines."""
    return next(
        (index for index, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def _split_lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()
