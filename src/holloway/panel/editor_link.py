"""Links that open a line of a file in the person's editor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from pathlib import Path

EDITORS = {
    "vscode": "vscode://file{path}:{line}",
    "vscode-insiders": "vscode-insiders://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "windsurf": "windsurf://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
    "none": "",
}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")


def make_editor_link(editor: str, root: Path, path: str, line: int = 0) -> str:
    """Return the address that opens a file of the project; empty if there is no editor.

    `editor` is a name, or an address with `{path}` and `{line}`; one without a scheme like `name://` is ignored.
    """
    template = EDITORS.get(editor, editor)
    if not _SCHEME.match(template):
        return ""
    absolute = (root / path).as_posix()
    return template.replace("{path}", quote(absolute if absolute.startswith("/") else f"/{absolute}")).replace(
        "{line}", str(max(line, 1))
    )
