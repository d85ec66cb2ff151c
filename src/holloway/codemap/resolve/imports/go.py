"""Import rules of Go: an import path leads to a folder, whose files form one package."""

from __future__ import annotations

import re
from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import NO_TARGET, ImportTarget

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


class GoImports:
    """Resolves packages of the modules that go.mod files declare."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        modules = tree.map_manifest_names("go.mod", _module_name)
        self._modules = sorted(modules.items(), key=lambda item: -len(item[0]))
        """Names and folders, longest name first: a module may contain another."""

    def find_target(self, origin: str, module: str) -> ImportTarget:
        """Return the folder of a package."""
        for name, folder in self._modules:
            if module == name or module.startswith(name + "/"):
                package_folder = join(folder, module[len(name) + 1 :]).rstrip("/")
                return ImportTarget(package_folder + "/") if package_folder in self._tree.directories else NO_TARGET
        return ImportTarget(package=module)

    def names_for(self, path: str) -> set[str]:
        """Return the modules whose root package contains a file."""
        return {module for module, home in self._modules if home == dirname(path)}


def _module_name(text: str) -> str:
    match = _MODULE.search(text)
    return match.group(1) if match else ""


def local_name(module: str) -> str:
    """Return the name that an import binds: the last part of the path that is no version."""
    path = module.rstrip("/")
    last = path.replace(".", "/").rpartition("/")[2]
    is_version = last[:1] == "v" and last[1:].isdigit()
    return path.rpartition("/")[0].rpartition("/")[2] if is_version else last
