"""Import resolution: maps a module name to the file it refers to, by the rules of the importing file's language.

The result depends only on the project's paths and a few small manifests, so the same tree gives the same answers in any
order.
"""

from __future__ import annotations

import re
from functools import partial
from posixpath import dirname
from typing import TYPE_CHECKING

from holloway.codemap.parse.languages import family, language_of
from holloway.codemap.resolve.imports import c, java, php, python, ruby, rust
from holloway.codemap.resolve.imports.file_tree import Tree, stem_of
from holloway.codemap.resolve.imports.go import GoImports
from holloway.codemap.resolve.imports.import_target import NOWHERE, Place
from holloway.codemap.resolve.imports.javascript import ScriptImports
from holloway.codemap.resolve.imports.python import PythonImports
from holloway.codemap.resolve.imports.rust import RustImports
from holloway.codemap.resolve.language_families import FACES, PACKAGE_FAMILIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.codemap.parse.facts import Import

PLACES_KEPT = 20_000
"""Cached targets, because the same file soon asks again: about 6 MB."""

_WORD = re.compile(r"\w+")


class Importer:
    """Finds the file that a module name refers to."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str]) -> None:
        self.tree = tree = Tree(paths, read)
        self._python = PythonImports(tree)
        self._script = ScriptImports(tree)
        self._go = GoImports(tree)
        self._rust = RustImports(tree)
        self._rules: dict[str, Callable[[str, str], Place]] = {
            "python": self._python.find,
            "javascript": self._script.find,
            "go": self._go.find,
            "rust": self._rust.find,
            "java": partial(java.find, tree),
            "c": partial(c.find, tree),
            "ruby": partial(ruby.find, tree),
            "php": partial(php.find, tree),
        }
        self._found: dict[tuple[str, str, str], Place] = {}

    def find(self, language_family: str, origin: str, module: str) -> Place:
        """Return the target that `module` refers to in the file `origin`."""
        key = (language_family, origin, module)
        place = self._found.get(key)
        if place is None:
            rule = self._rules.get(language_family)
            place = rule(origin, module) if rule and module else NOWHERE
            if len(self._found) >= PLACES_KEPT:
                self._found.clear()
            self._found[key] = place
        return place

    def place(self, language_family: str, origin: str, item: Import) -> Place:
        """Return the target that an import statement names."""
        module = rust.module_named(item) if language_family == "rust" else item.module
        return self.find(language_family, origin, module)

    def bound(self, language_family: str, origin: str, item: Import) -> Place:
        """Return the target that the local name of an import refers to, or is defined in."""
        if language_family == "python":
            return self.find("python", origin, python.module_bound(item))
        return self.place(language_family, origin, item)

    def submodule(self, language_family: str, place: Place, name: str) -> Place:
        """Return the module of that name inside a package, for languages in which packages contain modules."""
        return self._python.submodule(place, name) if language_family == "python" else NOWHERE

    def words_for(self, path: str) -> set[str]:
        """Return a word for each name by which an import may refer to this file, whether or not it exists."""
        stem = stem_of(path)
        row = language_of(path)
        language = family(row.name) if row else ""
        names = {stem, *self._script.names_for(path)}
        if stem in FACES or language in PACKAGE_FAMILIES:
            names.add(dirname(path).rpartition("/")[2])
        if stem == "__init__":
            names |= self._python.names_beside(path)
        if language == "go":
            names |= self._go.names_for(path)
        if language == "rust":
            names |= self._rust.names_for(path)
        return {max(words, key=lambda word: (len(word), word)) for name in names if (words := words_in(name))}


def words_in(name: str) -> list[str]:
    """Return the words of a module name, as they are stored to find its importers."""
    return _WORD.findall(name)
