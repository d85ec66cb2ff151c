"""Import rules of C and C++: the file next to the one that includes it, or one whose path ends in the name."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import within
from holloway.codemap.resolve.imports.import_target import Place

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import Tree


def find(tree: Tree, origin: str, module: str) -> Place:
    """Return the included file."""
    sibling = within(join(dirname(origin), module))
    if sibling in tree.paths:
        return Place(str(sibling))
    named = tree.of_suffix("c", module, origin)
    return Place(named) if named else Place(package=module)
