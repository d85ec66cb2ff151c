"""Resolves expressions such as `a.b().c`: the first name in its scope, then one member or call after the other.

A name is searched in the surrounding scopes, at the top level of its file, and behind the import that binds it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.codemap.parse.definition_kinds import CLASS_KINDS
from holloway.codemap.parse.expressions import UNKNOWN
from holloway.codemap.parse.facts import MODULE_SCOPE, Binding
from holloway.codemap.parse.languages import BARE_MEMBERS, OPEN_FAMILIES, PACKAGE_FAMILIES
from holloway.codemap.resolve.imports import java, rust
from holloway.codemap.resolve.imports.file_tree import ImportTarget
from holloway.codemap.resolve.members import MemberResolver
from holloway.codemap.resolve.scopes import first_name
from holloway.codemap.resolve.targets import Target, deduplicate_targets, follow_targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.codemap.parse.facts import Import
    from holloway.codemap.resolve.imports.import_resolver import ImportResolver
    from holloway.codemap.resolve.resolution_cache import ResolutionCache
    from holloway.codemap.resolve.scopes import Scopes
    from holloway.codemap.resolve.targets import Targets

STEPS_MAX = 12
"""Names in one chain that are followed."""
ALTERNATIVES_MAX = 4
"""Alternatives of `a | b`."""
STARS_MAX = 15
"""Depth to which star imports of star imports are followed."""

_INSIDE_RESOLVERS = {"rust": rust.resolve_inside, "java": java.resolve_inside}
"""Resolvers of imported names that need not be at the top level of their file."""


class NameResolver:
    """Resolves names across the files of a project."""

    def __init__(
        self, importer: ImportResolver, load: Callable[[str], Scopes | None], answers: ResolutionCache
    ) -> None:
        self._importer = importer
        self._tree = importer.tree
        self._load = load
        self._answers = answers
        self.members = MemberResolver(self, load, answers)

    def visit_scopes(self, path: str) -> Scopes | None:
        """Load the scopes of a file and record the file as consulted."""
        self._answers.consulted.add(path)
        return self._load(path)

    def resolve_expression(self, scopes: Scopes, scope: int, text: str) -> Targets:
        """Resolve a chain such as `a.b().c` in the scope that it is written in."""
        if "|" in text:
            parts = text.split("|")[:ALTERNATIVES_MAX]
            return deduplicate_targets(
                target for part in parts for target in self.resolve_expression(scopes, scope, part)
            )
        return self._resolve_bound_expression(scopes, scopes.binding_scope(scope, first_name(text)), text)

    def resolve_mention(self, scopes: Scopes, scope: int, text: str) -> Targets:
        """Resolve a reference in the scope that binds its first name; not cached, because nobody asks again."""
        if "|" in text:
            return self.resolve_expression(scopes, scope, text)
        if text.startswith(UNKNOWN) or self._is_unbound(scopes, scope, text):
            return ()
        return self._answers.resolve_uncached(("expression", scopes.path, scope, text), self._follow_chain)

    def _resolve_bound_expression(self, scopes: Scopes, scope: int, text: str) -> Targets:
        if text.startswith(UNKNOWN):
            return ()
        if self._is_unbound(scopes, scope, text):
            self._answers.consulted.add(scopes.path)
            return ()
        return self._answers.resolve_once(("expression", scopes.path, scope, text), self._follow_chain)

    def _is_unbound(self, scopes: Scopes, scope: int, text: str) -> bool:
        return scope == MODULE_SCOPE and scopes.is_closed and not scopes.has_name(scope, first_name(text))

    def _follow_chain(self, path: str, scope: int, text: str) -> Targets:
        scopes = self._load(path)
        if scopes is None:
            return ()
        head, *steps = text.split(".", STEPS_MAX)
        targets = self._resolve_name(scopes, scope, head.rstrip("()"))
        if head.endswith(")"):
            targets = self._apply_calls(targets, head)
        for step in steps:
            if not targets:
                break
            targets = follow_targets(targets, self.members.find_member, step.rstrip("()"))
            if step.endswith(")"):
                targets = self._apply_calls(targets, step)
        return targets

    def _apply_calls(self, targets: Targets, step: str) -> Targets:
        """Return the targets after as many calls as a step ends with."""
        for _ in range(step.count("()")):
            targets = follow_targets(targets, self.members.resolve_call)
        return targets

    def _resolve_name(self, scopes: Scopes, scope: int, name: str) -> Targets:
        """Resolve a name in the scope that binds it."""
        if scope >= 0 and name in scopes.selves:
            return (Target("definition" if name in ("cls", "Self") else "instance", scopes.path, scope),)
        if name == "super":
            return (Target("super", scopes.path, scope),) if scope >= 0 else ()
        external: Targets = ()
        while scope != MODULE_SCOPE:
            targets = self.resolve_in_scope(scopes, scope, name)
            if not targets and scopes.family in BARE_MEMBERS and scopes.kind_of(scope) in CLASS_KINDS:
                targets = self.members.find_class_member(scopes.path, scope, name)
                if targets and targets[0].kind == "package":
                    # An external base may have any member, so a definition in an outer scope takes precedence.
                    external, targets = external or targets, ()
            if targets:
                return targets
            scope = scopes.binding_scope(scopes.parent_of(scope), name)
        return self.resolve_in_module(scopes.path, name) or external

    def resolve_in_scope(self, scopes: Scopes, scope: int, name: str) -> Targets:
        """Resolve a name by the definitions, bindings and imports of one scope."""
        targets: list[Target] = []
        for source in scopes.find_sources(scope, name):
            if isinstance(source, int):
                targets.append(Target("definition", scopes.path, source))
            elif isinstance(source, Binding):
                targets += self.resolve_binding(scopes, source.within, source.expression, source.is_type)
            else:
                targets += self.resolve_import(scopes, source)
        return deduplicate_targets(targets) if targets else ()

    def resolve_binding(self, scopes: Scopes, scope: int, expression: str, is_type: bool) -> Targets:
        """Resolve an expression, or return an instance of the type that it names."""
        targets = self.resolve_expression(scopes, scope, expression)
        return follow_targets(targets, self._to_instance) if is_type else targets

    def _to_instance(self, target: Target) -> Targets:
        if target.kind == "definition":
            scopes = self.visit_scopes(target.path)
            is_class = scopes is not None and scopes.kind_of(target.at) in CLASS_KINDS
            return (Target("instance", target.path, target.at),) if is_class else ()
        return (target,) if target.kind == "package" else ()

    def resolve_in_module(self, path: str, name: str) -> Targets:
        """Resolve a name at the top level of a file."""
        return self._answers.resolve_once(("name", path, MODULE_SCOPE, name), self._find_in_module)

    def _find_in_module(self, path: str, scope: int, name: str) -> Targets:
        scopes = self.visit_scopes(path)
        return (
            (self._resolve_top_level(scopes, name) or self._resolve_star_imports(scopes, name, {path}))
            if scopes is not None
            else ()
        )

    def _resolve_top_level(self, scopes: Scopes, name: str) -> Targets:
        """Resolve a name by the top level of a file, or of the other files of its package."""
        targets = self.resolve_in_scope(scopes, MODULE_SCOPE, name)
        if targets or scopes.family not in OPEN_FAMILIES:
            return targets
        for sibling in self.list_siblings(scopes):
            other = self.visit_scopes(sibling)
            if other is not None and other.has_definition(MODULE_SCOPE, name):
                return self.resolve_in_scope(other, MODULE_SCOPE, name)
        return ()

    def _resolve_star_imports(self, scopes: Scopes, name: str, visited: set[str], depth: int = 1) -> Targets:
        """Resolve a name through star imports, recursively.

        Each file is visited once, so that star imports between many files terminate.
        """
        for item in scopes.stars:
            place = self._importer.find_import_target(scopes.family, scopes.path, item)
            if not place.path:
                continue
            targets: Targets = ()
            if place.path not in visited and not place.path.endswith("/") and depth <= STARS_MAX:
                visited.add(place.path)
                imported_scopes = self.visit_scopes(place.path)
                if imported_scopes is not None:
                    targets = self._resolve_top_level(imported_scopes, name) or self._resolve_star_imports(
                        imported_scopes, name, visited, depth + 1
                    )
            targets = targets or self._resolve_elsewhere(scopes.family, place, item, name)
            if targets:
                return targets
        return ()

    def list_siblings(self, scopes: Scopes) -> list[str]:
        """Return the other files of a package, in languages in which they see each other's names."""
        if scopes.family not in PACKAGE_FAMILIES:
            return []
        package_files = self._tree.list_code(scopes.path.rpartition("/")[0], scopes.family, tests=True)
        return [path for path in package_files if path != scopes.path]

    def resolve_import(self, scopes: Scopes, item: Import) -> Targets:
        """Resolve the local name of an import."""
        place = self._importer.find_bound_target(scopes.family, scopes.path, item)
        if place.package:
            return (Target("package", place.package),)
        if not place.path:
            return ()
        if not item.symbol:
            return (Target("module", place.path),)
        return self._resolve_module_member(scopes.family, place, item.symbol, item)

    def _resolve_module_member(
        self, language: str, place: ImportTarget, name: str, item: Import | None = None
    ) -> Targets:
        at_top = () if place.path.endswith("/") else self.resolve_in_module(place.path, name)
        return at_top or self._resolve_elsewhere(language, place, item, name)

    def _resolve_elsewhere(self, language: str, place: ImportTarget, item: Import | None, name: str) -> Targets:
        """Resolve a name in a package, below the top level of a file, or as a submodule."""
        targets: Targets = ()
        if place.path.endswith("/"):
            targets = self._resolve_in_package(language, place.path, name)
        elif item is not None and language in _INSIDE_RESOLVERS:
            targets = _INSIDE_RESOLVERS[language](self, place.path, item, name)
        return targets or self._resolve_submodule(language, place, name)

    def _resolve_submodule(self, language: str, place: ImportTarget, name: str) -> Targets:
        inner = self._importer.find_submodule(language, place, name)
        return (Target("module", inner.path),) if inner.path else ()

    def _resolve_in_package(self, language: str, folder: str, name: str) -> Targets:
        if language not in PACKAGE_FAMILIES:
            return ()
        for path in self._tree.list_code(folder.rstrip("/"), language, tests=False):
            scopes = self.visit_scopes(path)
            if scopes is not None and scopes.has_definition(MODULE_SCOPE, name):
                return self.resolve_in_scope(scopes, MODULE_SCOPE, name)
        return ()

    def resolve_in_module_or_package(self, path: str, name: str) -> Targets:
        """Resolve a member of a module or of a folder."""
        family, place = self._tree.family_of(path), ImportTarget(path)
        if path.endswith("/"):
            return self._resolve_in_package(family, path, name) or self._resolve_submodule("python", place, name)
        return self._resolve_module_member(family, place, name)
