"""From a module's name to the file behind it, by the rules of the language that it is written in.

Everything here is a function of the project's paths and of a few small manifests, so the same tree gives the same
answers in whatever order it was read.
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
"""Answers that are kept because the same file soon asks again: about 6 MB."""

_WORD = re.compile(r"\w+")


class Importer:
    """Finds the file behind a module name."""

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
        """The place that `module` names in the file `origin`."""
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
        """The place that an import statement names."""
        module = rust.module_named(item) if language_family == "rust" else item.module
        return self.find(language_family, origin, module)

    def bound(self, language_family: str, origin: str, item: Import) -> Place:
        """The place that the local name of an import stands for, or holds what it does."""
        if language_family == "python":
            return self.find("python", origin, python.module_bound(item))
        return self.place(language_family, origin, item)

    def submodule(self, language_family: str, place: Place, name: str) -> Place:
        """The module of that name inside a package, for languages where packages hold modules."""
        return self._python.submodule(place, name) if language_family == "python" else NOWHERE

    def words_for(self, path: str) -> set[str]:
        """For each name by which an import may mean this file, be it there or not, a word of that name."""
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
    """The words of a module's name, as they are kept to find who imports it."""
    return _WORD.findall(name)
