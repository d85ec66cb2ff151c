"""Import rules of C, C++, Ruby and PHP: a file near the one that imports it, or one whose path ends in the name."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import ImportTarget, normalise_path

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree


def find_c_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the included file."""
    sibling = normalise_path(join(dirname(origin), module))
    if sibling in tree.paths:
        return ImportTarget(str(sibling))
    named = tree.nearest_by_suffix("c", module, origin)
    return ImportTarget(named) if named else ImportTarget(package=module)


def find_ruby_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the required file, with or without its suffix; it may also be below `lib`."""
    for name in (normalise_path(join(dirname(origin), module)), join("lib", module)):
        for path in (name, f"{name}.rb"):
            if path in tree.paths:
                return ImportTarget(str(path))
    named = tree.nearest_by_suffix("ruby", module if module.endswith(".rb") else module + ".rb", origin)
    return ImportTarget(named) if named else ImportTarget(package=module.partition("/")[0])


def find_php_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the file whose path ends like the name, ignoring leading parts that match no folder."""
    path = module.replace("\\", "/").replace(".php", "").replace(".", "/").strip("/")
    parts = path.split("/")
    for start in range(max(len(parts) - 1, 1)):
        if matching_path := tree.nearest_by_suffix("php", "/".join(parts[start:]) + ".php", origin):
            return ImportTarget(matching_path)
    return ImportTarget(package=parts[0])
