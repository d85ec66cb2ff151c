"""Facts about one file on its own: definitions, imports, references and name bindings, and how they are serialised."""

from __future__ import annotations

import json
from typing import NamedTuple

from holloway.codemap.parse import CLASS_KINDS

MODULE_SCOPE = -1
"""The scope of top-level code of a file."""

STAR = "*"


class Definition(NamedTuple):
    """A named thing. `parent` is the index of the definition that contains it, or MODULE_SCOPE."""

    kind: str
    name: str
    qualified: str
    parent: int
    line: int
    end_line: int
    signature: str
    exported: bool
    returns: str
    """Returned value according to its annotation or return statements, as an expression; empty if unknown."""


class Import(NamedTuple):
    """An imported name: `from module import symbol as alias`. An empty symbol means the module itself."""

    module: str
    symbol: str
    alias: str
    scope: int
    line: int
    exported: bool = False
    """Whether the file exports it again under that name (`export … from`)."""


class Reference(NamedTuple):
    """A mention of a name: `kind` is call, new, base, implements or typed; `name` is a dotted expression."""

    kind: str
    name: str
    scopes: list[int]
    lines: list[int]
    """Locations: a scope and a line for each mention, in order of lines."""


class Binding(NamedTuple):
    """The value of a name in a scope: the value of an expression, or an instance of a type."""

    scope: int
    name: str
    expression: str
    is_type: bool
    within: int
    """The scope that the expression is evaluated in: `self.x = x` binds `x` of the method in the class."""


class Facts(NamedTuple):
    """All facts of a file. They depend on its bytes alone, whatever else is in the project."""

    package: str = ""
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    bases: tuple[Reference, ...] = ()
    """Base classes in source order, each in the scope of its class."""
    bindings: tuple[Binding, ...] = ()
    exports: tuple[str, ...] | None = None
    """Names that the file exports explicitly; None if it has no such list."""
    references: tuple[Reference, ...] = ()
    """All other references, deduplicated."""

    def encode_facts(self) -> bytes:
        """Serialise the facts without the references, which no other file needs."""
        return _encode_json(self[:-1])

    def encode_references(self) -> bytes:
        """Serialise the references."""
        return _encode_json(self.references)

    def hash_interface(self) -> bytes:
        """Return a hash of everything other files can see: an edit inside a function body does not change it."""
        # Imported late: processes that only query the map do not need it.
        from hashlib import blake2b

        visible = (
            self.package,
            [(d.kind, d.qualified, d.returns) for d in self.definitions],
            [i[:4] + i[5:] for i in self.imports],
            [b for b in self.bindings if self._is_visible(b.scope)],
            [(r.name, self.definitions[r.scopes[0]].qualified) for r in self.bases],
            self.exports,
        )
        return blake2b(repr(visible).encode("utf-8", "replace"), digest_size=12).digest()

    def _is_visible(self, scope: int) -> bool:
        """Whether a binding in this scope can matter to other files."""
        if scope == MODULE_SCOPE:
            return True
        definition = self.definitions[scope]
        return definition.kind in CLASS_KINDS or bool(definition.returns) or definition.name in CONSTRUCTORS


CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct", "initialize"})


def _encode_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode_references(data: bytes) -> tuple[Reference, ...]:
    """Deserialise references."""
    return tuple(map(Reference._make, json.loads(data)))


def decode_facts(data: bytes) -> Facts:
    """Deserialise facts; the references are stored separately."""
    package, definitions, imports, bases, bindings, exports = json.loads(data)
    return Facts(
        package,
        tuple(map(Definition._make, definitions)),
        tuple(map(Import._make, imports)),
        tuple(map(Reference._make, bases)),
        tuple(map(Binding._make, bindings)),
        None if exports is None else tuple(exports),
    )
