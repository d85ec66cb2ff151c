"""The names of one file, ready to be looked up: what each scope defines, binds and imports."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from holloway.codemap.facts import BASE_KINDS, CLASS_KINDS, MODULE_SCOPE, STAR
from holloway.codemap.languages import LANGUAGES, family

if TYPE_CHECKING:
    from holloway.codemap.facts import Binding, Facts, Import


class Scopes:
    """A file's facts, indexed by scope and name."""

    def __init__(self, path: str, language: str, facts: Facts) -> None:
        self.path = path
        self.facts = facts
        self.family = family(language)
        self.selves = LANGUAGES[language].selves if language in LANGUAGES else ()
        self.definitions: dict[int, dict[str, list[int]]] = defaultdict(dict)
        self.bindings: dict[int, dict[str, list[Binding]]] = defaultdict(dict)
        self.imports: dict[int, dict[str, list[Import]]] = defaultdict(dict)
        self.stars: list[Import] = []
        self.bases: dict[int, list[str]] = defaultdict(list)
        self.by_qualified: dict[str, list[int]] = {}
        for index, definition in enumerate(facts.definitions):
            if "." not in definition.qualified or definition.parent != MODULE_SCOPE:
                self.definitions[definition.parent].setdefault(definition.name, []).append(index)
            self.by_qualified.setdefault(definition.qualified, []).append(index)
        for binding in facts.bindings:
            self.bindings[binding.scope].setdefault(binding.name, []).append(binding)
        for item in facts.imports:
            if item.symbol == STAR and not item.alias:
                self.stars.append(item)
            else:
                self.imports[item.scope].setdefault(self.local_name(item), []).append(item)
        for reference in facts.references:
            if reference.kind in BASE_KINDS and reference.scope >= 0:
                self.bases[reference.scope].append(reference.name)

    def local_name(self, item: Import) -> str:
        """The name under which an import is known in this file."""
        if item.alias or item.symbol:
            return item.alias or item.symbol
        if self.family == "python":
            return item.module.partition(".")[0]
        last = item.module.rstrip("/").replace(".", "/").rpartition("/")[2]
        if self.family == "go" and last[:1] == "v" and last[1:].isdigit():
            last = item.module.rstrip("/").rpartition("/")[0].rpartition("/")[2]
        return last

    def binding_scope(self, scope: int, expression: str) -> int:
        """The scope that the first name of an expression is looked up in: the innermost that binds it.

        Where it is the same for many mentions, they mean the same.
        """
        if scope < 0:
            return scope
        name = expression.partition(".")[0].rstrip("()")
        if name in self.selves or name == "super":
            return self.class_around(scope)
        innermost = scope
        while scope >= 0:
            # A class's own names are not seen from inside its methods, except where the language says so.
            is_class = self.kind(scope) in CLASS_KINDS
            is_seen = not is_class or scope == innermost or self.family != "python"
            if is_seen and (self._binds(scope, name) or (is_class and self.family != "python")):
                return scope
            scope = self.parent(scope)
        return scope

    def _binds(self, scope: int, name: str) -> bool:
        return (
            name in self.definitions.get(scope, ())
            or name in self.bindings.get(scope, ())
            or name in self.imports.get(scope, ())
        )

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
