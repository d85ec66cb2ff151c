"""PHP: a class or an included file by as much of its name as the project's paths have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.import_target import Place

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import Tree


def find(tree: Tree, origin: str, module: str) -> Place:
    """The file whose path ends as the name does, without names at its beginning that no folder has."""
    path = module.replace("\\", "/").replace(".php", "").replace(".", "/").strip("/")
    parts = path.split("/")
    for start in range(max(len(parts) - 1, 1)):
        if found := tree.of_suffix("php", "/".join(parts[start:]) + ".php", origin):
            return Place(found)
    return Place(package=parts[0])
