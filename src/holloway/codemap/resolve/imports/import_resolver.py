"""Import resolution: maps a module name to the file it refers to, by the rules of the importing file's language.

The result depends only on the project's paths and a few small manifests, so the same tree gives the same answers in any
order.
"""

from __future__ import annotations

import re
from functools import partial
from posixpath import dirname
from typing import TYPE_CHECKING

from holloway.codemap.parse.languages import PACKAGE_FAMILIES, PACKAGE_FILE_STEMS, find_family, language_of
from holloway.codemap.resolve.imports.file_tree import NO_TARGET, FileTree, ImportTarget, stem_of
from holloway.codemap.resolve.imports.javascript import ScriptImports
from holloway.codemap.resolve.imports.other_languages import (
    GoImports,
    RustImports,
    find_c_target,
    find_java_target,
    find_php_target,
    find_ruby_target,
    rust_module,
)
from holloway.codemap.resolve.imports.python import PythonImports, python_bound_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.codemap.parse.facts import Import

TARGETS_CACHED_MAX = 20_000
"""Cached targets, because the same file soon asks again: about 6 MB."""

_WORD = re.compile(r"\w+")


class ImportResolver:
    """Finds the file that a module name refers to."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str]) -> None:
        self.tree = tree = FileTree(paths, read)
        self._python = PythonImports(tree)
        self._script = ScriptImports(tree)
        self._go = GoImports(tree)
        self._rust = RustImports(tree)
        self._rules: dict[str, Callable[[str, str], ImportTarget]] = {
            "python": self._python.find_target,
            "javascript": self._script.find_target,
            "go": self._go.find_target,
            "rust": self._rust.find_target,
            "java": partial(find_java_target, tree),
            "c": partial(find_c_target, tree),
            "ruby": partial(find_ruby_target, tree),
            "php": partial(find_php_target, tree),
        }
        self._cached: dict[tuple[str, str, str], ImportTarget] = {}

    def find_target(self, language_family: str, origin: str, module: str) -> ImportTarget:
        """Return the target that `module` refers to in the file `origin`."""
        key = (language_family, origin, module)
        place = self._cached.get(key)
        if place is None:
            rule = self._rules.get(language_family)
            place = rule(origin, module) if rule and module else NO_TARGET
            if len(self._cached) >= TARGETS_CACHED_MAX:
                self._cached.clear()
            self._cached[key] = place
        return place

    def find_import_target(self, language_family: str, origin: str, item: Import) -> ImportTarget:
        """Return the target that an import statement names."""
        module = rust_module(item) if language_family == "rust" else item.module
        return self.find_target(language_family, origin, module)

    def find_bound_target(self, language_family: str, origin: str, item: Import) -> ImportTarget:
        """Return the target that the local name of an import refers to, or is defined in."""
        if language_family == "python":
            return self.find_target("python", origin, python_bound_module(item))
        return self.find_import_target(language_family, origin, item)

    def find_submodule(self, language_family: str, place: ImportTarget, name: str) -> ImportTarget:
        """Return the module of that name inside a package, for languages in which packages contain modules."""
        return self._python.find_submodule(place, name) if language_family == "python" else NO_TARGET

    def words_for(self, path: str) -> set[str]:
        """Return a word for each name by which an import may refer to this file, whether or not it exists."""
        stem = stem_of(path)
        row = language_of(path)
        language = find_family(row.name) if row else ""
        names = {stem, *self._script.names_for(path)}
        if stem in PACKAGE_FILE_STEMS or language in PACKAGE_FAMILIES:
            names.add(dirname(path).rpartition("/")[2])
        if stem == "__init__":
            names |= self._python.list_names_beside(path)
        if language == "go":
            names |= self._go.names_for(path)
        if language == "rust":
            names |= self._rust.names_for(path)
        return {max(words, key=lambda word: (len(word), word)) for name in names if (words := words_in(name))}


def words_in(name: str) -> list[str]:
    """Return the words of a module name, as they are stored to find its importers."""
    return _WORD.findall(name)
