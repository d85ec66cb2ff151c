"""Import rules of Python: `from .near import x` and `import package.module`; any folder outside a package is a root."""

from __future__ import annotations

import sys
from collections import defaultdict
from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import NO_TARGET, ImportTarget, is_above, stem_of

if TYPE_CHECKING:
    from holloway.codemap.parse.facts import Import
    from holloway.codemap.resolve.imports.file_tree import FileTree

PACKAGE_FILES = ("__init__.py", "__init__.pyi")
"""Files that make a folder a package."""


class PythonImports:
    """Resolves modules and packages."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        split_paths = (path.rpartition("/") for path in tree.find_by_stem("python", "__init__"))
        self._packages = frozenset(folder for folder, _, name in split_paths if name in PACKAGE_FILES)
        self._roots = self._index_top_level()

    def find_target(self, origin: str, module: str) -> ImportTarget:
        """Return the module or package of that name; a name that no folder of the project has is external."""
        if module.startswith("."):
            return self._find_relative(origin, module)
        head = module.partition(".")[0]
        for root in self._list_roots(head, origin):
            place = self._find_module(join(root, module.replace(".", "/")))
            if place.path:
                return place
        return ImportTarget(package=head)

    def find_submodule(self, place: ImportTarget, name: str) -> ImportTarget:
        """Return the module of that name inside a package."""
        if not place.path or not name.isidentifier():
            return NO_TARGET
        if place.path.rpartition("/")[2] not in ("", *PACKAGE_FILES):
            return NO_TARGET
        return self._find_module(join(dirname(place.path), name))

    def list_names_beside(self, path: str) -> set[str]:
        """Return the names in a package's folder: adding or removing its file changes how they are imported."""
        folder = dirname(path)
        inner = {
            inner_folder.rpartition("/")[2]
            for inner_folder in self._tree.folders
            if inner_folder and dirname(inner_folder) == folder
        }
        return inner | {stem_of(other) for other in self._tree.directories.get(folder, ())}

    def _find_relative(self, origin: str, module: str) -> ImportTarget:
        tail = module.lstrip(".")
        base = dirname(origin)
        for _ in range(len(module) - len(tail) - 1):
            if not base:
                return NO_TARGET
            base = dirname(base)
        return self._find_module(join(base, tail.replace(".", "/")) if tail else base)

    def _find_module(self, base: str) -> ImportTarget:
        inside = f"{base}/" if base else ""
        for path in (*(inside + face for face in PACKAGE_FILES), f"{base}.py", f"{base}.pyi"):
            if path in self._tree.paths:
                return ImportTarget(path)
        return ImportTarget(base + "/") if base in self._tree.folders and base else NO_TARGET

    def _list_roots(self, head: str, origin: str) -> list[str]:
        """Return folders that contain the name: parents of the file first, nearest first."""
        folders = self._roots.get(head, [])
        origin_folder = dirname(origin)
        if head in sys.stdlib_module_names:
            return [origin_folder] if origin_folder in folders and origin_folder not in self._packages else []
        above = [folder for folder in folders if is_above(folder, origin_folder)]
        return sorted(above, key=len, reverse=True) + [folder for folder in folders if folder not in above]

    def _index_top_level(self) -> dict[str, list[str]]:
        """Return top-level names and the folders that they can be imported from."""
        roots: dict[str, set[str]] = defaultdict(set)
        for path in self._tree.paths:
            folder, _, name = path.rpartition("/")
            if folder not in self._packages and self._tree.family_of(path) == "python":
                roots[name.partition(".")[0]].add(folder)
        for folder in self._packages:
            if folder and dirname(folder) not in self._packages:
                roots[folder.rpartition("/")[2]].add(dirname(folder))
        for folder in self._tree.folders:
            root, _, name = folder.rpartition("/")
            if name and root in ("", "src", "lib") and root not in self._packages:
                roots[name].add(root)
        return {name: sorted(folders, key=_depth_key) for name, folders in roots.items()}


def _depth_key(folder: str) -> tuple[int, str]:
    return folder.count("/") + bool(folder), folder


def python_local_name(module: str) -> str:
    """Return the name that `import a.b` binds."""
    return module.partition(".")[0]


def python_bound_module(item: Import) -> str:
    """Return the module that the local name of an import refers to: `import a.b` binds `a`."""
    return item.module if item.symbol or item.alias else python_local_name(item.module)
