"""The names of one file, ready to be looked up: what each scope defines, binds and imports."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from holloway.codemap.reading.facts import MODULE_SCOPE, STAR
from holloway.codemap.reading.kinds import CLASS_KINDS
from holloway.codemap.reading.languages import LANGUAGES, family
from holloway.codemap.resolving.families import OPEN_FAMILIES
from holloway.codemap.resolving.imports import go, python

if TYPE_CHECKING:
    from holloway.codemap.reading.facts import Binding, Facts, Import


Place = tuple[int, str]
"""A scope and a name in it."""

_LOCAL_NAMES = {"python": python.local_name, "go": go.local_name}
"""The name that an import of a module binds, where it is not simply the last of its path."""


def first_name(expression: str) -> str:
    """The name that a chain begins with."""
    return expression.partition(".")[0].rstrip("()")


class Scopes:
    """A file's facts, indexed by scope and name."""

    def __init__(self, path: str, language: str, facts: Facts) -> None:
        self.path = path
        self.facts = facts
        self.family = family(language)
        self.selves = LANGUAGES[language].selves if language in LANGUAGES else ()
        self.definitions: dict[Place, list[int]] = {}
        self.bindings: dict[Place, list[Binding]] = {}
        self.imports: dict[Place, list[Import]] = {}
        self.stars: list[Import] = []
        self.bases: dict[int, list[str]] = defaultdict(list)
        self._binding: dict[Place, int] = {}
        for index, definition in enumerate(facts.definitions):
            if "." not in definition.qualified or definition.parent != MODULE_SCOPE:
                self.definitions.setdefault((definition.parent, definition.name), []).append(index)
        for binding in facts.bindings:
            self.bindings.setdefault((binding.scope, binding.name), []).append(binding)
        for item in facts.imports:
            if item.symbol == STAR and not item.alias:
                self.stars.append(item)
            else:
                self.imports.setdefault((item.scope, self.local_name(item)), []).append(item)
        for base in facts.bases:
            self.bases[base.scopes[0]].append(base.name)
        self._places = {*self.definitions, *self.bindings, *self.imports}
        self.names = {name for _, name in self._places}
        """All names that the file says something of, in whatever scope."""
        self.is_closed = self.family not in OPEN_FAMILIES and not self.stars
        """Whether a name that is not in this file is nowhere."""

    def local_name(self, item: Import) -> str:
        """The name under which an import is known in this file."""
        if item.alias or item.symbol:
            return item.alias or item.symbol
        named = _LOCAL_NAMES.get(self.family)
        return named(item.module) if named else item.module.rstrip("/").replace(".", "/").rpartition("/")[2]

    def binding_scope(self, scope: int, name: str) -> int:
        """The scope that the first name of an expression is looked up in: the innermost that binds it.

        Where it is the same for many mentions, they mean the same.
        """
        if scope < 0:
            return scope
        place = (scope, name)
        found = self._binding.get(place)
        if found is None:
            found = self._binding[place] = self._find_binding(*place)
        return found

    def _find_binding(self, scope: int, name: str) -> int:
        if name in self.selves or name == "super":
            return self.class_around(scope)
        if name not in self.names and self.family == "python":
            return MODULE_SCOPE
        innermost = scope
        while scope >= 0:
            # A class's own names are not seen from inside its methods, except where the language says so.
            is_class = self.kind(scope) in CLASS_KINDS
            is_seen = not is_class or scope == innermost or self.family != "python"
            if is_seen and (self.binds(scope, name) or (is_class and self.family != "python")):
                return scope
            scope = self.parent(scope)
        return scope

    def binds(self, scope: int, name: str) -> bool:
        """Whether a scope itself says what a name stands for."""
        return (scope, name) in self._places

    def is_strange(self, name: str) -> bool:
        """Whether a name is nowhere in this file, nor anywhere that its code could see it from."""
        return self.is_closed and name not in self.names and name not in self.selves and name != "super"

    @cached_property
    def by_qualified(self) -> dict[str, list[int]]:
        """The definitions by their whole names."""
        found: dict[str, list[int]] = {}
        for index, definition in enumerate(self.facts.definitions):
            found.setdefault(definition.qualified, []).append(index)
        return found

    @cached_property
    def members(self) -> dict[int, list[tuple[str, list[int]]]]:
        """What each scope defines: a name, and the definitions that have it."""
        found: dict[int, list[tuple[str, list[int]]]] = {}
        for (scope, name), indexes in self.definitions.items():
            found.setdefault(scope, []).append((name, indexes))
        return found

    def kind(self, index: int) -> str:
        """The kind of a definition."""
        return self.facts.definitions[index].kind

    def parent(self, scope: int) -> int:
        """The scope around a scope."""
        return self.facts.definitions[scope].parent

    def class_around(self, scope: int) -> int:
        """The class that a scope lies in, or MODULE_SCOPE."""
        while scope >= 0 and self.kind(scope) not in CLASS_KINDS:
            scope = self.parent(scope)
        return scope
