"""C and C++: the file beside the one that includes it, or one whose path ends so."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import within
from holloway.codemap.resolve.imports.import_target import Place

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import Tree


def find(tree: Tree, origin: str, module: str) -> Place:
    """The file that is included."""
    beside = within(join(dirname(origin), module))
    if beside in tree.paths:
        return Place(str(beside))
    named = tree.of_suffix("c", module, origin)
    return Place(named) if named else Place(package=module)
