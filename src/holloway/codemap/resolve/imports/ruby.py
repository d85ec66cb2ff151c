"""Import rules of Ruby: a file next to the one that requires it, below `lib`, or one whose path ends in the name."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import within
from holloway.codemap.resolve.imports.import_target import Place

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import Tree


def find(tree: Tree, origin: str, module: str) -> Place:
    """Return the required file, with or without its suffix."""
    for name in (within(join(dirname(origin), module)), join("lib", module)):
        for path in (name, f"{name}.rb"):
            if path in tree.paths:
                return Place(str(path))
    named = tree.of_suffix("ruby", module if module.endswith(".rb") else module + ".rb", origin)
    return Place(named) if named else Place(package=module.partition("/")[0])
