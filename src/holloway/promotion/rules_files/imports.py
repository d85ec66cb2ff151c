"""Imports by `@path` in CLAUDE.md and GEMINI.md: other files that the host loads with them."""

from __future__ import annotations

import posixpath
import re

HOPS_MAX = 4
"""As deep as Claude Code follows them."""
IMPORTS_MAX = 40

_CODE = re.compile(r"(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)|`[^`\n]{1,400}`")
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:~/|\./|\.\./)?[\w.-][\w./-]{0,400})")


def find_imports(text: str, path: str) -> list[str]:
    """Return the project paths that a text imports, ignoring code; a path with `~` is unchanged."""
    mentions = (match[1].rstrip(".,;:)") for match in _IMPORT.finditer(_CODE.sub(" ", text)))
    named = [name for name in mentions if "/" in name or "." in name]
    folder = posixpath.dirname(path)
    whole = [name if name.startswith("~") else posixpath.normpath(posixpath.join(folder, name)) for name in named]
    return list(dict.fromkeys(whole))[:IMPORTS_MAX]
