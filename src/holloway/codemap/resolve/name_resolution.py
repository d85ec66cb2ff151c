"""Resolves expressions such as `a.b().c`: the first name in its scope, then one member or call after the other.

A name is searched in the surrounding scopes, at the top level of its file, and behind the import that binds it there;
a member in a module or a class and its base classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse import CLASS_KINDS
from holloway.codemap.parse.definition_tree import NAMESPACE_KIND
from holloway.codemap.parse.expressions import UNKNOWN
from holloway.codemap.parse.facts import MODULE_SCOPE, Binding
from holloway.codemap.parse.languages import BARE_MEMBERS, CONSTRUCTOR_NAMES, OPEN_FAMILIES, PACKAGE_FAMILIES
from holloway.codemap.resolve.imports.file_tree import ImportTarget
from holloway.codemap.resolve.imports.other_languages import rust_inner_item
from holloway.codemap.resolve.resolution import (
    RESOLUTION_DEPTH_MAX,
    TARGETS_MAX,
    Target,
    deduplicate_targets,
    first_in_project,
    follow_targets,
)
from holloway.codemap.resolve.scopes import first_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holloway.codemap.parse.facts import Import
    from holloway.codemap.resolve.imports.import_resolver import ImportResolver
    from holloway.codemap.resolve.resolution import ResolutionCache, Targets
    from holloway.codemap.resolve.scopes import Scopes

CHAIN_STEPS_MAX = 12
"""Names in one chain that are followed."""
ALTERNATIVES_MAX = 4
"""Alternatives of `a | b`."""
STARS_MAX = 15
"""Depth to which star imports of star imports are followed."""
LINKS_CACHED_MAX = 2_000
"""Classes whose base class is cached: about 2 MB."""
_MEMBER_KINDS = CLASS_KINDS | {NAMESPACE_KIND}


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
        head, *steps = text.split(".", CHAIN_STEPS_MAX)
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
        elif item is not None and language == "rust":
            targets = self._resolve_in_rust_item(place.path, item, name)
        elif item is not None and language == "java":
            targets = self._resolve_static_import(place.path, name)
        return targets or self._resolve_submodule(language, place, name)

    def _resolve_in_rust_item(self, path: str, item: Import, name: str) -> Targets:
        """Resolve a name of a Rust path that continues inside the file, through an inline module or a type."""
        inner = rust_inner_item(path, item)
        return follow_targets(self.resolve_in_module(path, inner), self.members.find_member, name) if inner else ()

    def _resolve_static_import(self, path: str, name: str) -> Targets:
        """Resolve a static import of Java: `import static a.b.C.member` names a member of the class C of the file."""
        scopes = self.visit_scopes(path)
        tops = scopes.defined_in(MODULE_SCOPE) if scopes else ()
        return deduplicate_targets(
            member for _, top in tops for member in self.members.find_class_member(path, top, name)
        )

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


class Link(NamedTuple):
    """One class in a chain of single inheritance, which a search for a member follows upwards."""

    names: Collection[str]
    path: str
    at: int
    consulted: Collection[str] = ()
    """Files that were consulted to find the base class."""
    above: tuple[str, int] | None = None
    """The only base class."""
    outside: Targets | None = None
    """Set if there is no base class in the project: an external base, or none. Both fields are unset if the chain
    branches."""


class MemberResolver:
    """Resolves members and calls of what a name refers to."""

    def __init__(self, names: NameResolver, load: Callable[[str], Scopes | None], answers: ResolutionCache) -> None:
        self._names = names
        self._load = load
        self._answers = answers
        self._links: dict[tuple[str, int], Link] = {}

    def find_member(self, target: Target, name: str) -> Targets:
        """Return the targets of a member name of this target."""
        if target.kind == "package":
            return (target,)
        if target.kind == "module":
            return self._names.resolve_in_module_or_package(target.path, name)
        scopes = self._names.visit_scopes(target.path)
        if scopes is None:
            return ()
        if target.kind == "super":
            return first_in_project(self.find_member(base, name) for base in self._get_bases(scopes, target.at))
        if scopes.kind_of(target.at) in _MEMBER_KINDS:
            return self.find_class_member(target.path, target.at, name)
        # A property is used like a value: its members are those of its return type.
        if scopes.kind_of(target.at) == "method" and not scopes.facts.definitions[target.at].returns.startswith("="):
            return follow_targets(self.resolve_call(target), self.find_member, name)
        return ()

    def find_class_member(self, path: str, index: int, name: str) -> Targets:
        """Return a member of a class, its own or an inherited one; single inheritance is followed without recursion."""
        link = self._links.get((path, index)) or self._find_link(path, index)
        consulted = self._answers.consulted
        consulted.add(path)
        for _ in range(RESOLUTION_DEPTH_MAX):
            if name in link.names:
                break
            consulted.update(link.consulted)
            if link.above is None:
                if link.outside is not None:
                    return link.outside
                break
            link = self._links.get(link.above) or self._find_link(*link.above)
        return self._answers.resolve_once(("member", link.path, link.at, name), self._find_member)

    def _find_link(self, path: str, index: int) -> Link:
        outer, self._answers.consulted = self._answers.consulted, set()
        link = self._build_link(path, index)
        self._answers.consulted = outer
        if self._answers.is_complete:
            if len(self._links) >= LINKS_CACHED_MAX:
                self._links.clear()
            self._links[path, index] = link
        return link

    def _build_link(self, path: str, index: int) -> Link:
        scopes = self._load(path)
        if scopes is None or scopes.family in OPEN_FAMILIES:
            return Link((), path, index)
        names, bases = scopes.names_in(index), self._get_bases(scopes, index)
        if not bases or bases[0].kind == "package":
            return Link(names, path, index, frozenset(self._answers.consulted), outside=bases[:1])
        _, base, at = bases[0]
        base_scopes = self._names.visit_scopes(base)
        is_single = len(bases) == 1 and base_scopes is not None and base_scopes.kind_of(at) in CLASS_KINDS
        return Link(names, path, index, frozenset(self._answers.consulted), above=(base, at) if is_single else None)

    def _find_member(self, path: str, index: int, name: str) -> Targets:
        scopes = self._names.visit_scopes(path)
        if scopes is None:
            return ()
        targets = self._names.resolve_in_scope(scopes, index, name)
        if targets:
            return targets
        if scopes.family in OPEN_FAMILIES:
            qualified = f"{scopes.facts.definitions[index].qualified}.{name}"
            for sibling in (path, *self._names.list_siblings(scopes)):
                other = self._names.visit_scopes(sibling)
                if other is not None and qualified in other.by_qualified:
                    return tuple(Target("definition", sibling, at) for at in other.by_qualified[qualified][:1])
        return first_in_project(self.find_member(base, name) for base in self._get_bases(scopes, index))

    def _get_bases(self, scopes: Scopes, index: int) -> Targets:
        """Return the base classes of a class, in order; external ones last."""
        if index not in scopes.bases:
            return ()
        return self._answers.resolve_cached(("bases", scopes.path, index, ""), self._find_bases)

    def _find_bases(self, path: str, index: int, _: str) -> Targets:
        scopes = self._load(path)
        if scopes is None:
            return ()
        around = scopes.parent_of(index)
        bases = [
            target
            for name in scopes.bases[index][:TARGETS_MAX]
            for target in self._names.resolve_expression(scopes, around, name)
            if (target.path, target.at) != (path, index) and target.kind in ("definition", "package")
        ]
        return tuple(sorted(dict.fromkeys(bases), key=lambda target: target.kind == "package"))

    def resolve_call(self, target: Target) -> Targets:
        """Return the result of calling a target."""
        if target.kind in ("package", "super"):
            return (target,)
        if target.kind == "module":
            default_export = self.find_member(target, "default") if not target.path.endswith("/") else ()
            return follow_targets(default_export, self.resolve_call)
        scopes = self._names.visit_scopes(target.path)
        if scopes is None:
            return ()
        definition = scopes.facts.definitions[target.at]
        if target.kind == "instance":
            caller = self.find_class_member(target.path, target.at, "__call__")
            return deduplicate_targets(
                result for method in caller if method.kind == "definition" for result in self.resolve_call(method)
            )
        if definition.kind in CLASS_KINDS:
            return (Target("instance", target.path, target.at),)
        if not definition.returns:
            return ()
        if definition.returns.startswith("="):
            return self._names.resolve_expression(scopes, target.at, definition.returns[1:])
        return self._names.resolve_binding(scopes, target.at, definition.returns, True)

    def find_constructors(self, target: Target) -> Targets:
        """Return the constructors that run when a class is called."""
        scopes = self._load(target.path)
        if scopes is None:
            return ()
        for name in CONSTRUCTOR_NAMES.get(scopes.family) or (scopes.facts.definitions[target.at].name,):
            constructors = self.find_member(target, name)
            if any(constructor.kind == "definition" for constructor in constructors):
                return constructors
        return ()
