"""Java and Kotlin: a class has the name of its file, a package that of its folder, wherever the sources begin."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from holloway.codemap.parse.facts import MODULE_SCOPE
from holloway.codemap.resolve.imports.file_tree import ends_in, nearest
from holloway.codemap.resolve.imports.import_target import Place
from holloway.codemap.resolve.targets import few

if TYPE_CHECKING:
    from holloway.codemap.parse.facts import Import
    from holloway.codemap.resolve.imports.file_tree import Tree
    from holloway.codemap.resolve.name_resolution import Names
    from holloway.codemap.resolve.targets import Targets

_PACKAGE_NAMES = 3
"""Of a package from outside: `org.junit.jupiter`."""


def find(tree: Tree, origin: str, module: str) -> Place:
    """The file of a class, or the folder of a package."""
    whole = module.replace(".", "/")
    folder, _, name = whole.rpartition("/")
    while folder or name:
        near = [path for path in tree.named("java", name) if ends_in(dirname(path), folder)]
        if near:
            return Place(nearest(near, origin))
        if name[:1].islower() and folder:
            break
        folder, _, name = folder.rpartition("/")
    if folders := tree.folders_named(whole):
        return Place(nearest(folders, origin) + "/")
    return Place(package=".".join(module.split(".")[:_PACKAGE_NAMES]))


def inside(names: Names, path: str, item: Import, name: str) -> Targets:
    """`import a.b.C` names the class C at the top of the file; a static import a member of its class."""
    scopes = names.scopes(path)
    tops = scopes.defined_in(MODULE_SCOPE) if scopes else ()
    return few(member for _, top in tops for member in names.members.of_class(path, top, name))
