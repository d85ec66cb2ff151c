"""Resolves the references of one file into edges of the call graph: which function calls, imports or overrides which.

The result depends only on the facts of the consulted files, so it does not depend on the order in which files are
resolved. A name that cannot be resolved gives no edge; it is recorded as unresolved.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from holloway.codemap.parse import CLASS_KINDS
from holloway.codemap.parse.expressions import UNKNOWN
from holloway.codemap.parse.facts import CONSTRUCTORS, MODULE_SCOPE
from holloway.codemap.parse.languages import BARE_MEMBERS, PACKAGE_FAMILIES
from holloway.codemap.resolve.name_resolution import NameResolver
from holloway.codemap.resolve.resolution import (
    BY_NAME,
    ONE_OF_SEVERAL,
    SURE,
    Edge,
    Resolution,
    ResolutionCache,
    deduplicate_targets,
)
from holloway.codemap.resolve.scopes import first_name
from holloway.text.file_roles import is_test, tested_stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.codemap.parse.facts import Import
    from holloway.codemap.resolve.imports.file_tree import ImportTarget
    from holloway.codemap.resolve.imports.import_resolver import ImportResolver
    from holloway.codemap.resolve.resolution import EdgeRow, Target, Targets
    from holloway.codemap.resolve.scopes import Scopes

    Mention = tuple[str, str, list[int], list[int]]
    """A `Reference` as it is stored in the map."""
    Unresolved = dict[tuple[str, str], int]
    """Kind and name, and the first line."""
    Meanings = list[tuple[str, str, int, bool, float]]

PACKAGE_FILES_MAX = 200
"""Files of a package that an import of it leads to."""

_BUILTINS = frozenset(dir(builtins))
_CLASS_MENTIONS = {"base": "extends", "implements": "implements", "typed": "typed_as"}
_REEXPORTING_FILES = frozenset({"__init__.py", "__init__.pyi", "mod.rs", "lib.rs"})
"""Files that re-export their imports."""


class Resolver:
    """Finds the edges of the files of a project, one file at a time."""

    def __init__(
        self,
        importer: ImportResolver,
        load: Callable[[str], Scopes | None],
        mentions: Callable[[str], list[Mention]],
    ) -> None:
        self._importer = importer
        self._load = load
        self._mentions = mentions
        self._answers = ResolutionCache()
        self._names = NameResolver(importer, load, self._answers)

    def resolve_file(self, path: str) -> Resolution:
        """Return the edges, unresolved names and consulted files of a file."""
        scopes = self._load(path)
        if scopes is None:
            return Resolution([], [], set())
        self._answers.start_file(path)
        edges: list[EdgeRow] = []
        unresolved: Unresolved = {}
        for item in scopes.facts.imports:
            self._add_import_edges(scopes, item, edges, unresolved)
        self._add_reference_edges(scopes, edges, unresolved)
        self._add_override_edges(scopes, edges)
        if is_test(path):
            self._add_test_edges(scopes, edges)
        rows = [(kind, name, line) for (kind, name), line in sorted(unresolved.items())]
        return Resolution(edges, rows, self._answers.consulted - {path})

    def _add_import_edges(self, scopes: Scopes, item: Import, edges: list[EdgeRow], unresolved: Unresolved) -> None:
        place = self._importer.find_import_target(scopes.family, scopes.path, item)
        if place.package:
            edges.append(Edge("imports", MODULE_SCOPE, place.package, MODULE_SCOPE, True, SURE, item.line))
            return
        if not place.path:
            unresolved.setdefault(("imports", item.module), item.line)
            return
        targets = self._names.resolve_import(scopes, item) if item.symbol else ()
        files = self._list_imported_files(scopes, place, targets)
        for target in targets:
            if target.kind == "definition":
                edges.append(Edge("imports_symbol", MODULE_SCOPE, target.path, target.at, False, SURE, item.line))
                if item.exported or scopes.path.rpartition("/")[2] in _REEXPORTING_FILES:
                    edges.append(Edge("exports", MODULE_SCOPE, target.path, target.at, False, SURE, item.line))
        for file in files:
            if file != scopes.path:
                edges.append(Edge("imports", MODULE_SCOPE, file, MODULE_SCOPE, False, SURE, item.line))

    def _add_reference_edges(self, scopes: Scopes, edges: list[EdgeRow], unresolved: Unresolved) -> None:
        """Add one edge per scope and target; of repeated references the first line is recorded."""
        is_closed = scopes.is_closed and scopes.family not in BARE_MEMBERS
        names = scopes.all_names() if is_closed else set()
        for kind, name, within, lines in (*scopes.facts.bases, *self._mentions(scopes.path)):
            head = first_name(name)
            if (head == UNKNOWN or (is_closed and head not in names)) and "|" not in name:
                self._add_unresolved(kind, name, min(lines), unresolved)
                continue
            meanings: dict[int, tuple[Meanings, bool]] = {}
            for scope, line in _first_lines(within, lines):
                bound = scopes.binding_scope(scope, head)
                meaning = meanings.get(bound)
                if meaning is None:
                    meaning = meanings[bound] = self._find_meanings(scopes, kind, bound, name)
                edge_targets, is_known = meaning
                for edge, file, index, is_package, confidence in edge_targets:
                    edges.append((edge, scope, file, index, is_package, confidence, line, False))
                if not is_known:
                    self._add_unresolved(kind, name, line, unresolved)

    def _add_unresolved(self, kind: str, name: str, line: int, unresolved: Unresolved) -> None:
        last = name.rpartition(".")[2].removesuffix("()")
        if last != name or last not in _BUILTINS:
            unresolved[kind, last] = min(line, unresolved.get((kind, last), line))

    def _list_imported_files(self, scopes: Scopes, place: ImportTarget, targets: Targets) -> list[str]:
        """Return the files that an import names: a module, or the files of a package that contain its symbol."""
        submodules = [target.path for target in targets if target.kind == "module" and not target.path.endswith("/")]
        if not place.path.endswith("/"):
            return [place.path, *(path for path in submodules if path != place.path)]
        if scopes.family in PACKAGE_FAMILIES:
            package_files = self._importer.tree.list_code(place.path.rstrip("/"), scopes.family, tests=False)
            return [path for path in package_files if path != scopes.path][:PACKAGE_FILES_MAX]
        return submodules

    def _find_meanings(self, scopes: Scopes, kind: str, scope: int, name: str) -> tuple[Meanings, bool]:
        """Return the edges that a reference implies, and whether it could be resolved at all."""
        targets = self._names.resolve_mention(scopes, scope, name)
        if not targets:
            return [], False
        targets = self._prefer_values(targets)
        is_sure = len(targets) == 1 or sum(target.kind != "module" for target in targets) == 1
        confidence = SURE if is_sure else ONE_OF_SEVERAL
        meanings: Meanings = []
        for target in targets:
            if target.kind != "package":
                meanings += [
                    (edge, file, index, False, confidence) for edge, file, index in self._implied_edges(kind, target)
                ]
            elif kind in ("call", "new"):
                meanings.append(("calls_external", target.path, MODULE_SCOPE, True, confidence))
        return meanings, True

    def _prefer_values(self, targets: Targets) -> Targets:
        """Prefer the value of a variable over the variable; without a known value, the variable is returned."""
        if len(targets) < 2:
            return targets
        values = tuple(target for target in targets if not self._is_variable(target))
        return values or targets

    def _is_variable(self, target: Target) -> bool:
        scopes = self._load(target.path) if target.kind == "definition" else None
        return scopes is not None and scopes.kind_of(target.at) == "variable"

    def _implied_edges(self, kind: str, target: Target) -> list[tuple[str, str, int]]:
        """Return the edges that a reference implies: calling a class instantiates it and runs its constructor."""
        scopes = self._names.visit_scopes(target.path) if target.kind in ("definition", "instance", "super") else None
        if scopes is None:
            return []
        definition = scopes.kind_of(target.at)
        if kind in ("base", "implements", "typed"):
            is_class = target.kind == "definition" and definition in CLASS_KINDS
            return [(_CLASS_MENTIONS[kind], target.path, target.at)] if is_class else []
        if target.kind == "definition" and definition in ("function", "method"):
            return [("calls", target.path, target.at)]
        if target.kind in ("definition", "super") and definition in CLASS_KINDS:
            constructors = self._names.members.find_constructors(target)
            constructor_calls = [
                ("calls", constructor.path, constructor.at)
                for constructor in constructors
                if constructor.kind == "definition"
            ]
            instantiations = [("instantiates", target.path, target.at)] if target.kind == "definition" else []
            return instantiations + constructor_calls
        if target.kind == "instance":
            call_methods = self._names.members.find_class_member(target.path, target.at, "__call__")
            return [("calls", method.path, method.at) for method in call_methods if method.kind == "definition"]
        return []

    def _add_override_edges(self, scopes: Scopes, edges: list[EdgeRow]) -> None:
        for index, names in scopes.bases.items():
            bases = deduplicate_targets(
                target for name in names for target in self._names.resolve_expression(scopes, index, name)
            )
            for name, member in scopes.defined_in(index) if bases else ():
                if name in CONSTRUCTORS:
                    continue
                line = scopes.facts.definitions[member].line
                for base in bases:
                    for overridden in self._names.members.find_member(base, name):
                        if overridden.kind == "definition" and (overridden.path, overridden.at) != (
                            scopes.path,
                            member,
                        ):
                            edges.append(Edge("overrides", member, overridden.path, overridden.at, False, SURE, line))

    def _add_test_edges(self, scopes: Scopes, edges: list[EdgeRow]) -> None:
        reached = {path for _, _, path, _, is_package, _, _, is_reversed in edges if not is_package and not is_reversed}
        for path in sorted(reached):
            if path != scopes.path and not is_test(path):
                edges.append(Edge("tested_by", MODULE_SCOPE, path, MODULE_SCOPE, False, ONE_OF_SEVERAL, 1, True))
        namesake = self._importer.tree.nearest_by_stem(scopes.family, tested_stem(scopes.path), scopes.path)
        if namesake and not is_test(namesake):
            edges.append(Edge("tested_by", MODULE_SCOPE, namesake, MODULE_SCOPE, False, BY_NAME, 1, True))


def _first_lines(scopes: list[int], lines: list[int]) -> Iterable[tuple[int, int]]:
    """Return each scope with its first line: in the reversed order the earlier line overwrites the later ones."""
    if len(scopes) == 1:
        return ((scopes[0], lines[0]),)
    return dict(zip(reversed(scopes), reversed(lines), strict=True)).items()
