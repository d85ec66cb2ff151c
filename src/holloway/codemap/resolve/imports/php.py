"""Import rules of PHP: a class or an included file, by the longest part of its name that matches a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.import_target import ImportTarget

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree


def find_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the file whose path ends like the name, ignoring leading parts that match no folder."""
    path = module.replace("\\", "/").replace(".php", "").replace(".", "/").strip("/")
    parts = path.split("/")
    for start in range(max(len(parts) - 1, 1)):
        if matching_path := tree.nearest_by_suffix("php", "/".join(parts[start:]) + ".php", origin):
            return ImportTarget(matching_path)
    return ImportTarget(package=parts[0])
