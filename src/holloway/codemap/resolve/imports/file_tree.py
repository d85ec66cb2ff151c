"""The files of a project as the rules of imports look at them: by folder, by name, and by what manifests say."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property
from posixpath import join, normpath
from typing import TYPE_CHECKING

from holloway.codemap.parse.languages import language_of
from holloway.codemap.resolve.language_families import PACKAGE_FAMILIES
from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MANIFESTS = frozenset({"package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml"})
"""Files whose content decides what imports mean: when one changes, everything is resolved again."""

AMBIGUOUS_MAX = 8
"""Files that a name may mean before it is taken for unknown."""


class Tree:
    """All paths of a project, and its manifests."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str]) -> None:
        self.paths = frozenset(paths)
        self.read = read
        """The text of a manifest."""
        self.decisive: set[str] = set()
        """Files of other names that manifests refer to, be they there or not: they decide as manifests do."""
        self.directories: dict[str, list[str]] = defaultdict(list)
        self.homes: dict[str, list[str]] = defaultdict(list)
        """For each name of a manifest the folders that hold one, those further out first."""
        ordered = sorted(self.paths)
        for path in ordered:
            folder, _, name = path.rpartition("/")
            self.directories[folder].append(path)
            if name in MANIFESTS:
                self.homes[name].append(folder)
        for folders in self.homes.values():
            folders.sort(key=lambda folder: (folder.count("/"), folder))
        self.folders = frozenset({"", *folders_above(self.paths)})
        """The folders that hold a file, and those above them."""
        self._by_stem = sorted(ordered, key=_bare_stem)
        """In the order of their names: a list, because every process holds them all."""
        self._code_in: dict[tuple[str, str, bool], list[str]] = {}

    def manifests(self, name: str, reader: Callable[[str], str]) -> dict[str, str]:
        """What each manifest of that name calls its folder: `{name: folder}`."""
        found: dict[str, str] = {}
        for folder in self.homes[name]:
            if called := reader(self.read(join(folder, name))):
                found.setdefault(called, folder)
        return found

    def named(self, language_family: str, stem: str) -> list[str]:
        """The files of a family that have a name, apart from its ending."""
        found: list[str] = []
        for at in range(bisect_left(self._by_stem, stem, key=_bare_stem), len(self._by_stem)):
            path = self._by_stem[at]
            if _bare_stem(path) != stem:
                break
            if self.family_of(path) == language_family:
                found.append(path)
        return found

    def of_stem(self, language_family: str, stem: str, origin: str) -> str:
        """The file of that name nearest to another, or nothing where too many carry it."""
        others = [path for path in self.named(language_family, stem) if path != origin] if stem else []
        return nearest(others, origin) if 0 < len(others) <= AMBIGUOUS_MAX else ""

    def of_suffix(self, language_family: str, name: str, origin: str) -> str:
        """The file whose path ends in that name, of several the nearest to another."""
        stem = name.rpartition("/")[2].partition(".")[0]
        near = [path for path in self.named(language_family, stem) if ends_in(path, name)]
        return nearest(near, origin) if near else ""

    def folders_named(self, name: str) -> list[str]:
        """The folders that hold files and whose path ends in that name."""
        return [folder for folder in self._by_last_name.get(name.rpartition("/")[2], ()) if ends_in(folder, name)]

    @cached_property
    def _by_last_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for folder in self.directories:
            found[folder.rpartition("/")[2]].append(folder)
        return found

    def code_in(self, folder: str, language_family: str, *, tests: bool) -> list[str]:
        """The source files of a family that lie in a folder itself."""
        key = (folder, language_family, tests)
        found = self._code_in.get(key)
        if found is None:
            beside = [path for path in self.directories.get(folder, ()) if self.family_of(path) == language_family]
            found = self._code_in[key] = [path for path in beside if tests or not is_test(path)]
        return found

    def family_of(self, path: str) -> str:
        """The language family of a file; of a directory, the one whose files there are a package, if any is."""
        if not path.endswith("/"):
            row = language_of(path)
            return (row.family or row.name) if row else ""
        inside = {self.family_of(name) for name in self.directories.get(path.rstrip("/"), ())}
        return min(inside & PACKAGE_FAMILIES, default="")


def folders_above(paths: Iterable[str]) -> set[str]:
    """The folders that hold these files, and those above them, but for the outermost."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _bare_stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def stem_of(path: str) -> str:
    """The name of a file without its ending, and without a dot before it."""
    return path.rpartition("/")[2].lstrip(".").partition(".")[0]


def is_above(folder: str, other: str) -> bool:
    """Whether a folder is another one, or holds it."""
    return not folder or other == folder or other.startswith(folder + "/")


def ends_in(path: str, tail: str) -> bool:
    """Whether the last names of a path are these."""
    return not tail or path == tail or path.endswith("/" + tail)


def within(path: str) -> str | None:
    """The path without dots; None where it leaves the project."""
    plain = normpath(path)
    return None if plain.startswith(("..", "/")) else "" if plain == "." else plain


def nearest(paths: list[str], origin: str) -> str:
    """The one that shares most of its folders with the file that asks."""

    def shared(path: str) -> int:
        count = 0
        for one, other in zip(path.split("/"), origin.split("/"), strict=False):
            if one != other:
                break
            count += 1
        return count

    return min(paths, key=lambda path: (-shared(path), len(path), path))
