"""The import statements of TypeScript and JavaScript, by pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMENT = re.compile(r"""('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|/\*.*?\*/|//[^\n]*""", re.DOTALL)
_SCRIPT_IMPORT = re.compile(
    r"""^[ \t]*(?:(?:import|export)\b[\w$*{},\s]*?\bfrom\s*|import\s*)(['"])([^'"\n]+)\1""", re.MULTILINE
)


def imports(text: str) -> Iterator[re.Match[str]]:
    """Each statement that names a module, which is the second group."""
    return _SCRIPT_IMPORT.finditer(text)


def without_comments(text: str) -> str:
    """A text with its lines and strings, and no comments."""
    return _COMMENT.sub(lambda match: match[1] or "\n" * match[0].count("\n"), text)
