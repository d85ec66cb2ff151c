"""Index of a project's file paths for import resolution: by folder, by name, and by manifest."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property
from posixpath import join, normpath
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.languages import PACKAGE_FAMILIES, language_of
from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


MANIFESTS = frozenset({"package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml"})
"""Files whose content decides how imports resolve: when one changes, everything is resolved again."""

AMBIGUOUS_MAX = 8
"""Files that a name may match before it counts as unknown."""


class FileTree:
    """All paths of a project, and its manifests."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str]) -> None:
        self.paths = frozenset(paths)
        self.read = read
        """Function that returns the text of a manifest."""
        self.referenced_manifests: set[str] = set()
        """Files with other names that manifests refer to, existing or not: they count as manifests too."""
        self.directories: dict[str, list[str]] = defaultdict(list)
        self.manifest_folders: dict[str, list[str]] = defaultdict(list)
        """For each manifest name the folders that contain one, outermost first."""
        ordered = sorted(self.paths)
        for path in ordered:
            folder, _, name = path.rpartition("/")
            self.directories[folder].append(path)
            if name in MANIFESTS:
                self.manifest_folders[name].append(folder)
        for folders in self.manifest_folders.values():
            folders.sort(key=lambda folder: (folder.count("/"), folder))
        self.folders = frozenset({"", *folders_above(self.paths)})
        """Folders that contain a file, and their parents."""
        self._by_stem = sorted(ordered, key=_bare_stem)
        """Paths sorted by name: a list, because every process holds all of them."""
        self._code_in: dict[tuple[str, str, bool], list[str]] = {}

    def map_manifest_names(self, name: str, reader: Callable[[str], str]) -> dict[str, str]:
        """Return the name that each manifest gives its folder: `{name: folder}`."""
        folder_by_name: dict[str, str] = {}
        for folder in self.manifest_folders[name]:
            if package_name := reader(self.read(join(folder, name))):
                folder_by_name.setdefault(package_name, folder)
        return folder_by_name

    def find_by_stem(self, language_family: str, stem: str) -> list[str]:
        """Return the files of a family that have a name, apart from its suffix."""
        matching_paths: list[str] = []
        for position in range(bisect_left(self._by_stem, stem, key=_bare_stem), len(self._by_stem)):
            path = self._by_stem[position]
            if _bare_stem(path) != stem:
                break
            if self.family_of(path) == language_family:
                matching_paths.append(path)
        return matching_paths

    def nearest_by_stem(self, language_family: str, stem: str, origin: str) -> str:
        """Return the file of that name nearest to another, or an empty string if too many have it."""
        candidates = [path for path in self.find_by_stem(language_family, stem) if path != origin] if stem else []
        return find_nearest(candidates, origin) if 0 < len(candidates) <= AMBIGUOUS_MAX else ""

    def nearest_by_suffix(self, language_family: str, name: str, origin: str) -> str:
        """Return the file whose path ends in that name, nearest to another file."""
        stem = name.rpartition("/")[2].partition(".")[0]
        candidates = [path for path in self.find_by_stem(language_family, stem) if ends_in(path, name)]
        return find_nearest(candidates, origin) if candidates else ""

    def find_folders(self, name: str) -> list[str]:
        """Return the folders with files whose path ends in that name."""
        return [folder for folder in self._by_last_name.get(name.rpartition("/")[2], ()) if ends_in(folder, name)]

    @cached_property
    def _by_last_name(self) -> dict[str, list[str]]:
        folders_by_name: dict[str, list[str]] = defaultdict(list)
        for folder in self.directories:
            folders_by_name[folder.rpartition("/")[2]].append(folder)
        return folders_by_name

    def list_code(self, folder: str, language_family: str, *, tests: bool) -> list[str]:
        """Return the source files of a family directly in a folder."""
        key = (folder, language_family, tests)
        code_paths = self._code_in.get(key)
        if code_paths is None:
            family_paths = [
                path for path in self.directories.get(folder, ()) if self.family_of(path) == language_family
            ]
            code_paths = self._code_in[key] = [path for path in family_paths if tests or not is_test(path)]
        return code_paths

    def family_of(self, path: str) -> str:
        """Return the language family of a file; of a folder, the family whose files there form a package, if any."""
        if not path.endswith("/"):
            row = language_of(path)
            return (row.family or row.name) if row else ""
        inside = {self.family_of(name) for name in self.directories.get(path.rstrip("/"), ())}
        return min(inside & PACKAGE_FAMILIES, default="")


def folders_above(paths: Iterable[str]) -> set[str]:
    """Return the folders that contain these files, and their parents, except the root."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _bare_stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def stem_of(path: str) -> str:
    """Return the name of a file without its suffix, and without a leading dot."""
    return path.rpartition("/")[2].lstrip(".").partition(".")[0]


def is_above(folder: str, other: str) -> bool:
    """Whether a folder equals or contains another one."""
    return not folder or other == folder or other.startswith(folder + "/")


def ends_in(path: str, tail: str) -> bool:
    """Whether a path ends with these path components."""
    return not tail or path == tail or path.endswith("/" + tail)


def normalise_path(path: str) -> str | None:
    """Normalise a path; None if it leaves the project (path traversal)."""
    plain = normpath(path)
    return None if plain.startswith(("..", "/")) else "" if plain == "." else plain


def find_nearest(paths: list[str], origin: str) -> str:
    """Return the path that shares most of its folders with the importing file."""

    def count_shared(path: str) -> int:
        count = 0
        for part, origin_part in zip(path.split("/"), origin.split("/"), strict=False):
            if part != origin_part:
                break
            count += 1
        return count

    return min(paths, key=lambda path: (-count_shared(path), len(path), path))


class ImportTarget(NamedTuple):
    """A file, a folder (its path ends in a slash), or an external package."""

    path: str = ""
    package: str = ""


NO_TARGET = ImportTarget()
