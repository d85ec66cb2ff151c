"""Symbol table of one file: for each scope its definitions, bindings and imports by name."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from holloway.codemap.parse import CLASS_KINDS
from holloway.codemap.parse.facts import MODULE_SCOPE, STAR
from holloway.codemap.parse.languages import LANGUAGES, OPEN_FAMILIES, find_family
from holloway.codemap.resolve.imports.other_languages import go_local_name
from holloway.codemap.resolve.imports.python import python_local_name
from holloway.codemap.resolve.resolution import TARGETS_MAX

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from holloway.codemap.parse.facts import Binding, Facts, Import

    NameSource = int | Binding | Import
    """Source of a name's meaning in a scope: the index of a definition, a binding, or an import."""

_NOTHING: dict[str, NameSource | list[NameSource]] = {}
_LOCAL_NAMES = {"python": python_local_name, "go": go_local_name}
"""Functions that return the name a module import binds, if it is not simply the last part of its path."""


def first_name(expression: str) -> str:
    """Return the name that a chain begins with."""
    return expression.partition(".")[0].rstrip("()")


class Scopes:
    """A file's facts indexed by scope and name; compact, because those of many files are in memory at once."""

    def __init__(self, path: str, language: str, facts: Facts) -> None:
        self.path = path
        self.facts = facts
        self.family = find_family(language)
        self.selves = LANGUAGES[language].selves if language in LANGUAGES else ()
        self.stars: list[Import] = []
        self.bases: dict[int, list[str]] = {}
        self._sources: dict[int, dict[str, NameSource | list[NameSource]]] = {}
        """Sources of each name by scope; most names have a single source, which is stored without a list."""
        for index, definition in enumerate(facts.definitions):
            if "." not in definition.qualified or definition.parent != MODULE_SCOPE:
                self._add_source(definition.parent, definition.name, index)
        for binding in facts.bindings:
            self._add_source(binding.scope, binding.name, binding)
        for item in facts.imports:
            if item.symbol == STAR and not item.alias:
                self.stars.append(item)
            else:
                self._add_source(item.scope, self.local_name(item), item)
        for base in facts.bases:
            self.bases.setdefault(base.scopes[0], []).append(base.name)
        self.is_closed = self.family not in OPEN_FAMILIES and not self.stars
        """Whether a name that does not occur in this file cannot be resolved."""

    def _add_source(self, scope: int, name: str, new_source: NameSource) -> None:
        names = self._sources.get(scope)
        if names is None:
            names = self._sources[scope] = {}
        existing = names.get(name)
        if existing is None:
            names[name] = new_source
        elif not isinstance(existing, list):
            names[name] = [existing, new_source]
        elif sum(type(source) is type(new_source) for source in existing) < TARGETS_MAX:
            existing.append(new_source)

    def find_sources(self, scope: int, name: str) -> Sequence[NameSource]:
        """Return the sources of a name in a scope itself: definitions first, then bindings, then imports."""
        entry = self._sources.get(scope, _NOTHING).get(name)
        return () if entry is None else entry if isinstance(entry, list) else (entry,)

    def has_name(self, scope: int, name: str) -> bool:
        """Whether a scope itself binds a name."""
        return name in self._sources.get(scope, _NOTHING)

    def names_in(self, scope: int) -> Collection[str]:
        """Return the names that a scope itself binds."""
        return self._sources.get(scope, _NOTHING).keys()

    def has_definition(self, scope: int, name: str) -> bool:
        """Whether a scope has a definition of that name."""
        entry = self._sources.get(scope, _NOTHING).get(name)
        return isinstance(entry[0] if isinstance(entry, list) else entry, int)

    def defined_in(self, scope: int) -> Iterator[tuple[str, int]]:
        """Yield the names that a scope defines, each with its first definition."""
        for name in self._sources.get(scope, _NOTHING):
            source = self.find_sources(scope, name)[0]
            if isinstance(source, int):
                yield name, source

    def local_name(self, item: Import) -> str:
        """Return the name that an import binds in this file."""
        if item.alias or item.symbol:
            return item.alias or item.symbol
        to_local_name = _LOCAL_NAMES.get(self.family)
        return (
            to_local_name(item.module)
            if to_local_name
            else item.module.rstrip("/").replace(".", "/").rpartition("/")[2]
        )

    def binding_scope(self, scope: int, name: str) -> int:
        """Return the scope that the first name of an expression is looked up in: the innermost that binds it.

        References with the same binding scope have the same meaning.
        """
        if name in self.selves or name == "super":
            return self.find_class(scope)
        is_python = self.family == "python"
        innermost = scope
        while scope >= 0:
            definition = self.facts.definitions[scope]
            is_class = definition.kind in CLASS_KINDS
            # Python's methods do not see the names of their class; other languages' methods do.
            if is_class and not is_python:
                return scope
            if name in self._sources.get(scope, _NOTHING) and (not is_class or scope == innermost):
                return scope
            scope = definition.parent
        return scope

    def all_names(self) -> set[str]:
        """Return all names that are bound in any scope of this file."""
        return {"super", *self.selves}.union(*self._sources.values())

    @cached_property
    def by_qualified(self) -> dict[str, list[int]]:
        """Definitions by their qualified names."""
        indexes: dict[str, list[int]] = {}
        for index, definition in enumerate(self.facts.definitions):
            indexes.setdefault(definition.qualified, []).append(index)
        return indexes

    def kind_of(self, index: int) -> str:
        """Return the kind of a definition."""
        return self.facts.definitions[index].kind

    def parent_of(self, scope: int) -> int:
        """Return the scope that contains a scope."""
        return self.facts.definitions[scope].parent

    def find_class(self, scope: int) -> int:
        """Return the class that contains a scope, or MODULE_SCOPE."""
        while scope >= 0 and self.kind_of(scope) not in CLASS_KINDS:
            scope = self.parent_of(scope)
        return scope
