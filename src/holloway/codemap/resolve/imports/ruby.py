"""Import rules of Ruby: a file next to the one that requires it, below `lib`, or one whose path ends in the name."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import normalise_path
from holloway.codemap.resolve.imports.import_target import ImportTarget

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree


def find_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the required file, with or without its suffix."""
    for name in (normalise_path(join(dirname(origin), module)), join("lib", module)):
        for path in (name, f"{name}.rb"):
            if path in tree.paths:
                return ImportTarget(str(path))
    named = tree.nearest_by_suffix("ruby", module if module.endswith(".rb") else module + ".rb", origin)
    return ImportTarget(named) if named else ImportTarget(package=module.partition("/")[0])
