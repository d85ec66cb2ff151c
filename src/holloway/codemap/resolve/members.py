"""Resolves members of modules and classes (`a.b`), including inherited ones, and the results of calls (`a()`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.definition_kinds import CLASS_KINDS
from holloway.codemap.resolve.language_families import MAKERS, OPEN_FAMILIES
from holloway.codemap.resolve.resolution_cache import DEPTH_MAX
from holloway.codemap.resolve.targets import TARGETS_MAX, Target, each, few, first

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holloway.codemap.resolve.name_resolution import Names
    from holloway.codemap.resolve.resolution_cache import Answers
    from holloway.codemap.resolve.scopes import Scopes
    from holloway.codemap.resolve.targets import Targets


LINKS_KEPT = 2_000
"""Classes whose base class is cached: about 2 MB."""


class Link(NamedTuple):
    """One class in a chain of single inheritance, which a search for a member follows upwards."""

    names: Collection[str]
    path: str
    at: int
    seen: Collection[str] = ()
    """Files that were consulted to find the base class."""
    above: tuple[str, int] | None = None
    """The only base class."""
    outside: Targets | None = None
    """Set if there is no base class in the project: an external base, or none. Both fields are unset if the chain
    branches."""


class Members:
    """Resolves members and calls of what a name refers to."""

    def __init__(self, names: Names, load: Callable[[str], Scopes | None], answers: Answers) -> None:
        self._names = names
        self._load = load
        self._answers = answers
        self._links: dict[tuple[str, int], Link] = {}

    def member(self, target: Target, name: str) -> Targets:
        """Return the targets of a member name of this target."""
        if target.kind == "package":
            return (target,)
        if target.kind == "module":
            return self._names.in_module_or_package(target.path, name)
        scopes = self._names.scopes(target.path)
        if scopes is None:
            return ()
        if target.kind == "super":
            return first(self.member(base, name) for base in self._bases(scopes, target.at))
        if scopes.kind(target.at) in CLASS_KINDS:
            return self.of_class(target.path, target.at, name)
        # A property is used like a value: its members are those of its return type.
        if scopes.kind(target.at) == "method" and not scopes.facts.definitions[target.at].returns.startswith("="):
            return each(self.called(target), self.member, name)
        return ()

    def of_class(self, path: str, index: int, name: str) -> Targets:
        """Return a member of a class, its own or an inherited one; single inheritance is followed without recursion."""
        link = self._links.get((path, index)) or self._find_link(path, index)
        consulted = self._answers.seen
        consulted.add(path)
        for _ in range(DEPTH_MAX):
            if name in link.names:
                break
            consulted.update(link.seen)
            if link.above is None:
                if link.outside is not None:
                    return link.outside
                break
            link = self._links.get(link.above) or self._find_link(*link.above)
        return self._answers.remembered(("member", link.path, link.at, name), self._find_member)

    def _find_link(self, path: str, index: int) -> Link:
        outer, self._answers.seen = self._answers.seen, set()
        link = self._linked(path, index)
        self._answers.seen = outer
        if self._answers.is_whole:
            if len(self._links) >= LINKS_KEPT:
                self._links.clear()
            self._links[path, index] = link
        return link

    def _linked(self, path: str, index: int) -> Link:
        scopes = self._load(path)
        if scopes is None or scopes.family in OPEN_FAMILIES:
            return Link((), path, index)
        names, bases = scopes.names_in(index), self._bases(scopes, index)
        if not bases or bases[0].kind == "package":
            return Link(names, path, index, frozenset(self._answers.seen), outside=bases[:1])
        _, base, at = bases[0]
        base_scopes = self._names.scopes(base)
        is_single = len(bases) == 1 and base_scopes is not None and base_scopes.kind(at) in CLASS_KINDS
        return Link(names, path, index, frozenset(self._answers.seen), above=(base, at) if is_single else None)

    def _find_member(self, path: str, index: int, name: str) -> Targets:
        scopes = self._names.scopes(path)
        if scopes is None:
            return ()
        targets = self._names.in_scope(scopes, index, name)
        if targets:
            return targets
        if scopes.family in OPEN_FAMILIES:
            qualified = f"{scopes.facts.definitions[index].qualified}.{name}"
            for sibling in (path, *self._names.siblings(scopes)):
                other = self._names.scopes(sibling)
                if other is not None and qualified in other.by_qualified:
                    return tuple(Target("definition", sibling, at) for at in other.by_qualified[qualified][:1])
        return first(self.member(base, name) for base in self._bases(scopes, index))

    def _bases(self, scopes: Scopes, index: int) -> Targets:
        """Return the base classes of a class, in order; external ones last."""
        if index not in scopes.bases:
            return ()
        return self._answers.kept(("bases", scopes.path, index, ""), self._find_bases)

    def _find_bases(self, path: str, index: int, _: str) -> Targets:
        scopes = self._load(path)
        if scopes is None:
            return ()
        around = scopes.parent(index)
        bases = [
            target
            for name in scopes.bases[index][:TARGETS_MAX]
            for target in self._names.expression(scopes, around, name)
            if (target.path, target.at) != (path, index) and target.kind in ("definition", "package")
        ]
        return tuple(sorted(dict.fromkeys(bases), key=lambda target: target.kind == "package"))

    def called(self, target: Target) -> Targets:
        """Return the result of calling a target."""
        if target.kind in ("package", "super"):
            return (target,)
        if target.kind == "module":
            default_export = self.member(target, "default") if not target.path.endswith("/") else ()
            return each(default_export, self.called)
        scopes = self._names.scopes(target.path)
        if scopes is None:
            return ()
        definition = scopes.facts.definitions[target.at]
        if target.kind == "instance":
            caller = self.of_class(target.path, target.at, "__call__")
            return few(result for method in caller if method.kind == "definition" for result in self.called(method))
        if definition.kind in CLASS_KINDS:
            return (Target("instance", target.path, target.at),)
        if not definition.returns:
            return ()
        if definition.returns.startswith("="):
            return self._names.expression(scopes, target.at, definition.returns[1:])
        return self._names.bound(scopes, target.at, definition.returns, True)

    def makers(self, target: Target) -> Targets:
        """Return the constructors that run when a class is called."""
        scopes = self._load(target.path)
        if scopes is None:
            return ()
        for name in MAKERS.get(scopes.family) or (scopes.facts.definitions[target.at].name,):
            constructors = self.member(target, name)
            if any(constructor.kind == "definition" for constructor in constructors):
                return constructors
        return ()
