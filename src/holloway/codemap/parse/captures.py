"""Reads the captures of tree-sitter queries; all languages share one vocabulary of capture names.

- `@function @class @interface @type @enum @variable @namespace`: a complete definition, with `@name` and perhaps
  `@returns` in it; `@anonymous`: the base type of a class without a name; `@receiver`: the type of a method;
  `@impl`: a block that extends the type of that `@name`; `@unnamed`: an anonymous function.
- `@module @symbol @alias @star @main`: an import (`@static`: one of a member of the class `@holder`); `@use`: one
  written as a tree of names after a `@prefix`; `@include`: one with a file name in it; `@submodule`: a part of this
  module in a separate file; `@reexport` marks an import that is exported again.
- `@call @invocation @element @token @new @base @implements @typed`: a reference; `@generic`: a type parameter.
- `@target` with `@value` or `@of`: the value or the type of a name; `@field`: the same in the surrounding class;
  `@part`: a name bound to the value's member of that name; `@return`: the value that a function returns.
- `@export`: an exported name; `@default`: the default export; `@offered`: an exported definition.
- `@package`: the file's package.

All matches of one pattern must mean the same thing: the first match decides which handler reads the others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from holloway.codemap.parse.definition_tree import KINDS, NAMESPACE, UNNAMED, Found
from holloway.codemap.parse.expressions import (
    EXPRESSION_BYTES_MAX,
    RUST_WRAPPERS,
    UNKNOWN,
    WRAPPERS,
    chain,
    type_names,
    unwrapped,
    use_tree,
)
from holloway.codemap.parse.facts import STAR
from holloway.codemap.parse.languages import LANGUAGES, family

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    Captures = dict[str, list[Node]]
    Taker = Callable[["Captured", Captures], None]

NAME_CHARS_MAX = 200
TEXT_BYTES_MAX = 4_000
DEFINITIONS_MAX = 5_000
REFERENCES_MAX = 20_000
STEPS_MAX = 16
"""Calls and members of one long expression that are followed."""

DEFAULT = "default"
"""The name of a module's default export."""

_QUOTES = "\"'`<> \r\n"
_KEYWORDS = frozenset({"class", "struct", "union", "enum", "namespace", "template"})
"""Keywords that appear as a name when the parser does not know a macro."""
_USE_KIND = re.compile(r"(?:function|const)\s+")
_FILE_NAME = re.compile(r"['\"]/?([^'\"$]+\.\w+)['\"]")
_TEST_MACRO = re.compile(r"(?:TYPED_)?TEST(?:_[FP])?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_TEMPLATE = re.compile(r"\s*<[^<>]*>")
_LEAD_BYTES_MAX = 80
_PATH_BEFORE = re.compile(rb"(?:[A-Za-z_]\w*(?:::|\.))+\Z")
_IMPORTING = ("require()", "import()")
_PROMISES = frozenset(
    {"function_signature", "method_signature", "abstract_method_signature", "declaration", "field_declaration"}
)
_CALLEE = {
    "call": "function",
    "call_expression": "function",
    "new_expression": "constructor",
    "object_creation_expression": "type",
}
_MEMBER = {
    "attribute": ("object", "attribute", ""),
    "member_expression": ("object", "property", ""),
    "selector_expression": ("operand", "field", ""),
    "field_expression": ("value", "field", ""),
    "field_access": ("object", "field", ""),
    "method_invocation": ("object", "name", "()"),
}
_AROUND = frozenset({"await_expression", "await", "try_expression", "reference_expression", "unary_expression"})
_WITH_PROMISES = frozenset({"javascript", "c"})


class Captured:
    """The captures of one file, not yet sorted into scopes. A position is a byte offset, a line counts from 1."""

    def __init__(self, language: str, data: bytes) -> None:
        self.data = data
        self.family = family(language)
        self.selves = LANGUAGES[language].selves
        self.wrappers = RUST_WRAPPERS if self.family == "rust" else WRAPPERS
        self._chain = _rust_chain if self.family == "rust" else _chain
        self.package = ""
        self.found: list[Found] = []
        self.imports: list[tuple[int, int, str, str, str, bool]] = []
        """Position, line, module, symbol, alias, whether it is exported again."""
        self.imported: set[int] = set()
        """Positions of the names that imports bind."""
        self.starred: set[int] = set()
        """Positions of imports that bind all names (`*`)."""
        self.mentions: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        """References by kind and name: position, line."""
        self.mentioned = 0
        self.bases: list[tuple[int, int, str, str]] = []
        """Base classes: position, line, kind, name."""
        self.typed: dict[int, tuple[int, int, str]] = {}
        """References to types by their end position: position, line, name."""
        self.claimed: set[int] = set()
        """End positions of type names that are more than a reference."""
        self.generics: set[str] = set()
        self.bindings: list[tuple[int, str, str, bool]] = []
        """Position, or -1 for the module; name, expression, whether it is a type."""
        self.returns: list[tuple[int, str]] = []
        self.exports: list[str] = []
        self.offered: list[tuple[int, int, bool]] = []
        """Start and end of an exported definition, and whether it is the default export."""

    def take(self, matches: list[tuple[int, Captures]], takers: dict[int, Taker]) -> None:
        """Read all matches of the language's query; the handler of each pattern is cached."""
        for pattern, captures in matches:
            handler = takers.get(pattern)
            if handler is None:
                handler = takers[pattern] = _taker(captures)
            handler(self, captures)

    def text(self, node: Node) -> str:
        """Return the source text of a node, truncated."""
        start = node.start_byte
        return self.data[start : min(node.end_byte, start + TEXT_BYTES_MAX)].decode("utf-8", "replace")

    def types(self, node: Node) -> str:
        """Return the classes that an annotation names."""
        start = node.start_byte
        return _types(self.data[start : min(node.end_byte, start + EXPRESSION_BYTES_MAX)], self.wrappers)

    def expression(self, node: Node) -> str:
        """Return the chain of an expression; a long one is split, so that its arguments do not hide it."""
        tail = ""
        for _ in range(STEPS_MAX):
            start = node.start_byte
            end = node.end_byte
            if end - start <= EXPRESSION_BYTES_MAX:
                head = self._short(node, start, end)
                return self._joined(head, tail) if tail else head
            kind = node.type
            inner: Node | None = None
            if kind in _CALLEE:
                inner = node.child_by_field_name(_CALLEE[kind])
                tail = "()" + tail
            elif kind in _MEMBER:
                holder, member, mark = _MEMBER[kind]
                inner = node.child_by_field_name(holder)
                member_node = node.child_by_field_name(member)
                tail = f".{self.text(member_node)[:NAME_CHARS_MAX] if member_node else UNKNOWN}{mark}{tail}"
                if inner is None and mark:
                    return self._joined(tail[1:], "")
            elif kind in _AROUND:
                inner = node.named_child(0)
            if inner is None:
                break
            node = inner
        return self._joined(UNKNOWN, tail)

    def _short(self, node: Node, start: int, end: int) -> str:
        """Return the chain of a short expression; the callee is read separately, because it recurs and is cached."""
        callee = _CALLEE.get(node.type)
        callee_node = node.child_by_field_name(callee) if callee else None
        if callee_node is not None:
            head = self._chain(self.data[callee_node.start_byte : callee_node.end_byte])
            if head and not head.startswith(UNKNOWN):
                return self._joined(head, "()")
        return self._chain(self.data[start:end])

    def _joined(self, head: str, tail: str) -> str:
        joined = head + tail
        if tail and (not head or len(joined) > EXPRESSION_BYTES_MAX or head.startswith(UNKNOWN)):
            joined = chain(UNKNOWN + tail[-EXPRESSION_BYTES_MAX + 1 :])
        return unwrapped(joined) if tail and self.family == "rust" else joined

    def _call(self, captures: Captures) -> None:
        # Half of all captures are calls, so this is a hot path.
        node = captures["call"][0]
        start = node.start_byte
        end = node.end_byte
        name = self._chain(self.data[start:end]) if end - start <= EXPRESSION_BYTES_MAX else self.expression(node)
        if name and self.mentioned < REFERENCES_MAX:
            self.mentioned += 1
            self.mentions["call", name].append((start, node.start_point[0] + 1))

    def _invocation(self, captures: Captures) -> None:
        node = captures["invocation"][0]
        name = self.text(node)
        if "holder" in captures:
            holder = self.expression(captures["holder"][0])
            name = f"{UNKNOWN if not holder or holder.startswith(UNKNOWN) else holder}.{name}"
        self._mention("call", node, name)

    def _element(self, captures: Captures) -> None:
        node = captures["element"][0]
        name = self.expression(node)
        if "." in name or name[:1].isupper():
            self._mention("call", node, name)

    def _token(self, captures: Captures) -> None:
        """Read a call among the bare tokens of a macro's arguments: the prefix of its name is read from the text."""
        node = captures["token"][0]
        start = node.start_byte
        if self.data[node.end_byte : node.end_byte + 1] != b"(":
            return
        name = self.text(node)
        if self.data[start - 1 : start] in (b".", b":", b"$"):
            before = self.data[max(start - _LEAD_BYTES_MAX, 0) : start]
            path = _PATH_BEFORE.search(before)
            is_whole = path is not None and not before[: path.start()].endswith((b".", b":", b"$", b"?"))
            name = chain(path.group().decode("ascii") + name) if path and is_whole else f"{UNKNOWN}.{name}"
        self._mention("call", node, name)

    def _new(self, captures: Captures) -> None:
        for node in captures["new"]:
            self.claimed.add(node.end_byte)
            self._mention("new", node, self.expression(node))

    def _base(self, captures: Captures) -> None:
        kind = "base" if "base" in captures else "implements"
        for node in captures[kind]:
            self.claimed.add(node.end_byte)
            if (name := self.types(node)) and self.mentioned < REFERENCES_MAX:
                self.mentioned += 1
                self.bases.append((node.start_byte, node.start_point[0] + 1, kind, name))

    def _typed(self, captures: Captures) -> None:
        node = captures["typed"][0]
        start = node.start_byte
        end = node.end_byte
        former = self.typed.get(end)
        # The last part of a dotted name is also matched separately.
        if (former is None and len(self.typed) < REFERENCES_MAX) or (former is not None and start < former[0]):
            self.typed[end] = (start, node.start_point[0] + 1, self.types(node))

    def _generic(self, captures: Captures) -> None:
        for node in captures["generic"]:
            self.claimed.add(node.end_byte)
            self.generics.add(self.text(node))

    def _mention(self, kind: str, node: Node, name: str) -> None:
        if name and self.mentioned < REFERENCES_MAX:
            self.mentioned += 1
            self.mentions[kind, name].append((node.start_byte, node.start_point[0] + 1))

    def _bind(self, captures: Captures) -> None:
        if len(self.bindings) >= REFERENCES_MAX:
            return
        is_type = "of" in captures
        source = captures["of" if is_type else "value"][0]
        expression = self.types(source) if is_type else self.expression(source)
        if not expression or expression.startswith((UNKNOWN, *_IMPORTING)):
            return
        if "part" in captures:
            part = captures["part"][0]
            expression = "|".join(f"{alternative}.{self.text(part)}" for alternative in expression.split("|"))
            is_type = False
            captures.setdefault("target", [part])
        for node in captures.get("field", ()):
            self.bindings.append((node.start_byte, f"{self.selves[0]}.{self.text(node)}", expression, is_type))
        for node in captures.get("target", ()):
            if node.end_byte - node.start_byte <= NAME_CHARS_MAX:
                self.bindings.append((node.start_byte, self.text(node), expression, is_type))

    def _return(self, captures: Captures) -> None:
        node = captures["return"][0]
        if len(self.returns) < REFERENCES_MAX and (expression := self.expression(node)):
            self.returns.append((node.start_byte, expression))

    def _import(self, captures: Captures) -> None:
        node = captures["holder" if "static" in captures else "module"][0]
        module = self.text(node).strip(_QUOTES)[:NAME_CHARS_MAX]
        alias = self.text(captures["alias"][0]).strip(_QUOTES) if "alias" in captures else ""
        symbol = self.text(captures["symbol"][0]).strip(_QUOTES) if "symbol" in captures else ""
        symbol = STAR if "star" in captures else DEFAULT if "main" in captures else symbol
        is_offered = "reexport" in captures
        if symbol == STAR:
            self.starred.add(node.start_byte)
        if module and len(self.imports) < DEFINITIONS_MAX:
            self.imports.append((node.start_byte, node.start_point[0] + 1, module, symbol, alias, is_offered))
            self.imported.update(
                name_node.start_byte for name_node in captures.get("alias") or captures.get("symbol") or ()
            )
            if is_offered and symbol != STAR:
                self.exports.append(alias or symbol)

    def _use(self, captures: Captures) -> None:
        node = captures["use"][0]
        line = node.start_point[0] + 1
        prefix = self.text(captures["prefix"][0]) + "\\" if "prefix" in captures else ""
        if len(self.imports) < DEFINITIONS_MAX:
            for module, symbol, alias in use_tree(prefix + _USE_KIND.sub("", self.text(node))):
                if self.family == "php" and symbol:
                    # A class is defined in a file of the same name.
                    module = f"{module}.{symbol}"
                self.imports.append((node.start_byte, line, module, symbol, alias, "reexport" in captures))

    def _include(self, captures: Captures) -> None:
        node = captures["include"][0]
        text = self.data[node.start_byte : min(node.end_byte, node.start_byte + EXPRESSION_BYTES_MAX)]
        file_name = _FILE_NAME.search(text.decode("utf-8", "replace"))
        if file_name and len(self.imports) < DEFINITIONS_MAX:
            self.imports.append((node.start_byte, node.start_point[0] + 1, file_name.group(1), "", "", False))

    def _submodule(self, captures: Captures) -> None:
        node = captures["submodule"][0]
        name = self.text(node)[:NAME_CHARS_MAX]
        if len(self.imports) < DEFINITIONS_MAX:
            row = (node.start_byte, node.start_point[0] + 1, f"self.{name}", "", name, "reexport" in captures)
            self.imports.append(row)

    def _export(self, captures: Captures) -> None:
        node = captures["export"][0]
        expression = self.expression(node)
        name = self.text(captures["alias"][0]).strip(_QUOTES) if "alias" in captures else expression
        if name and len(self.exports) < DEFINITIONS_MAX:
            self.exports.append(name)
            self.offer(name, expression)

    def _default(self, captures: Captures) -> None:
        self.exports.append(DEFAULT)
        self.offer(DEFAULT, self.expression(captures["default"][0]))

    def offer(self, name: str, expression: str) -> None:
        """Record that the module exports the value of an expression under a name."""
        if expression and not expression.startswith((UNKNOWN, *_IMPORTING)) and expression != name:
            self.bindings.append((-1, name, expression, False))

    def _offered(self, captures: Captures) -> None:
        node = captures["offered"][0]
        self.offered.append((node.start_byte, node.end_byte, "default" in captures))

    def _package(self, captures: Captures) -> None:
        self.package = self.package or chain(self.text(captures["package"][0])[:NAME_CHARS_MAX])

    def _unnamed(self, captures: Captures) -> None:
        node = captures["unnamed"][0]
        start = node.start_byte
        if len(self.found) < DEFINITIONS_MAX:
            self.found.append(Found(start, node.end_byte, UNNAMED, "", start, node, "", "", False))

    def _define(self, captures: Captures, kind: str) -> None:
        if len(self.found) >= DEFINITIONS_MAX:
            return
        node = captures[kind][0]
        name_start = node.start_byte
        name = DEFAULT
        if "name" in captures:
            name_node = captures["name"][0]
            name_start = name_node.start_byte
            self.claimed.add(name_node.end_byte)
            name = self.types(name_node) if kind == "impl" else self.text(name_node).strip("\"'`")
        elif "anonymous" in captures:
            name = self.types(captures["anonymous"][0]) + "{}"
        if not name or len(name) > NAME_CHARS_MAX:
            return
        returns = self.types(captures["returns"][0]) if "returns" in captures else ""
        receiver = self.types(captures["receiver"][0]) if "receiver" in captures else ""
        if self.family == "c" and kind != NAMESPACE:
            receiver, name = _scoped(name)
            receiver = receiver if kind == "function" else ""
            if name.isupper() and (test := _TEST_MACRO.match(self.text(node))):
                name = f"{test.group(1)}.{test.group(2)}"
            if name in _KEYWORDS:
                return
        name = name.replace("::", ".").removeprefix(":")
        is_promise = self.family in _WITH_PROMISES and node.type in _PROMISES
        self.found.append(
            Found(node.start_byte, node.end_byte, kind, name, name_start, node, returns, receiver, is_promise)
        )


def _scoped(name: str) -> tuple[str, str]:
    """Split `a::B<T>::c` into the class `a.B` and the name `c`."""
    scope, operator, symbol = name.partition("operator")
    if not operator or (symbol[:1].isalnum() or symbol[:1] == "_"):
        scope, operator, symbol = name, "", ""
    while "<" in scope and (plain := _TEMPLATE.sub("", scope)) != scope:
        scope = plain
    if operator:
        return scope.removesuffix("::").replace("::", "."), "operator" + symbol.strip()
    scope, _, symbol = scope.rpartition("::")
    return scope.replace("::", "."), symbol.strip()


@lru_cache(maxsize=16_384)
def _chain(text: bytes) -> str:
    return chain(text.decode("utf-8", "replace"))


@lru_cache(maxsize=16_384)
def _rust_chain(text: bytes) -> str:
    return unwrapped(_chain(text))


@lru_cache(maxsize=4_096)
def _types(text: bytes, wrappers: frozenset[str]) -> str:
    return type_names(text.decode("utf-8", "replace"), wrappers)


_BY_CAPTURE: tuple[tuple[str, Taker], ...] = (
    ("call", Captured._call),
    ("invocation", Captured._invocation),
    ("element", Captured._element),
    ("token", Captured._token),
    ("new", Captured._new),
    ("base", Captured._base),
    ("implements", Captured._base),
    ("typed", Captured._typed),
    ("generic", Captured._generic),
    ("value", Captured._bind),
    ("of", Captured._bind),
    ("return", Captured._return),
    ("module", Captured._import),
    ("use", Captured._use),
    ("include", Captured._include),
    ("submodule", Captured._submodule),
    ("offered", Captured._offered),
    ("export", Captured._export),
    ("default", Captured._default),
    ("package", Captured._package),
    ("unnamed", Captured._unnamed),
)


def _taker(captures: Captures) -> Taker:
    for name, take in _BY_CAPTURE:
        if name in captures:
            return take
    return partial(Captured._define, kind=next(kind for kind in KINDS if kind in captures))
