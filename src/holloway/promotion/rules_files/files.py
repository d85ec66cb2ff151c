"""Rules files on disk: found and read within limits, never outside the project; committed or not."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap.parse.source_files import list_names
from holloway.config import RULE_FILE_BYTES_MAX
from holloway.promotion.rules_files.managed_block import strip_block
from holloway.promotion.rules_files.markdown import split_front_matter
from holloway.promotion.rules_files.split_blocks import split_rule_blocks
from holloway.safety import paths
from holloway.text.file_roles import is_skipped

if TYPE_CHECKING:
    from holloway.promotion.rules_files.markdown import RulesText


RULE_FILES_MAX = 200
"""Maximum number of rules files of a project that are read."""

_FOLDERS = (".claude", ".cursor", ".github", ".windsurf", ".clinerules")
_IGNORED_NAMES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules")
_FIXTURE_FOLDER = re.compile(r"(?:^|/)_?_?(?:fixtures?|testdata|test_data|templates?|snapshots?|cassettes)_?_?/", re.I)


@dataclass
class RulesFiles:
    """The files of a project that may hold rules; each is read once, even if several names link to it."""

    root: Path
    names: list[str]
    problems: dict[str, str] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    _texts: dict[str, str] = field(default_factory=dict)

    def list_matching(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the names that match a pattern, the outermost first."""
        matching_names = [name for name in self.names if pattern.search(name)]
        return sorted(matching_names, key=lambda name: (name.count("/"), name))

    def read_text(self, name: str) -> tuple[str, str]:
        """Return the resolved path and the text; two empty strings if it was read before or is unreadable."""
        real = paths.contained_path(name, str(self.root))
        if not real or real == ".":
            self.problems[name] = "it leads out of the project"
            return "", ""
        if real in self.read:
            return "", ""
        if len(self.read) >= RULE_FILES_MAX:
            self.problems[name] = f"only {RULE_FILES_MAX} rules files are read"
            return "", ""
        data = self._read_bytes(real)
        if data is None:
            return "", ""
        self.read.append(real)
        self._texts[real] = self._decode_text(real, data)
        return real, self._texts[real]

    def reread_text(self, name: str) -> tuple[str, str]:
        """Return the resolved path and the text, also if it was read before; two empty strings if unreadable."""
        real = paths.contained_path(name, str(self.root))
        return (real, self._texts[real]) if real in self._texts else self.read_text(name)

    def _read_bytes(self, name: str) -> bytes | None:
        try:
            descriptor = os.open(self.root / name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    self.problems[name] = "it is not a regular file"
                    return None
                data = file.read(RULE_FILE_BYTES_MAX + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.problems[name] = f"it cannot be read: {error.strerror}"
            return None
        if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            self.problems[name] = "it is binary"
            return None
        return data

    def _decode_text(self, name: str, data: bytes) -> str:
        if len(data) > RULE_FILE_BYTES_MAX:
            self.problems[name] = f"only its first {RULE_FILE_BYTES_MAX:,} bytes are read"
            data = data[:RULE_FILE_BYTES_MAX].rpartition(b"\n")[0]
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = data.decode("utf-16" if utf16 else "utf-8", "replace").removeprefix("\ufeff")
        if "\ufffd" in text:
            self.problems[name] = "some of it is not UTF-8: rules with such bytes are left out"
        return text.replace("\r\n", "\n").replace("\r", "\n")


def find_rules_files(root: Path) -> RulesFiles:
    """Return the project's files, with rules files that git ignores: hosts read those too."""
    project_names = [name for name in list_names(root) if not is_skipped(name) and not _FIXTURE_FOLDER.search(name)]
    extra = [name for name in _IGNORED_NAMES if os.path.lexists(root / name)]
    for folder in _FOLDERS:
        extra += _list_below(root, folder)
    return RulesFiles(root, sorted({*project_names, *extra}))


def _list_below(root: Path, folder: str) -> list[str]:
    top = root / folder
    if top.is_symlink():
        return []
    below: list[str] = []
    for directory, folders, entries in os.walk(top, followlinks=False):
        folders[:] = sorted(folders)[:RULE_FILES_MAX]
        below += [(Path(directory) / entry).relative_to(root).as_posix() for entry in sorted(entries)]
        if len(below) > RULE_FILES_MAX:
            break
    return below[:RULE_FILES_MAX]


class CommittedFiles:
    """The files of the last commit, and the ones changed since."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)

    def has_file(self, path: str) -> bool:
        """Whether the last commit has the file."""
        return path in self._committed_paths

    def list_committed_hashes(self, text: RulesText) -> frozenset[str] | None:
        """Return the hashes of a file's committed rules; None if the whole file is committed."""
        if not self.has_file(text.path):
            return frozenset()
        if self._changed_paths is not None and text.path not in self._changed_paths:
            return None
        committed = git.read_file_at(self._root, "HEAD", text.path)[:RULE_FILE_BYTES_MAX]
        plain = strip_block(committed.removeprefix("\ufeff").replace("\r\n", "\n"))
        return frozenset(
            block.text_hash for block in split_rule_blocks(replace(text, text=split_front_matter(plain)[1]))
        )

    @cached_property
    def _committed_paths(self) -> frozenset[str]:
        return frozenset(git.list_committed_files(self._root))

    @cached_property
    def _changed_paths(self) -> frozenset[str] | None:
        """Files that differ from the last commit; None if git cannot tell."""
        changed = git.changed_files(self._root, "HEAD")
        return None if changed is None else frozenset(changed)
