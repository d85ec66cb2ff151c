"""Searches of the checkout: which files git tracks, and which of them have a name. Every answer is of one commit."""

from __future__ import annotations

import posixpath
from functools import cached_property

from holloway import git
from holloway.domain.ports import format_stamp
from holloway.text.fingerprint import normalise_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

SEARCH_S = 5.0
"""Deadline of one search."""
SEARCHES_MAX = 200
"""Searches of one session; beyond that nothing more is claimed to be absent."""
SEARCHED_NAME_CHARS = (3, 120)
MATCHING_FILES_MAX = 50
OVERTAKEN_SHARE = 0.5
"""Share of a file's lines that were added or removed since a session, from which on the file counts as another one."""
INSTRUCTION_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "README.md", "CONTRIBUTING.md", ".cursorrules")
_INSTRUCTION_FOLDERS = (".cursor/rules/", ".github/copilot-instructions", ".claude/", ".github/instructions/")
INSTRUCTION_FILES_MAX = 40
INSTRUCTION_CHARS_MAX = 200_000


class CheckoutSearch:
    """A checkout at its HEAD or at another commit. A folder without git knows no file and no name."""

    def __init__(self, root: str, commit: str = "") -> None:
        self._root = root
        self.commit = (commit or git.head_commit(root)) if git.find_root(root) else ""
        self._matches: dict[str, frozenset[str] | None] = {}

    @cached_property
    def files(self) -> frozenset[str]:
        """The files that the commit has."""
        return frozenset(git.list_committed_files(self._root, self.commit)) if self.commit else frozenset()

    @cached_property
    def _files_by_name(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for path in self.files:
            by_name.setdefault(posixpath.basename(path), []).append(path)
        return by_name

    def resolve_file(self, path: str) -> str:
        """Return the tracked file that a path or the end of one names; empty if none or several have it."""
        if path in self.files:
            return path
        name = posixpath.basename(path)
        matches = [file for file in self._files_by_name.get(name, ()) if file.endswith(f"/{path.lstrip('/')}")]
        return matches[0] if len(matches) == 1 else ""

    def has_file_ending(self, path: str) -> bool:
        """Return whether a tracked file has this path or ends with it; several may."""
        names = self._files_by_name.get(posixpath.basename(path), ())
        return any(f"/{file}".endswith(f"/{path.lstrip('/')}") for file in names)

    def is_folder(self, path: str) -> bool:
        """Return whether the commit has files below a folder."""
        prefix = path.rstrip("/") + "/"
        return any(file.startswith(prefix) for file in self.files)

    def find_files_with(self, name: str) -> frozenset[str] | None:
        """Return the files that have a name, at most some; None if it cannot be searched for."""
        if not self.commit or not SEARCHED_NAME_CHARS[0] <= len(name) <= SEARCHED_NAME_CHARS[1]:
            return None
        if name not in self._matches:
            if len(self._matches) >= SEARCHES_MAX:
                return None
            self._matches[name] = self._search(name)
        return self._matches[name]

    def find_all(self, names: Iterable[str]) -> None:
        """Search for some names at once; those that are found need no search of the tree later."""
        shortest, longest = SEARCHED_NAME_CHARS
        new_names = [
            name for name in dict.fromkeys(names) if shortest <= len(name) <= longest and name not in self._matches
        ]
        if not self.commit or not new_names:
            return
        files_by_name = git.list_files_with_each(self._root, self.commit, new_names[:SEARCHES_MAX], SEARCH_S)
        for name, files in files_by_name.items():
            self._matches[name] = frozenset(sorted(files)[:MATCHING_FILES_MAX])

    def _search(self, name: str) -> frozenset[str] | None:
        files = git.list_files_with(self._root, self.commit, name, SEARCH_S)
        return None if files is None else frozenset(files[:MATCHING_FILES_MAX])

    def has_changed_since(self, path: str, moment: datetime) -> bool:
        """Return whether most of a file changed between a moment and now."""
        before = git.find_commit_before(self._root, self.commit, format_stamp(moment))
        if not before or before == self.commit:
            return False
        churn = (git.count_churn(self._root, before, self.commit, [path]) or {}).get(path)
        if churn is None:
            return False
        lines = git.read_file_at(self._root, self.commit, path).count("\n") or 1
        return sum(churn) / 2 > OVERTAKEN_SHARE * lines

    @cached_property
    def instructions(self) -> tuple[str, ...]:
        """The paragraphs and list items of the files that instruct agents and newcomers, normalised."""
        names = [
            path
            for path in sorted(self.files)
            if posixpath.basename(path) in INSTRUCTION_FILES or path.startswith(_INSTRUCTION_FOLDERS)
        ]
        texts = (
            git.read_file_at(self._root, self.commit, path)[:INSTRUCTION_CHARS_MAX]
            for path in names[:INSTRUCTION_FILES_MAX]
            if path.endswith((".md", ".mdc", ".cursorrules"))
        )
        return tuple(normalise_text(block) for text in texts for block in _split_instructions(text))


def _split_instructions(text: str) -> list[str]:
    blocks: list[str] = [""]
    for line in text.splitlines():
        begins_item = line.lstrip().startswith(("- ", "* ", "+ ", "#")) or line.lstrip()[:2].rstrip(".").isdigit()
        if not line.strip() or begins_item:
            blocks.append("")
        blocks[-1] = f"{blocks[-1]} {line.strip()}"
    return [block for block in blocks if len(block.split()) > 3]
