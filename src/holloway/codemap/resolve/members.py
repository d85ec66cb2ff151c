"""Resolves members of modules and classes (`a.b`), including inherited ones, and the results of calls (`a()`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.definition_kinds import CLASS_KINDS
from holloway.codemap.parse.languages import CONSTRUCTOR_NAMES, OPEN_FAMILIES
from holloway.codemap.resolve.resolution_cache import DEPTH_MAX
from holloway.codemap.resolve.targets import TARGETS_MAX, Target, deduplicate_targets, first_in_project, follow_targets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holloway.codemap.resolve.name_resolution import NameResolver
    from holloway.codemap.resolve.resolution_cache import ResolutionCache
    from holloway.codemap.resolve.scopes import Scopes
    from holloway.codemap.resolve.targets import Targets


LINKS_CACHED_MAX = 2_000
"""Classes whose base class is cached: about 2 MB."""


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
        if scopes.kind_of(target.at) in CLASS_KINDS:
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
        for _ in range(DEPTH_MAX):
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
