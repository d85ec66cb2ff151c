"""From names to the things they name: the edges of one file, and what they were found out from.

The answer depends on the facts of the files that were looked at and on nothing else, so it is the same in whatever
order files are resolved. A name that cannot be followed gives no edge; it is kept apart as unresolved.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.reading.expressions import UNKNOWN
from holloway.codemap.reading.facts import CONSTRUCTORS, MODULE_SCOPE
from holloway.codemap.reading.kinds import CLASS_KINDS
from holloway.codemap.reading.roles import is_test, tested_stem
from holloway.codemap.resolving.imports import PACKAGE_FAMILIES, Place
from holloway.codemap.resolving.scopes import OPEN_FAMILIES, first_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holloway.codemap.reading.facts import Import, Reference
    from holloway.codemap.resolving.imports import Importer
    from holloway.codemap.resolving.scopes import Scopes

STEPS_MAX = 12
"""Names in one chain that are followed."""
DEPTH_MAX = 30
"""Assignments, returns and re-exports that are followed from one to the next."""
TARGETS_MAX = 6
"""Things that one name may stand for before it is taken for unknown."""
ANSWERS_KEPT = 50_000
"""Names whose meaning is kept while other files are resolved: about 30 MB."""

SURE = 0.95
ONE_OF_SEVERAL = 0.7
BY_NAME = 0.8

_BUILTINS = frozenset(dir(builtins))
_MENTIONS = {"base": "extends", "implements": "implements", "typed": "typed_as"}
_BARE_MEMBERS = frozenset({"java", "csharp", "c", "ruby", "php"})
"""Families in which code inside a class names its members, and those of its bases, without saying whose they are."""
_MAKERS = {
    "python": ("__init__", "__new__"),
    "javascript": ("constructor",),
    "php": ("__construct",),
    "ruby": ("initialize",),
}
"""What runs when a thing is made; elsewhere it has the name of its class."""


class Target(NamedTuple):
    """What an expression stands for."""

    kind: str
    """definition, instance (of a class), super (the bases of a class), module, or package (outside the project)."""
    path: str
    at: int = MODULE_SCOPE


class Edge(NamedTuple):
    """From a definition of the file (or the file itself) to a definition, a file or a package."""

    kind: str
    source: int
    path: str
    """The target's file, or the name of an external package."""
    target: int
    is_package: bool
    confidence: float
    line: int
    reverse: bool = False
    """Whether the edge runs the other way: from the target to this file."""


EdgeRow = tuple[str, int, str, int, bool, float, int, bool]
"""An `Edge` without its names."""


class Resolution(NamedTuple):
    """All that was found out about one file."""

    edges: Sequence[EdgeRow]
    unresolved: list[tuple[str, str, int]]
    consulted: set[str]


Targets = tuple[Target, ...]
Question = tuple[str, str, int, str]
"""What is asked, of which file, in which scope, of which name."""
Meanings = list[tuple[str, str, int, bool, float]]


class Resolver:
    """Follows names across the files of a project."""

    def __init__(
        self,
        importer: Importer,
        load: Callable[[str], Scopes | None],
        mentions: Callable[[str], tuple[Reference, ...]],
    ) -> None:
        self._importer = importer
        self._load = load
        self._mentions = mentions
        self._known: dict[Question, tuple[Targets, frozenset[str]]] = {}
        self._stack: dict[Question, int] = {}
        """What is being found out, each with its place in the order."""
        self._seen: set[str] = set()
        self._cut = DEPTH_MAX + 1

    def resolve(self, path: str) -> Resolution:
        """The edges that a file's content gives rise to."""
        self._seen = {path}
        scopes = self._load(path)
        if scopes is None:
            return Resolution([], [], set())
        if len(self._known) > ANSWERS_KEPT:
            self._known.clear()
        # The file before this one may have been broken off.
        self._stack.clear()
        self._cut = DEPTH_MAX + 1
        edges: list[Edge] = []
        unresolved: dict[tuple[str, str], int] = {}
        for item in scopes.facts.imports:
            self._import_edges(scopes, item, edges, unresolved)
        self._reference_edges(scopes, edges, unresolved)
        self._overrides(scopes, edges)
        if is_test(path):
            self._tested(scopes, edges)
        self._seen.discard(path)
        rows = [(kind, name, line) for (kind, name), line in sorted(unresolved.items())]
        return Resolution(edges, rows, self._seen)

    def _scopes(self, path: str) -> Scopes | None:
        self._seen.add(path)
        return self._load(path)

    def _remembered(self, question: Question, answer: Callable[[str, int, str], Targets]) -> Targets:
        """Find out once, with what was looked at; a result that was cut short by a cycle is not kept."""
        known = self._known.get(question)
        if known is not None:
            self._seen.update(known[1])
            return known[0]
        position = len(self._stack)
        if question in self._stack or position >= DEPTH_MAX:
            self._cut = min(self._cut, self._stack.get(question, 0))
            return ()
        outer, self._seen = self._seen, set()
        self._stack[question] = position
        targets = _few(answer(*question[1:]))
        del self._stack[question]
        found, self._seen = self._seen, outer
        outer |= found
        if self._cut >= position:
            self._cut = DEPTH_MAX + 1
            self._known[question] = (targets, frozenset(found))
        elif not position:
            self._cut = DEPTH_MAX + 1
        return targets

    # Edges

    def _import_edges(
        self, scopes: Scopes, item: Import, edges: list[Edge], unresolved: dict[tuple[str, str], int]
    ) -> None:
        place = self._place(scopes, item)
        if place.package:
            edges.append(Edge("imports", MODULE_SCOPE, place.package, MODULE_SCOPE, True, SURE, item.line))
            return
        if not place.path:
            unresolved.setdefault(("imports", item.module), item.line)
            return
        targets = self._imported(scopes, item) if item.symbol else ()
        files = self._files_of(scopes, place, targets)
        for target in targets:
            if target.kind == "definition":
                edges.append(Edge("imports_symbol", MODULE_SCOPE, target.path, target.at, False, SURE, item.line))
                if item.exported or _is_face(scopes.path):
                    edges.append(Edge("exports", MODULE_SCOPE, target.path, target.at, False, SURE, item.line))
        for file in files:
            if file != scopes.path:
                edges.append(Edge("imports", MODULE_SCOPE, file, MODULE_SCOPE, False, SURE, item.line))

    def _reference_edges(self, scopes: Scopes, edges: list[Edge], unresolved: dict[tuple[str, str], int]) -> None:
        """A thing that is mentioned again in the same scope gives no further edge: the first line is the one kept."""
        is_outspoken = scopes.family not in _BARE_MEMBERS
        for kind, name, within, lines in (*scopes.facts.bases, *self._mentions(scopes.path)):
            head = first_name(name)
            if (head == UNKNOWN or (is_outspoken and scopes.is_strange(head))) and "|" not in name:
                self._note_unresolved(kind, name, min(lines), unresolved)
                continue
            meanings: dict[int, tuple[Meanings, bool]] = {}
            # Of two lines with the same scope, the earlier one is written last and stays.
            for scope, line in dict(zip(reversed(within), reversed(lines), strict=True)).items():
                bound = scopes.binding_scope(scope, head)
                found = meanings.get(bound)
                if found is None:
                    found = meanings[bound] = self._meanings(scopes, kind, bound, name)
                meant, is_known = found
                for edge, file, index, is_package, sure in meant:
                    edges.append(Edge(edge, scope, file, index, is_package, sure, line))
                if not is_known:
                    self._note_unresolved(kind, name, line, unresolved)

    def _note_unresolved(self, kind: str, name: str, line: int, unresolved: dict[tuple[str, str], int]) -> None:
        last = name.rpartition(".")[2].removesuffix("()")
        if last != name or last not in _BUILTINS:
            unresolved[kind, last] = min(line, unresolved.get((kind, last), line))

    def _files_of(self, scopes: Scopes, place: Place, targets: Targets) -> list[str]:
        """The files that an import statement names: a module, or those of a package that hold what is asked for."""
        submodules = [target.path for target in targets if target.kind == "module" and not target.path.endswith("/")]
        if not place.path.endswith("/"):
            return [place.path, *(path for path in submodules if path != place.path)]
        if scopes.family in PACKAGE_FAMILIES:
            inside = self._importer.code_in(place.path.rstrip("/"), scopes.family, tests=False)
            return [path for path in inside if path != scopes.path][:200]
        return submodules

    def _meanings(self, scopes: Scopes, kind: str, scope: int, name: str) -> tuple[Meanings, bool]:
        """The edges that a mention means, and whether anything at all is known of it."""
        targets = self._mentioned(scopes, scope, name)
        if not targets:
            return [], False
        targets = self._values(targets)
        is_sure = len(targets) == 1 or sum(target.kind != "module" for target in targets) == 1
        sure = SURE if is_sure else ONE_OF_SEVERAL
        made: Meanings = []
        for target in targets:
            if target.kind != "package":
                made += [(edge, file, index, False, sure) for edge, file, index in self._meant(kind, target)]
            elif kind in ("call", "new"):
                made.append(("calls_external", target.path, MODULE_SCOPE, True, sure))
        return made, True

    def _mentioned(self, scopes: Scopes, scope: int, name: str) -> Targets:
        """As `_bound_expression`, for what is asked once: what a file mentions, and not what its names stand for."""
        if "|" in name:
            return self._expression(scopes, scope, name)
        if name.startswith(UNKNOWN) or self._is_nowhere(scopes, scope, name):
            return ()
        question = ("expression", scopes.path, scope, name)
        if question in self._known:
            return self._remembered(question, self._follow)
        self._stack[question] = 0
        targets = _few(self._follow(scopes.path, scope, name))
        del self._stack[question]
        self._cut = DEPTH_MAX + 1
        return targets

    def _values(self, targets: Targets) -> Targets:
        """What a variable stands for says more than the variable; where nothing is known of it, it is the answer."""
        if len(targets) < 2:
            return targets
        values = tuple(target for target in targets if not self._is_variable(target))
        return values or targets

    def _is_variable(self, target: Target) -> bool:
        scopes = self._load(target.path) if target.kind == "definition" else None
        return scopes is not None and scopes.kind(target.at) == "variable"

    def _meant(self, kind: str, target: Target) -> list[tuple[str, str, int]]:
        """The edges that mentioning a thing means: a class that is called is made, and its constructor runs."""
        scopes = self._scopes(target.path) if target.kind in ("definition", "instance", "super") else None
        if scopes is None:
            return []
        definition = scopes.kind(target.at)
        if kind in ("base", "implements", "typed"):
            is_class = target.kind == "definition" and definition in CLASS_KINDS
            return [(_MENTIONS[kind], target.path, target.at)] if is_class else []
        if target.kind == "definition" and definition in ("function", "method"):
            return [("calls", target.path, target.at)]
        if target.kind in ("definition", "super") and definition in CLASS_KINDS:
            makers = self._constructors(target)
            called = [("calls", maker.path, maker.at) for maker in makers if maker.kind == "definition"]
            made = [("instantiates", target.path, target.at)] if target.kind == "definition" else []
            return made + called
        if target.kind == "instance":
            found = self._class_member(target.path, target.at, "__call__")
            return [("calls", one.path, one.at) for one in found if one.kind == "definition"]
        return []

    def _constructors(self, target: Target) -> Targets:
        scopes = self._load(target.path)
        if scopes is None:
            return ()
        for maker in _MAKERS.get(scopes.family) or (scopes.facts.definitions[target.at].name,):
            found = self._member(target, maker)
            if any(one.kind == "definition" for one in found):
                return found
        return ()

    def _overrides(self, scopes: Scopes, edges: list[Edge]) -> None:
        for index, names in list(scopes.bases.items()):
            bases = _few(target for name in names for target in self._expression(scopes, index, name))
            for name, members in scopes.members.get(index, ()) if bases else ():
                if name in CONSTRUCTORS:
                    continue
                for base in bases:
                    for found in self._member(base, name):
                        if found.kind == "definition" and (found.path, found.at) != (scopes.path, members[0]):
                            line = scopes.facts.definitions[members[0]].line
                            edges.append(Edge("overrides", members[0], found.path, found.at, False, SURE, line))

    def _tested(self, scopes: Scopes, edges: list[Edge]) -> None:
        reached = {edge.path for edge in edges if not edge.is_package and not edge.reverse}
        for path in sorted(reached):
            if path != scopes.path and not is_test(path):
                edges.append(Edge("tested_by", MODULE_SCOPE, path, MODULE_SCOPE, False, ONE_OF_SEVERAL, 1, True))
        named = self._importer.of_stem(scopes.family, tested_stem(scopes.path), scopes.path)
        if named and not is_test(named):
            edges.append(Edge("tested_by", MODULE_SCOPE, named, MODULE_SCOPE, False, BY_NAME, 1, True))

    # Names

    def _expression(self, scopes: Scopes, scope: int, text: str) -> Targets:
        """What a chain such as `a.b().c` stands for where it is written."""
        if "|" in text:
            return _few(target for part in text.split("|")[:4] for target in self._expression(scopes, scope, part))
        return self._bound_expression(scopes, scopes.binding_scope(scope, first_name(text)), text)

    def _bound_expression(self, scopes: Scopes, scope: int, text: str) -> Targets:
        """As `_expression`, in the scope that binds its first name."""
        if "|" in text:
            return self._expression(scopes, scope, text)
        if text.startswith(UNKNOWN):
            return ()
        if self._is_nowhere(scopes, scope, text):
            self._seen.add(scopes.path)
            return ()
        return self._remembered(("expression", scopes.path, scope, text), self._follow)

    def _is_nowhere(self, scopes: Scopes, scope: int, text: str) -> bool:
        return scope == MODULE_SCOPE and scopes.is_closed and not scopes.binds(scope, first_name(text))

    def _follow(self, path: str, scope: int, text: str) -> Targets:
        scopes = self._load(path)
        targets: Targets = ()
        for position, step in enumerate(text.split(".", STEPS_MAX)):
            name = step.rstrip("()")
            if position:
                targets = _each(targets, self._member, name)
            elif scopes is not None:
                targets = self._name(scopes, scope, name)
            for _ in range(step.count("()")):
                targets = _each(targets, self._called)
            if not targets:
                break
        return targets

    def _name(self, scopes: Scopes, scope: int, name: str) -> Targets:
        """What a name stands for in the scope that binds it."""
        if scope >= 0 and name in scopes.selves:
            return (Target("definition" if name in ("cls", "Self") else "instance", scopes.path, scope),)
        if name == "super":
            return (Target("super", scopes.path, scope),) if scope >= 0 else ()
        outside: Targets = ()
        while scope != MODULE_SCOPE:
            found = self._in_scope(scopes, scope, name)
            if not found and scopes.family in _BARE_MEMBERS and scopes.kind(scope) in CLASS_KINDS:
                found = self._class_member(scopes.path, scope, name)
                if found and found[0].kind == "package":
                    # A base from outside may know any name, but what stands further out here is known to.
                    outside, found = outside or found, ()
            if found:
                return found
            scope = scopes.binding_scope(scopes.parent(scope), name)
        return self._module_name(scopes.path, name) or outside

    def _in_scope(self, scopes: Scopes, scope: int, name: str) -> Targets:
        place = (scope, name)
        if not scopes.binds(scope, name):
            return ()
        found: list[Target] = []
        for index in scopes.definitions.get(place, ())[:TARGETS_MAX]:
            found.append(Target("definition", scopes.path, index))
        for binding in scopes.bindings.get(place, ())[:TARGETS_MAX]:
            found += self._bound(scopes, binding.within, binding.expression, binding.is_type)
        for item in scopes.imports.get(place, ())[:TARGETS_MAX]:
            found += self._imported(scopes, item)
        return _few(found)

    def _bound(self, scopes: Scopes, scope: int, expression: str, is_type: bool) -> Targets:
        targets = self._expression(scopes, scope, expression)
        return _each(targets, self._instance) if is_type else targets

    def _instance(self, target: Target) -> Targets:
        if target.kind == "definition":
            scopes = self._scopes(target.path)
            is_class = scopes is not None and scopes.kind(target.at) in CLASS_KINDS
            return (Target("instance", target.path, target.at),) if is_class else ()
        return (target,) if target.kind == "package" else ()

    def _module_name(self, path: str, name: str) -> Targets:
        return self._remembered(("name", path, MODULE_SCOPE, name), self._find_in_module)

    def _find_in_module(self, path: str, scope: int, name: str) -> Targets:
        scopes = self._scopes(path)
        if scopes is None:
            return ()
        found = self._in_scope(scopes, scope, name)
        if found:
            return found
        if scopes.family in OPEN_FAMILIES:
            for sibling in self._siblings(scopes):
                other = self._scopes(sibling)
                if other is not None and (scope, name) in other.definitions:
                    return self._in_scope(other, scope, name)
        for item in scopes.stars:
            place = self._place(scopes, item)
            starred = self._module_member(scopes.family, place, name, item) if place.path else ()
            if starred:
                return starred
        return ()

    def _siblings(self, scopes: Scopes) -> list[str]:
        if scopes.family not in PACKAGE_FAMILIES:
            return []
        beside = self._importer.code_in(_folder(scopes.path), scopes.family, tests=True)
        return [path for path in beside if path != scopes.path]

    def _place(self, scopes: Scopes, item: Import) -> Place:
        if scopes.family == "rust" and item.scope >= 0 and item.module.partition(".")[0] == "super":
            rest = item.module.partition(".")[2]
            return self._importer.find("rust", scopes.path, f"self.{rest}" if rest else "self")
        return self._importer.find(scopes.family, scopes.path, item.module)

    def _imported(self, scopes: Scopes, item: Import) -> Targets:
        """What the local name of an import stands for."""
        place = self._place(scopes, item)
        if scopes.family == "python" and not item.symbol and not item.alias and "." in item.module:
            place = self._importer.find("python", scopes.path, item.module.partition(".")[0])
        if place.package:
            return (Target("package", place.package),)
        if not place.path:
            return ()
        if not item.symbol:
            return (Target("module", place.path),)
        return self._module_member(scopes.family, place, item.symbol, item)

    def _module_member(self, language: str, place: Place, name: str, item: Import | None = None) -> Targets:
        if place.path.endswith("/"):
            found = self._in_package(language, place.path, name)
        elif language == "rust" and item is not None:
            found = self._rust_member(place.path, item, name)
        elif language == "java" and item is not None:
            found = self._java_member(place.path, name)
        else:
            found = self._module_name(place.path, name)
        if found:
            return found
        inner = self._importer.submodule(language, place, name)
        return (Target("module", inner.path),) if inner.path else ()

    def _in_package(self, language: str, folder: str, name: str) -> Targets:
        if language not in PACKAGE_FAMILIES:
            return ()
        for path in self._importer.code_in(folder.rstrip("/"), language, tests=False):
            scopes = self._scopes(path)
            if scopes is not None and (MODULE_SCOPE, name) in scopes.definitions:
                return self._in_scope(scopes, MODULE_SCOPE, name)
        return ()

    def _rust_member(self, path: str, item: Import, name: str) -> Targets:
        """A path may go on inside the file, through inline modules and types."""
        found = self._module_name(path, name)
        if found:
            return found
        inner = item.module.rpartition(".")[2]
        holders = self._module_name(path, inner) if inner not in ("crate", "self", "super") else ()
        return _each(holders, self._member, name)

    def _java_member(self, path: str, name: str) -> Targets:
        """`import a.b.C` names the class C of the file; a static import a member of its class."""
        found = self._module_name(path, name)
        if found:
            return found
        scopes = self._scopes(path)
        tops = scopes.members.get(MODULE_SCOPE, ()) if scopes else ()
        return _few(member for _, top in tops for index in top for member in self._class_member(path, index, name))

    # Members and calls

    def _member(self, target: Target, name: str) -> Targets:
        if target.kind == "package":
            return (target,)
        if target.kind == "module":
            if target.path.endswith("/"):
                found = self._in_package(self._importer.family_of(target.path), target.path, name)
                inner = self._importer.submodule("python", _place_of(target), name)
                return found or ((Target("module", inner.path),) if inner.path else ())
            return self._module_member(self._importer.family_of(target.path), _place_of(target), name)
        scopes = self._scopes(target.path)
        if scopes is None:
            return ()
        if target.kind == "super":
            bases = self._bases(scopes, target.at)
            return _first(self._member(base, name) for base in bases)
        if scopes.kind(target.at) in CLASS_KINDS:
            return self._class_member(target.path, target.at, name)
        # A property reads like a value: its members are those of what it gives.
        if scopes.kind(target.at) == "method" and not scopes.facts.definitions[target.at].returns.startswith("="):
            return _each(self._called(target), self._member, name)
        return ()

    def _class_member(self, path: str, index: int, name: str) -> Targets:
        """A member of a class, its own or a base's. Where only one base can have it, the answer is that base's."""
        for _ in range(DEPTH_MAX):
            scopes = self._scopes(path)
            if scopes is None or scopes.family in OPEN_FAMILIES or scopes.binds(index, name):
                break
            bases = self._bases(scopes, index)
            if not bases or bases[0].kind == "package":
                return bases[:1]
            other = self._scopes(bases[0].path)
            if len(bases) > 1 or other is None or other.kind(bases[0].at) not in CLASS_KINDS:
                break
            path, index = bases[0].path, bases[0].at
        return self._remembered(("member", path, index, name), self._find_member)

    def _find_member(self, path: str, index: int, name: str) -> Targets:
        scopes = self._scopes(path)
        if scopes is None:
            return ()
        found = self._in_scope(scopes, index, name)
        if found:
            return found
        if scopes.family in OPEN_FAMILIES:
            qualified = f"{scopes.facts.definitions[index].qualified}.{name}"
            for sibling in (path, *self._siblings(scopes)):
                other = self._scopes(sibling)
                if other is not None and qualified in other.by_qualified:
                    return tuple(Target("definition", sibling, at) for at in other.by_qualified[qualified][:1])
        return _first(
            (base,) if base.kind == "package" else self._member(base, name) for base in self._bases(scopes, index)
        )

    def _bases(self, scopes: Scopes, index: int) -> Targets:
        """The base classes of a class, in order; those from outside the project last."""
        if index not in scopes.bases:
            return ()
        question = ("bases", scopes.path, index, "")
        known = self._known.get(question)
        if known is not None:
            self._seen.update(known[1])
            return known[0]
        outer, self._seen = self._seen, set()
        targets = self._find_bases(scopes, index)
        found, self._seen = self._seen, outer
        outer |= found
        if self._cut > DEPTH_MAX:
            self._known[question] = (targets, frozenset(found))
        return targets

    def _find_bases(self, scopes: Scopes, index: int) -> Targets:
        around = scopes.parent(index)
        found = [
            target
            for name in scopes.bases[index][:TARGETS_MAX]
            for target in self._expression(scopes, around, name)
            if (target.path, target.at) != (scopes.path, index) and target.kind in ("definition", "package")
        ]
        return tuple(sorted(dict.fromkeys(found), key=lambda target: target.kind == "package"))

    def _called(self, target: Target) -> Targets:
        if target.kind in ("package", "super"):
            return (target,)
        if target.kind == "module":
            given = self._member(target, "default") if not target.path.endswith("/") else ()
            return _each(given, self._called)
        scopes = self._scopes(target.path)
        if scopes is None:
            return ()
        definition = scopes.facts.definitions[target.at]
        if target.kind == "instance":
            caller = self._class_member(target.path, target.at, "__call__")
            return _few(found for one in caller if one.kind == "definition" for found in self._called(one))
        if definition.kind in CLASS_KINDS:
            return (Target("instance", target.path, target.at),)
        if not definition.returns:
            return ()
        if definition.returns.startswith("="):
            return self._expression(scopes, target.at, definition.returns[1:])
        return self._bound(scopes, target.at, definition.returns, True)


def _few(targets: Iterable[Target]) -> Targets:
    """The targets without repetition; a name that may be anything is nothing."""
    found = tuple(targets)
    if len(found) > 1:
        found = tuple(dict.fromkeys(found))
    return found if len(found) <= TARGETS_MAX else ()


def _each(targets: Targets, step: Callable[..., Targets], *of: str) -> Targets:
    """Where a step leads from these targets; nearly always there is one."""
    if len(targets) == 1:
        return step(targets[0], *of)
    return _few(found for target in targets for found in step(target, *of))


def _first(choices: Iterable[Targets]) -> Targets:
    """The first answer that lies in the project; where none does, the first from outside, which may know anything."""
    outside: Targets = ()
    for choice in choices:
        if any(target.kind != "package" for target in choice):
            return choice
        outside = outside or choice
    return outside


def _is_face(path: str) -> bool:
    return path.rpartition("/")[2] in ("__init__.py", "__init__.pyi", "mod.rs", "lib.rs")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _place_of(target: Target) -> Place:
    return Place(target.path)
