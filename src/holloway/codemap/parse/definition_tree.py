"""Nesting of definitions: which one contains which, by position in the file and by the type a method is declared on."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse import CLASS_KINDS
from holloway.codemap.parse.facts import MODULE_SCOPE

if TYPE_CHECKING:
    from collections.abc import Collection

    from tree_sitter import Node

DEFINITION_DEPTH_MAX = 40
"""Maximum nesting depth of definitions; deeper ones are treated as top-level."""

NAMESPACE_KIND = "namespace"
UNNAMED = "unnamed"

DEFINITION_KINDS = ("function", "interface", "enum", "class", "type", NAMESPACE_KIND, "variable", "impl", UNNAMED)
_RANK = {kind: rank for rank, kind in enumerate(DEFINITION_KINDS)}
_HOLDERS = CLASS_KINDS | {NAMESPACE_KIND}
_MEMBERSHIP = CLASS_KINDS | {"impl"}


class DefinitionMatch(NamedTuple):
    """A definition as matched by a query."""

    start: int
    end: int
    kind: str
    name: str
    name_at: int
    node: Node
    returns: str
    receiver: str
    is_declaration: bool
    """Whether it is only a declaration of something that is, or may be, defined in full elsewhere."""


class DefinitionTree:
    """The definitions of a file in order, and for each the definition that it belongs to."""

    def __init__(self, matches: list[DefinitionMatch], selves: Collection[str]) -> None:
        self._selves = selves
        self.ordered = _deduplicate_matches(matches)
        self.lexical = _find_lexical_parents(self.ordered)
        self._starts = [match.start for match in self.ordered]
        self._ends = [0 if match.kind == "variable" else match.end for match in self.ordered]
        self._classes = self._index_classes()
        self._owners = [self._find_owner(index) for index in range(len(self.ordered))]
        self.dropped: set[int] = set()
        self.new_indexes = self._assign_indexes()
        self._names: dict[int, str] = {}
        self._edges = sorted({*self._starts, *self._ends})
        self._scopes = [self._compute_scope(position) for position in self._edges]

    def innermost_at(self, at: int) -> int:
        """Return the innermost matched definition that contains a byte and has a scope, or MODULE_SCOPE."""
        index = bisect_right(self._starts, at) - 1
        while index >= 0 and self._ends[index] <= at:
            index = self.lexical[index]
        return index

    def scope_at(self, at: int) -> int:
        """Return the index of the definition that contains a byte, or MODULE_SCOPE."""
        # The scope is constant between two neighbouring boundaries of definitions.
        index = bisect_right(self._edges, at) - 1
        return self._scopes[index] if index >= 0 else MODULE_SCOPE

    def _compute_scope(self, at: int) -> int:
        index = self.innermost_at(at)
        return self.new_indexes[index] if index >= 0 else MODULE_SCOPE

    def parent_of(self, index: int) -> int:
        """Return the index of the definition that this one belongs to."""
        owner = self._owners[index]
        return self.new_indexes[owner] if owner >= 0 else MODULE_SCOPE

    def is_method(self, index: int) -> bool:
        """Whether this is a function of a type."""
        match = self.ordered[index]
        parent = self.lexical[index]
        return match.kind == "function" and bool(
            match.receiver or (parent >= 0 and self.ordered[parent].kind in _MEMBERSHIP)
        )

    def qualified_name(self, index: int) -> str:
        """Return the dotted name, prefixed with the names of the definitions that it belongs to."""
        if index not in self._names:
            match = self.ordered[index]
            owner = self._owners[index]
            prefix = self.qualified_name(owner) if owner >= 0 else self.external_type(index)
            self._names[index] = f"{prefix}.{match.name}" if prefix and match.kind != "impl" else prefix or match.name
        return self._names[index]

    def external_type(self, index: int) -> str:
        """Return the type of a method if that type is not defined in this file, else an empty string."""
        match = self.ordered[index]
        if self._owners[index] >= 0 or match.receiver in self._selves:
            return ""
        parent = self.lexical[index]
        return match.receiver or (
            self.ordered[parent].name if parent >= 0 and self.ordered[parent].kind == "impl" else ""
        )

    def _index_classes(self) -> dict[tuple[int, str], int]:
        by_scope: dict[tuple[int, str], int] = {}
        reachable: dict[tuple[int, str], int] = {}
        for index, match in enumerate(self.ordered):
            if match.kind in CLASS_KINDS:
                parent = self.lexical[index]
                by_scope.setdefault((parent, match.name), index)
                while parent >= 0 and self.ordered[parent].kind in _HOLDERS:
                    parent = self.lexical[parent]
                if parent == MODULE_SCOPE:
                    reachable.setdefault((MODULE_SCOPE, match.name), index)
        return reachable | by_scope

    def _find_owner(self, index: int) -> int:
        """Return the owner of a definition: an impl block stands for its type, a receiver names one."""
        match = self.ordered[index]
        parent = self.lexical[index]
        while parent >= 0 and self.ordered[parent].kind == UNNAMED:
            parent = self.lexical[parent]
        if match.receiver in self._selves:
            enclosing_class = self._find_enclosing_class(parent)
            return enclosing_class if enclosing_class >= 0 else parent
        type_name = match.receiver or (match.name if match.kind == "impl" else "")
        if type_name:
            type_name = type_name.rpartition(".")[2]
            # Only sibling and top-level types are considered: a type inside the function could create a cycle.
            return self._classes.get((parent, type_name), self._classes.get((MODULE_SCOPE, type_name), MODULE_SCOPE))
        if parent >= 0 and self.ordered[parent].kind == "impl":
            return self._find_owner(parent)
        return parent

    def _find_enclosing_class(self, index: int) -> int:
        while index >= 0 and self.ordered[index].kind not in CLASS_KINDS:
            index = self.lexical[index]
        return index

    def _assign_indexes(self) -> list[int]:
        """Return the new index of each definition; a dropped one gets the index of the definition that contains it."""
        new_indexes: list[int] = []
        count = 0
        first_full: dict[tuple[int, str, str], int] = {}
        for index, match in enumerate(self.ordered):
            if not match.is_declaration:
                first_full.setdefault((self._owners[index], match.kind, match.name), index)
        replaced_by: dict[int, int] = {}
        for index, match in enumerate(self.ordered):
            owner = self._owners[index]
            stand_in = first_full.setdefault((owner, match.kind, match.name), index) if match.is_declaration else index
            is_small = match.kind == "variable" or match.is_declaration
            is_local = is_small and owner >= 0 and self.ordered[owner].kind == "function"
            if is_local or match.kind in ("impl", UNNAMED):
                stand_in = owner
            if stand_in == index:
                new_indexes.append(count)
                count += 1
            else:
                replaced_by[index] = stand_in
                new_indexes.append(MODULE_SCOPE)
        self.dropped.update(replaced_by)
        for index, stand_in in replaced_by.items():
            new_indexes[index] = new_indexes[stand_in] if stand_in >= 0 else MODULE_SCOPE
        return new_indexes


def _deduplicate_matches(matches: list[DefinitionMatch]) -> list[DefinitionMatch]:
    """Deduplicate matches by the position of their name, in file order, containers before their contents."""
    ordered: list[DefinitionMatch] = []
    seen_names: set[int] = set()
    function_ends: set[int] = set()
    for match in sorted(
        matches, key=lambda match: (match.start, -match.end, _RANK[match.kind], not match.returns, not match.receiver)
    ):
        if match.kind == UNNAMED and match.end in function_ends:
            # This is the function value of a named definition that was already matched.
            function_ends.discard(match.end)
        elif match.name_at not in seen_names:
            seen_names.add(match.name_at)
            ordered.append(match)
            if match.kind == "function":
                function_ends.add(match.end)
    return ordered


def _find_lexical_parents(ordered: list[DefinitionMatch]) -> list[int]:
    parents: list[int] = []
    stack: list[int] = []
    for index, match in enumerate(ordered):
        # Two names that one statement defines are siblings, although they cover the same bytes.
        while stack and (ordered[stack[-1]].end <= match.start or ordered[stack[-1]][:2] == match[:2]):
            stack.pop()
        parents.append(stack[-1] if stack and len(stack) < DEFINITION_DEPTH_MAX else MODULE_SCOPE)
        stack.append(index)
    return parents
