"""How a project is built, tested and checked, as one of its files says."""

from __future__ import annotations

import re
import stat
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from holloway.codemap.modules import manifests
from holloway.safety.secrets import scan

COMMAND_CHARS_MAX = 160
_SAFE = re.compile(r"""[A-Za-z0-9_@%+=:,./\-\[\] "'*]+\Z""")
_FOLDER = re.compile(r"[\w.@+-]{1,60}(/[\w.@+-]{1,60}){0,4}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one manifest says. `suffixes` are those of the files that it is about; a task runner has none."""

    test_tool: str = ""
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    suffixes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Project:
    """The files that recipes are read from: names relative to a folder, and their text."""

    root: Path
    names: frozenset[str]
    folder: str = ""
    texts: dict[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """The text of a small file of the project; empty where there is none."""
        if name not in self.texts:
            path = f"{self.folder}/{name}".lstrip("/")
            self.texts[name] = manifests.text(self.root, path) if self.has(name) else ""
        return self.texts[name]

    def first(self, *names: str) -> str:
        """The first of these files that the project has. Lock files need not be among the names: none are indexed."""
        return next((name for name in names if name in self.names or self._is_file(name)), "")

    def _is_file(self, name: str) -> bool:
        try:
            return stat.S_ISREG((self.root / self.folder / name).lstat().st_mode)
        except (OSError, ValueError):
            return False

    def has(self, *names: str) -> bool:
        """Whether the project has one of these files."""
        return bool(self.first(*names))

    def has_folder(self, *folders: str) -> bool:
        """Whether the project has one of these folders."""
        prefixes = tuple(f"{folder}/" for folder in folders)
        return any(name.startswith(prefixes) for name in self.names)

    def inside(self, folder: str) -> Project:
        """The part of the project that lies in a folder."""
        prefix = f"{folder}/"
        names = frozenset(name.removeprefix(prefix) for name in self.names if name.startswith(prefix))
        return Project(self.root, names, folder)


def is_safe(command: str) -> bool:
    """Whether a command is one short line that a shell would not take for more than one, and holds no secret."""
    return 0 < len(command) <= COMMAND_CHARS_MAX and _SAFE.match(command) is not None and not scan(command)


def in_folder(folder: str, command: str) -> str:
    """The command as it is given from the root; empty where the folder's name is none to be typed."""
    if not folder:
        return command
    return f"cd {folder} && {command}" if _FOLDER.match(folder) and ".." not in folder else ""


def chosen(wanted: Collection[str], available: Collection[str]) -> list[str]:
    """Those that are wanted and available, in the order in which they are wanted."""
    return [name for name in wanted if name in available]
