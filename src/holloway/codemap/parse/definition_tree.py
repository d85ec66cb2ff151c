"""Which definition lies in which: by where they stand in the file, and by the type that they say they belong to."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.definition_kinds import CLASS_KINDS
from holloway.codemap.parse.facts import MODULE_SCOPE

if TYPE_CHECKING:
    from collections.abc import Collection

    from tree_sitter import Node

DEPTH_MAX = 40
"""Definitions inside definitions; what lies deeper is kept as if it stood at the top."""

NAMESPACE = "namespace"
UNNAMED = "unnamed"

KINDS = ("function", "interface", "enum", "class", "type", NAMESPACE, "variable", "impl", UNNAMED)
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}
_HOLDERS = CLASS_KINDS | {NAMESPACE}
_MEMBERSHIP = CLASS_KINDS | {"impl"}


class Found(NamedTuple):
    """A definition as a query found it."""

    start: int
    end: int
    kind: str
    name: str
    name_at: int
    node: Node
    returns: str
    receiver: str
    is_promise: bool
    """Whether it only announces what is, or may be, defined in full elsewhere."""


class Nesting:
    """The definitions of a file in order, and for each the one that it belongs to."""

    def __init__(self, found: list[Found], selves: Collection[str]) -> None:
        self._selves = selves
        self.ordered = _distinct(found)
        self.lexical = _lexical_parents(self.ordered)
        self._starts = [one.start for one in self.ordered]
        self._ends = [0 if one.kind == "variable" else one.end for one in self.ordered]
        self._classes = self._classes_by_place()
        self._homes = [self._home(index) for index in range(len(self.ordered))]
        self.left_out: set[int] = set()
        self.kept = self._numbered()
        self._names: dict[int, str] = {}
        self._edges = sorted({*self._starts, *self._ends})
        self._scopes = [self._scope_at(at) for at in self._edges]

    def around(self, at: int) -> int:
        """The innermost of the found definitions that holds a byte and has a scope, or MODULE_SCOPE."""
        index = bisect_right(self._starts, at) - 1
        while index >= 0 and self._ends[index] <= at:
            index = self.lexical[index]
        return index

    def scope_at(self, at: int) -> int:
        """The number of the definition that holds a byte, or MODULE_SCOPE."""
        # Nothing changes between where one definition begins or ends and where the next does.
        index = bisect_right(self._edges, at) - 1
        return self._scopes[index] if index >= 0 else MODULE_SCOPE

    def _scope_at(self, at: int) -> int:
        index = self.around(at)
        return self.kept[index] if index >= 0 else MODULE_SCOPE

    def parent(self, index: int) -> int:
        """The number of the definition that this one belongs to."""
        home = self._homes[index]
        return self.kept[home] if home >= 0 else MODULE_SCOPE

    def is_method(self, index: int) -> bool:
        """Whether this is a function of a type."""
        one = self.ordered[index]
        outer = self.lexical[index]
        return one.kind == "function" and bool(one.receiver or (outer >= 0 and self.ordered[outer].kind in _MEMBERSHIP))

    def qualified(self, index: int) -> str:
        """The name with the names of what it belongs to before it, dots between them."""
        if index not in self._names:
            one = self.ordered[index]
            home = self._homes[index]
            prefix = self.qualified(home) if home >= 0 else self.stranger(index)
            self._names[index] = f"{prefix}.{one.name}" if prefix and one.kind != "impl" else prefix or one.name
        return self._names[index]

    def stranger(self, index: int) -> str:
        """The type that a method is of, where that type is not in this file."""
        one = self.ordered[index]
        if self._homes[index] >= 0 or one.receiver in self._selves:
            return ""
        outer = self.lexical[index]
        return one.receiver or (self.ordered[outer].name if outer >= 0 and self.ordered[outer].kind == "impl" else "")

    def _classes_by_place(self) -> dict[tuple[int, str], int]:
        found: dict[tuple[int, str], int] = {}
        reachable: dict[tuple[int, str], int] = {}
        for index, one in enumerate(self.ordered):
            if one.kind in CLASS_KINDS:
                outer = self.lexical[index]
                found.setdefault((outer, one.name), index)
                while outer >= 0 and self.ordered[outer].kind in _HOLDERS:
                    outer = self.lexical[outer]
                if outer == MODULE_SCOPE:
                    reachable.setdefault((MODULE_SCOPE, one.name), index)
        return reachable | found

    def _home(self, index: int) -> int:
        """What a definition belongs to: an impl block stands for its type, a receiver names one."""
        one = self.ordered[index]
        outer = self.lexical[index]
        while outer >= 0 and self.ordered[outer].kind == UNNAMED:
            outer = self.lexical[outer]
        if one.receiver in self._selves:
            around = self._class_around(outer)
            return around if around >= 0 else outer
        named = one.receiver or (one.name if one.kind == "impl" else "")
        if named:
            named = named.rpartition(".")[2]
            # Only types beside it or at the top are asked for: a type inside the function could lead in a circle.
            return self._classes.get((outer, named), self._classes.get((MODULE_SCOPE, named), MODULE_SCOPE))
        if outer >= 0 and self.ordered[outer].kind == "impl":
            return self._home(outer)
        return outer

    def _class_around(self, index: int) -> int:
        while index >= 0 and self.ordered[index].kind not in CLASS_KINDS:
            index = self.lexical[index]
        return index

    def _numbered(self) -> list[int]:
        """For each what number it has; what is left out has the number of what stands for it."""
        kept: list[int] = []
        count = 0
        full: dict[tuple[int, str, str], int] = {}
        for index, one in enumerate(self.ordered):
            if not one.is_promise:
                full.setdefault((self._homes[index], one.kind, one.name), index)
        instead: dict[int, int] = {}
        for index, one in enumerate(self.ordered):
            home = self._homes[index]
            other = full.setdefault((home, one.kind, one.name), index) if one.is_promise else index
            is_small = one.kind == "variable" or one.is_promise
            is_local = is_small and home >= 0 and self.ordered[home].kind == "function"
            if is_local or one.kind in ("impl", UNNAMED):
                other = home
            if other == index:
                kept.append(count)
                count += 1
            else:
                instead[index] = other
                kept.append(MODULE_SCOPE)
        self.left_out.update(instead)
        for index, other in instead.items():
            kept[index] = kept[other] if other >= 0 else MODULE_SCOPE
        return kept


def _distinct(found: list[Found]) -> list[Found]:
    """One for each name that is written, in the order of the file, what holds others before them."""
    ordered: list[Found] = []
    named: set[int] = set()
    ends: set[int] = set()
    for one in sorted(found, key=lambda one: (one.start, -one.end, _RANK[one.kind], not one.returns, not one.receiver)):
        if one.kind == UNNAMED and one.end in ends:
            # This is the value that a function with a name was found by.
            ends.discard(one.end)
        elif one.name_at not in named:
            named.add(one.name_at)
            ordered.append(one)
            if one.kind == "function":
                ends.add(one.end)
    return ordered


def _lexical_parents(ordered: list[Found]) -> list[int]:
    parents: list[int] = []
    stack: list[int] = []
    for index, one in enumerate(ordered):
        # Two names that one statement defines stand beside each other, although they cover the same bytes.
        while stack and (ordered[stack[-1]].end <= one.start or ordered[stack[-1]][:2] == one[:2]):
            stack.pop()
        parents.append(stack[-1] if stack and len(stack) < DEPTH_MAX else MODULE_SCOPE)
        stack.append(index)
    return parents
