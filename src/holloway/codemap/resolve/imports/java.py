"""Import rules of Java and Kotlin: a class is named like its file, a package like its folder, below any source root."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import ImportTarget, ends_in, find_nearest

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree

_PACKAGE_NAMES = 3
"""Parts that identify an external package: `org.junit.jupiter`."""


def find_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the file of a class, or the folder of a package."""
    full_path = module.replace(".", "/")
    folder, _, name = full_path.rpartition("/")
    while folder or name:
        candidates = [path for path in tree.find_by_stem("java", name) if ends_in(dirname(path), folder)]
        if candidates:
            return ImportTarget(find_nearest(candidates, origin))
        if name[:1].islower() and folder:
            break
        folder, _, name = folder.rpartition("/")
    if folders := tree.find_folders(full_path):
        return ImportTarget(find_nearest(folders, origin) + "/")
    return ImportTarget(package=".".join(module.split(".")[:_PACKAGE_NAMES]))
