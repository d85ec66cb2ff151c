"""What one file says by itself: definitions, imports, references, and what its names stand for."""

from __future__ import annotations

import json
from typing import NamedTuple

from holloway.codemap.parse.definition_kinds import CLASS_KINDS

MODULE_SCOPE = -1
"""The scope of what stands at the top of a file."""

STAR = "*"


class Definition(NamedTuple):
    """A thing with a name. `parent` is the index of the definition that it lies in, or MODULE_SCOPE."""

    kind: str
    name: str
    qualified: str
    parent: int
    line: int
    end_line: int
    signature: str
    exported: bool
    returns: str
    """What its annotation or a return statement says it gives, as an expression; empty where nothing is known."""


class Import(NamedTuple):
    """A name brought in from elsewhere: `from module import symbol as alias`. An empty symbol is the module itself."""

    module: str
    symbol: str
    alias: str
    scope: int
    line: int
    exported: bool = False
    """Whether the file offers it to others under that name (`export … from`)."""


class Reference(NamedTuple):
    """Something mentioned: `kind` is call, new, base, implements or typed; `name` a dotted expression."""

    kind: str
    name: str
    scopes: list[int]
    lines: list[int]
    """Where: a scope and a line for each mention, the first line first."""


class Binding(NamedTuple):
    """What a name stands for in a scope: the value of an expression, or an instance of a type."""

    scope: int
    name: str
    expression: str
    is_type: bool
    within: int
    """The scope that the expression is read in: `self.x = x` binds in the class what `x` is in the method."""


class Facts(NamedTuple):
    """All of it. The same bytes give the same facts, whatever else is in the project."""

    package: str = ""
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    bases: tuple[Reference, ...] = ()
    """What classes are based on, in the order that it is written in, each in its class."""
    bindings: tuple[Binding, ...] = ()
    exports: tuple[str, ...] | None = None
    """The names that the file says it offers; None where it does not say."""
    references: tuple[Reference, ...] = ()
    """What is mentioned otherwise, everything once."""

    def encode(self) -> bytes:
        """The facts as they are stored: all but the references, which nobody asks another file for."""
        return _json(self[:-1])

    def encode_references(self) -> bytes:
        """The references as they are stored."""
        return _json(self.references)

    def interface(self) -> bytes:
        """A hash of what other files can see: an edit inside a function body leaves it as it was."""
        # Who only asks the map waits for no library of hashes.
        from hashlib import blake2b

        seen = (
            self.package,
            [(d.kind, d.qualified, d.returns) for d in self.definitions],
            [i[:4] + i[5:] for i in self.imports],
            [b for b in self.bindings if self._is_seen(b.scope)],
            [(r.name, self.definitions[r.scopes[0]].qualified) for r in self.bases],
            self.exports,
        )
        return blake2b(repr(seen).encode("utf-8", "replace"), digest_size=12).digest()

    def _is_seen(self, scope: int) -> bool:
        """Whether what a name stands for in this scope can matter elsewhere."""
        if scope == MODULE_SCOPE:
            return True
        definition = self.definitions[scope]
        return definition.kind in CLASS_KINDS or bool(definition.returns) or definition.name in CONSTRUCTORS


CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct", "initialize"})


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode_references(data: bytes) -> tuple[Reference, ...]:
    """References from what was stored."""
    return tuple(map(Reference._make, json.loads(data)))


def decode(data: bytes) -> Facts:
    """Facts from what was stored, without the references."""
    package, definitions, imports, bases, bindings, exports = json.loads(data)
    return Facts(
        package,
        tuple(map(Definition._make, definitions)),
        tuple(map(Import._make, imports)),
        tuple(map(Reference._make, bases)),
        tuple(map(Binding._make, bindings)),
        None if exports is None else tuple(exports),
    )
