"""Build files: the manifests that commands are read from, and the build, test and lint commands of one of them."""

from __future__ import annotations

import re
import stat
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from holloway.codemap import manifests
from holloway.safety.secrets import scan_secrets

BUILD_COMMAND_CHARS_MAX = 160
_SAFE = re.compile(r"""[A-Za-z0-9_@%+=:,./\-\[\] "'*]+\Z""")
_FOLDER = re.compile(r"[\w.@+-]{1,60}(/[\w.@+-]{1,60}){0,4}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class BuildRecipe:
    """The commands of one manifest or of the project; empty if none are declared.

    `suffixes` are those of the files that a manifest is about; a task runner and a whole project have none.
    """

    test_tool: str = ""
    """The test framework, if known."""
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    suffixes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BuildFiles:
    """The files that commands are read from: names relative to a folder, and their cached text."""

    root: Path
    names: frozenset[str]
    folder: str = ""
    texts: dict[str, str] = field(default_factory=dict)

    def read_text(self, name: str) -> str:
        """Return the text of a small file of the project; empty if it does not exist."""
        if name not in self.texts:
            path = f"{self.folder}/{name}".lstrip("/")
            self.texts[name] = manifests.read_text(self.root, path) if self.has_file(name) else ""
        return self.texts[name]

    def first_existing(self, *names: str) -> str:
        """Return the first of these files that exists. Lock files need not be in `names`: they are not indexed."""
        return next((name for name in names if name in self.names or self._is_file(name)), "")

    def _is_file(self, name: str) -> bool:
        try:
            return stat.S_ISREG((self.root / self.folder / name).lstat().st_mode)
        except (OSError, ValueError):
            return False

    def has_file(self, *names: str) -> bool:
        """Whether the project has one of these files."""
        return bool(self.first_existing(*names))

    def has_folder(self, *folders: str) -> bool:
        """Whether the project has one of these folders."""
        prefixes = tuple(f"{folder}/" for folder in folders)
        return any(name.startswith(prefixes) for name in self.names)

    def enter_folder(self, folder: str) -> BuildFiles:
        """Return the part of the project inside a folder."""
        prefix = f"{folder}/"
        names = frozenset(name.removeprefix(prefix) for name in self.names if name.startswith(prefix))
        return BuildFiles(self.root, names, folder)


def is_safe(command: str) -> bool:
    """Whether a command is one short line that a shell would not split into several, and contains no secret."""
    return (
        0 < len(command) <= BUILD_COMMAND_CHARS_MAX and _SAFE.match(command) is not None and not scan_secrets(command)
    )


def prefix_folder(folder: str, command: str) -> str:
    """Return the command as it is run from the root; empty if the folder's name is unsafe to type."""
    if not folder:
        return command
    return f"cd {folder} && {command}" if _FOLDER.match(folder) and ".." not in folder else ""


def pick_available(wanted: Collection[str], available: Collection[str]) -> list[str]:
    """Return the wanted names that are available, in the wanted order."""
    return [name for name in wanted if name in available]
