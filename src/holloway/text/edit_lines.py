"""Edits as removed and added lines, from two texts or from a patch. Light: a hook loads it."""

from __future__ import annotations

from holloway.config import SCRATCHPAD_LINES_MAX
from holloway.text.tools import EDIT_CHARS_MAX, NEW_TEXT, OLD_TEXT, PATCH, TOOL_FILES_MAX, first_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EDIT_LINE_CHARS_MAX = 500

_HEADINGS = {"*** Add File: ": "write", "*** Update File: ": "edit", "*** Delete File: ": "edit"}
_MOVED = "*** Move to: "


class Change:
    """One file that a patch changes: `write` where it makes the file, else `edit`."""

    __slots__ = ("added", "kind", "path", "removed")

    def __init__(self, path: str, kind: str) -> None:
        self.path = path
        self.kind = kind
        self.removed: list[str] = []
        self.added: list[str] = []


def meaningful_lines(text: str) -> list[str]:
    """Return the stripped lines of a text that have content."""
    stripped = (line.strip()[:EDIT_LINE_CHARS_MAX] for line in text[:EDIT_CHARS_MAX].splitlines())
    return [line for line in stripped if line]


def changed_lines(old: str, new: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines that an edit removes and adds, without the unchanged lines at its beginning and end."""
    before, after = meaningful_lines(old), meaningful_lines(new)
    start = _common_prefix(before, after)
    end = _common_prefix(before[start:][::-1], after[start:][::-1])
    removed, added = before[start : len(before) - end], after[start : len(after) - end]
    return tuple(removed[:SCRATCHPAD_LINES_MAX]), tuple(added[:SCRATCHPAD_LINES_MAX])


def differing_parts(before: str, after: str, room_chars: int) -> tuple[str, str]:
    """Return two versions of a line; long ones are reduced to the part that differs, from the start of its name."""
    if len(before) + len(after) <= room_chars:
        return before, after
    prefix_length = _common_prefix(before, after)
    suffix_length = _common_prefix(before[prefix_length:][::-1], after[prefix_length:][::-1])
    start = max(before.rfind(" ", 0, prefix_length), before.rfind("(", 0, prefix_length)) + 1
    old, new = before[start : len(before) - suffix_length].strip(), after[start : len(after) - suffix_length].strip()
    return (old, new) if old and new else (before, after)


def _common_prefix(first: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common prefix of two sequences."""
    shorter = min(len(first), len(other))
    return next((at for at in range(shorter) if first[at] != other[at]), shorter)


def parse_patch(text: str) -> list[Change]:
    """Return the files that a patch for `apply_patch` changes, in its order."""
    changes: list[Change] = []
    start = max(0, text.find(PATCH))
    for line in text[start : start + EDIT_CHARS_MAX].splitlines():
        heading = next((prefix for prefix in _HEADINGS if line.startswith(prefix)), "")
        if heading:
            if len(changes) == TOOL_FILES_MAX:
                break
            changes.append(Change(line[len(heading) :].strip(), _HEADINGS[heading]))
        elif changes:
            _take_line(changes[-1], line)
    return [change for change in changes if change.path]


def parse_diff(path: str, kind: str, diff: str) -> Change:
    """Return the change of one file, from its unified diff."""
    change = Change(path, kind)
    hunks = diff[:EDIT_CHARS_MAX].partition("\n@@")[2]
    for line in hunks.splitlines():
        _take_line(change, line)
    return change


def _take_line(change: Change, line: str) -> None:
    if line.startswith(_MOVED):
        change.path = line[len(_MOVED) :].strip()
        return
    side_lines = change.added if line[:1] == "+" else change.removed if line[:1] == "-" else None
    line_text = line[1:].strip()[:EDIT_LINE_CHARS_MAX]
    if side_lines is not None and line_text and len(side_lines) < SCRATCHPAD_LINES_MAX:
        side_lines.append(line_text)


def changed_by(arguments: Mapping[str, object]) -> tuple[list[str], list[str]]:
    """Return the lines that an edit tool removes and adds, by its arguments: one edit, or a list of them."""
    listed = arguments.get("edits")
    edits = listed[:SCRATCHPAD_LINES_MAX] if isinstance(listed, list) else []
    removed: list[str] = []
    added: list[str] = []
    for edit in [arguments, *(edit for edit in edits if isinstance(edit, dict))]:
        texts = (first_argument(edit, names) for names in (OLD_TEXT, NEW_TEXT))
        before, after = changed_lines(*(text if isinstance(text, str) else "" for text in texts))
        removed += before
        added += after
    return removed, added
