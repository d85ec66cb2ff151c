"""Import rules of C and C++: the file next to the one that includes it, or one whose path ends in the name."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import normalise_path
from holloway.codemap.resolve.imports.import_target import ImportTarget

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree


def find_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the included file."""
    sibling = normalise_path(join(dirname(origin), module))
    if sibling in tree.paths:
        return ImportTarget(str(sibling))
    named = tree.nearest_by_suffix("c", module, origin)
    return ImportTarget(named) if named else ImportTarget(package=module)
