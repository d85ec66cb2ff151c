"""Code anchors: the symbols and quoted lines that a memory names and its files have. Light: hooks check them.

A memory whose anchors are gone from its files speaks of code that is no longer there.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ANCHORS_MAX = 6
ANCHOR_CHARS_MIN, ANCHOR_CHARS_MAX = 3, 160
ANCHORED_FILES_MAX = 8
ANCHORED_FILE_BYTES_MAX = 512 * 1024
GONE_SHARE = 0.5
"""Share of a memory's anchors that must be gone from its files until it is withheld."""
_NAME = re.compile(
    r"`([^`\n]{3,160})`|\b([A-Za-z_]\w{2,80})\(\)|\b([A-Za-z]\w*_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]\w*[A-Z]\w+)\b"
)


def list_named_code(text: str) -> list[str]:
    """List what a text quotes or names as code: text between backticks, calls, and identifiers in parts."""
    names = (next(filter(None, groups)).strip().removesuffix("()") for groups in _NAME.findall(text))
    return list(dict.fromkeys(name for name in names if len(name) >= ANCHOR_CHARS_MIN))


def find_anchors(text: str, files: Iterable[str], root: str) -> list[tuple[str, str]]:
    """Find the names of a text that one of the files has now, each with that file; at most a few."""
    names = list_named_code(text)
    contents = read_files(root, list(files)[:ANCHORED_FILES_MAX]) if names else {}
    anchors = ((path, name) for name in names for path, content in contents.items() if has_code(content, name))
    return list({name: (path, name) for path, name in reversed(list(anchors))}.values())[::-1][:ANCHORS_MAX]


def are_gone(anchors: list[tuple[str, str]], contents: dict[str, bytes]) -> bool:
    """Return whether half of the anchors or more are in none of these files."""
    missing = [name for _, name in anchors if not any(has_code(content, name) for content in contents.values())]
    return bool(anchors) and len(missing) >= GONE_SHARE * len(anchors)


def has_code(content: bytes, name: str) -> bool:
    """Return whether a file has a name as a whole word, or a quoted line with any white space."""
    pattern = rb"\s+".join(re.escape(part.encode("utf-8", "replace")) for part in name.split())
    return re.search(rb"(?<!\w)" * name[0].isalnum() + pattern + rb"(?!\w)" * name[-1].isalnum(), content) is not None


def read_files(root: str, paths: list[str]) -> dict[str, bytes]:
    """Read files of a project; folders, large files and unreadable ones are left out."""
    contents = {}
    for path in paths:
        full_path = os.path.join(root, path)
        try:
            if os.path.isfile(full_path) and os.path.getsize(full_path) <= ANCHORED_FILE_BYTES_MAX:
                with open(full_path, "rb") as file:
                    contents[path] = file.read(ANCHORED_FILE_BYTES_MAX)
        except OSError:
            continue
    return contents
