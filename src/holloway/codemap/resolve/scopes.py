"""The names of one file, ready to be looked up: what each scope defines, binds and imports."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from holloway.codemap.parse.definition_kinds import CLASS_KINDS
from holloway.codemap.parse.facts import MODULE_SCOPE, STAR
from holloway.codemap.parse.languages import LANGUAGES, family
from holloway.codemap.resolve.imports import go, python
from holloway.codemap.resolve.language_families import OPEN_FAMILIES
from holloway.codemap.resolve.targets import TARGETS_MAX

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from holloway.codemap.parse.facts import Binding, Facts, Import

    Saying = int | Binding | Import
    """What a scope says of a name: a definition, by its number, what it is bound to, or that it is imported."""

_NOTHING: dict[str, Saying | list[Saying]] = {}
_LOCAL_NAMES = {"python": python.local_name, "go": go.local_name}
"""The name that an import of a module binds, where it is not simply the last of its path."""


def first_name(expression: str) -> str:
    """The name that a chain begins with."""
    return expression.partition(".")[0].rstrip("()")


class Scopes:
    """A file's facts, indexed by scope and name; small, because those of many files are held at once."""

    def __init__(self, path: str, language: str, facts: Facts) -> None:
        self.path = path
        self.facts = facts
        self.family = family(language)
        self.selves = LANGUAGES[language].selves if language in LANGUAGES else ()
        self.stars: list[Import] = []
        self.bases: dict[int, list[str]] = {}
        self._said: dict[int, dict[str, Saying | list[Saying]]] = {}
        """For each scope and name what it says; most names have one thing said of them, which then stands alone."""
        for index, definition in enumerate(facts.definitions):
            if "." not in definition.qualified or definition.parent != MODULE_SCOPE:
                self._say(definition.parent, definition.name, index)
        for binding in facts.bindings:
            self._say(binding.scope, binding.name, binding)
        for item in facts.imports:
            if item.symbol == STAR and not item.alias:
                self.stars.append(item)
            else:
                self._say(item.scope, self.local_name(item), item)
        for base in facts.bases:
            self.bases.setdefault(base.scopes[0], []).append(base.name)
        self.is_closed = self.family not in OPEN_FAMILIES and not self.stars
        """Whether a name that is not in this file is nowhere."""

    def _say(self, scope: int, name: str, saying: Saying) -> None:
        names = self._said.get(scope)
        if names is None:
            names = self._said[scope] = {}
        there = names.get(name)
        if there is None:
            names[name] = saying
        elif not isinstance(there, list):
            names[name] = [there, saying]
        elif sum(type(one) is type(saying) for one in there) < TARGETS_MAX:
            there.append(saying)

    def said(self, scope: int, name: str) -> Sequence[Saying]:
        """What a scope itself says of a name: definitions first, then what it is bound to, then imports."""
        found = self._said.get(scope, _NOTHING).get(name)
        return () if found is None else found if isinstance(found, list) else (found,)

    def binds(self, scope: int, name: str) -> bool:
        """Whether a scope itself says what a name stands for."""
        return name in self._said.get(scope, _NOTHING)

    def names_in(self, scope: int) -> Collection[str]:
        """The names that a scope itself says something of."""
        return self._said.get(scope, _NOTHING).keys()

    def defines(self, scope: int, name: str) -> bool:
        """Whether a scope has a definition of that name."""
        found = self._said.get(scope, _NOTHING).get(name)
        return isinstance(found[0] if isinstance(found, list) else found, int)

    def defined_in(self, scope: int) -> Iterator[tuple[str, int]]:
        """The names that a scope defines, each with its first definition."""
        for name in self._said.get(scope, _NOTHING):
            saying = self.said(scope, name)[0]
            if isinstance(saying, int):
                yield name, saying

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
        if name in self.selves or name == "super":
            return self.class_around(scope)
        is_python = self.family == "python"
        innermost = scope
        while scope >= 0:
            definition = self.facts.definitions[scope]
            is_class = definition.kind in CLASS_KINDS
            # A class's own names are not seen from inside its methods, except where the language says so.
            if is_class and not is_python:
                return scope
            if name in self._said.get(scope, _NOTHING) and (not is_class or scope == innermost):
                return scope
            scope = definition.parent
        return scope

    def names(self) -> set[str]:
        """All names that mean something in this file, in whatever scope."""
        return {"super", *self.selves}.union(*self._said.values())

    @cached_property
    def by_qualified(self) -> dict[str, list[int]]:
        """The definitions by their whole names."""
        found: dict[str, list[int]] = {}
        for index, definition in enumerate(self.facts.definitions):
            found.setdefault(definition.qualified, []).append(index)
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
