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

from holloway.codemap.parse.definition_tree import DEFINITION_KINDS, NAMESPACE_KIND, UNNAMED, DefinitionMatch
from holloway.codemap.parse.expressions import (
    EXPRESSION_BYTES_MAX,
    RUST_WRAPPERS,
    UNKNOWN,
    WRAPPERS,
    expand_use_tree,
    extract_type_names,
    normalise_chain,
    strip_unwrapping,
)
from holloway.codemap.parse.facts import STAR
from holloway.codemap.parse.languages import LANGUAGES, find_family

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    Captures = dict[str, list[Node]]
    CaptureHandler = Callable[["FileCaptures", Captures], None]

DEFINED_NAME_CHARS_MAX = 200
TEXT_BYTES_MAX = 4_000
FILE_DEFINITIONS_MAX = 5_000
FILE_REFERENCES_MAX = 20_000
EXPRESSION_STEPS_MAX = 16
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
_IMPORT_CALLS = ("require()", "import()")
_DECLARATION_NODES = frozenset(
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
_WRAPPER_NODES = frozenset({"await_expression", "await", "try_expression", "reference_expression", "unary_expression"})
_FAMILIES_WITH_DECLARATIONS = frozenset({"javascript", "c"})


class FileCaptures:
    """The captures of one file, not yet sorted into scopes. A position is a byte offset, a line counts from 1."""

    def __init__(self, language: str, data: bytes) -> None:
        self.data = data
        self.family = find_family(language)
        self.selves = LANGUAGES[language].selves
        self.wrappers = RUST_WRAPPERS if self.family == "rust" else WRAPPERS
        self._chain = _cached_rust_chain if self.family == "rust" else _cached_chain
        self.package = ""
        self.definitions: list[DefinitionMatch] = []
        self.imports: list[tuple[int, int, str, str, str, bool]] = []
        """Position, line, module, symbol, alias, whether it is exported again."""
        self.imported_positions: set[int] = set()
        """Positions of the names that imports bind."""
        self.star_positions: set[int] = set()
        """Positions of imports that bind all names (`*`)."""
        self.mentions: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        """References by kind and name: position, line."""
        self.mention_count = 0
        self.bases: list[tuple[int, int, str, str]] = []
        """Base classes: position, line, kind, name."""
        self.typed_mentions: dict[int, tuple[int, int, str]] = {}
        """References to types by their end position: position, line, name."""
        self.claimed_ends: set[int] = set()
        """End positions of type names that are more than a reference."""
        self.generics: set[str] = set()
        self.bindings: list[tuple[int, str, str, bool]] = []
        """Position, or -1 for the module; name, expression, whether it is a type."""
        self.returns: list[tuple[int, str]] = []
        self.exports: list[str] = []
        self.exported_ranges: list[tuple[int, int, bool]] = []
        """Start and end of an exported definition, and whether it is the default export."""

    def read_matches(self, matches: list[tuple[int, Captures]], handlers: dict[int, CaptureHandler]) -> None:
        """Read all matches of the language's query; the handler of each pattern is cached."""
        for pattern, captures in matches:
            handler = handlers.get(pattern)
            if handler is None:
                handler = handlers[pattern] = _choose_handler(captures)
            handler(self, captures)

    def node_text(self, node: Node) -> str:
        """Return the source text of a node, truncated."""
        start = node.start_byte
        return self.data[start : min(node.end_byte, start + TEXT_BYTES_MAX)].decode("utf-8", "replace")

    def annotated_types(self, node: Node) -> str:
        """Return the classes that an annotation names."""
        start = node.start_byte
        return _cached_type_names(self.data[start : min(node.end_byte, start + EXPRESSION_BYTES_MAX)], self.wrappers)

    def expression_chain(self, node: Node) -> str:
        """Return the chain of an expression; a long one is split, so that its arguments do not hide it."""
        tail = ""
        for _ in range(EXPRESSION_STEPS_MAX):
            start = node.start_byte
            end = node.end_byte
            if end - start <= EXPRESSION_BYTES_MAX:
                head = self._short_chain(node, start, end)
                return self._join_chain(head, tail) if tail else head
            kind = node.type
            inner: Node | None = None
            if kind in _CALLEE:
                inner = node.child_by_field_name(_CALLEE[kind])
                tail = "()" + tail
            elif kind in _MEMBER:
                holder, member, mark = _MEMBER[kind]
                inner = node.child_by_field_name(holder)
                member_node = node.child_by_field_name(member)
                tail = (
                    f".{self.node_text(member_node)[:DEFINED_NAME_CHARS_MAX] if member_node else UNKNOWN}{mark}{tail}"
                )
                if inner is None and mark:
                    return self._join_chain(tail[1:], "")
            elif kind in _WRAPPER_NODES:
                inner = node.named_child(0)
            if inner is None:
                break
            node = inner
        return self._join_chain(UNKNOWN, tail)

    def _short_chain(self, node: Node, start: int, end: int) -> str:
        """Return the chain of a short expression; the callee is read separately, because it recurs and is cached."""
        callee = _CALLEE.get(node.type)
        callee_node = node.child_by_field_name(callee) if callee else None
        if callee_node is not None:
            head = self._chain(self.data[callee_node.start_byte : callee_node.end_byte])
            if head and not head.startswith(UNKNOWN):
                return self._join_chain(head, "()")
        return self._chain(self.data[start:end])

    def _join_chain(self, head: str, tail: str) -> str:
        joined = head + tail
        if tail and (not head or len(joined) > EXPRESSION_BYTES_MAX or head.startswith(UNKNOWN)):
            joined = normalise_chain(UNKNOWN + tail[-EXPRESSION_BYTES_MAX + 1 :])
        return strip_unwrapping(joined) if tail and self.family == "rust" else joined

    def _read_call(self, captures: Captures) -> None:
        # Half of all captures are calls, so this is a hot path.
        node = captures["call"][0]
        start = node.start_byte
        end = node.end_byte
        name = self._chain(self.data[start:end]) if end - start <= EXPRESSION_BYTES_MAX else self.expression_chain(node)
        if name and self.mention_count < FILE_REFERENCES_MAX:
            self.mention_count += 1
            self.mentions["call", name].append((start, node.start_point[0] + 1))

    def _read_invocation(self, captures: Captures) -> None:
        node = captures["invocation"][0]
        name = self.node_text(node)
        if "holder" in captures:
            holder = self.expression_chain(captures["holder"][0])
            name = f"{UNKNOWN if not holder or holder.startswith(UNKNOWN) else holder}.{name}"
        self._add_mention("call", node, name)

    def _read_element(self, captures: Captures) -> None:
        node = captures["element"][0]
        name = self.expression_chain(node)
        if "." in name or name[:1].isupper():
            self._add_mention("call", node, name)

    def _read_macro_token(self, captures: Captures) -> None:
        """Read a call among the bare tokens of a macro's arguments: the prefix of its name is read from the text."""
        node = captures["token"][0]
        start = node.start_byte
        if self.data[node.end_byte : node.end_byte + 1] != b"(":
            return
        name = self.node_text(node)
        if self.data[start - 1 : start] in (b".", b":", b"$"):
            before = self.data[max(start - _LEAD_BYTES_MAX, 0) : start]
            path = _PATH_BEFORE.search(before)
            is_whole = path is not None and not before[: path.start()].endswith((b".", b":", b"$", b"?"))
            name = normalise_chain(path.group().decode("ascii") + name) if path and is_whole else f"{UNKNOWN}.{name}"
        self._add_mention("call", node, name)

    def _read_instantiation(self, captures: Captures) -> None:
        for node in captures["new"]:
            self.claimed_ends.add(node.end_byte)
            self._add_mention("new", node, self.expression_chain(node))

    def _read_base(self, captures: Captures) -> None:
        kind = "base" if "base" in captures else "implements"
        for node in captures[kind]:
            self.claimed_ends.add(node.end_byte)
            if (name := self.annotated_types(node)) and self.mention_count < FILE_REFERENCES_MAX:
                self.mention_count += 1
                self.bases.append((node.start_byte, node.start_point[0] + 1, kind, name))

    def _read_type_mention(self, captures: Captures) -> None:
        node = captures["typed"][0]
        start = node.start_byte
        end = node.end_byte
        former = self.typed_mentions.get(end)
        # The last part of a dotted name is also matched separately.
        if (former is None and len(self.typed_mentions) < FILE_REFERENCES_MAX) or (
            former is not None and start < former[0]
        ):
            self.typed_mentions[end] = (start, node.start_point[0] + 1, self.annotated_types(node))

    def _read_generic(self, captures: Captures) -> None:
        for node in captures["generic"]:
            self.claimed_ends.add(node.end_byte)
            self.generics.add(self.node_text(node))

    def _add_mention(self, kind: str, node: Node, name: str) -> None:
        if name and self.mention_count < FILE_REFERENCES_MAX:
            self.mention_count += 1
            self.mentions[kind, name].append((node.start_byte, node.start_point[0] + 1))

    def _read_binding(self, captures: Captures) -> None:
        if len(self.bindings) >= FILE_REFERENCES_MAX:
            return
        is_type = "of" in captures
        source = captures["of" if is_type else "value"][0]
        expression = self.annotated_types(source) if is_type else self.expression_chain(source)
        if not expression or expression.startswith((UNKNOWN, *_IMPORT_CALLS)):
            return
        if "part" in captures:
            part = captures["part"][0]
            expression = "|".join(f"{alternative}.{self.node_text(part)}" for alternative in expression.split("|"))
            is_type = False
            captures.setdefault("target", [part])
        for node in captures.get("field", ()):
            self.bindings.append((node.start_byte, f"{self.selves[0]}.{self.node_text(node)}", expression, is_type))
        for node in captures.get("target", ()):
            if node.end_byte - node.start_byte <= DEFINED_NAME_CHARS_MAX:
                self.bindings.append((node.start_byte, self.node_text(node), expression, is_type))

    def _read_return(self, captures: Captures) -> None:
        node = captures["return"][0]
        if len(self.returns) < FILE_REFERENCES_MAX and (expression := self.expression_chain(node)):
            self.returns.append((node.start_byte, expression))

    def _read_import(self, captures: Captures) -> None:
        node = captures["holder" if "static" in captures else "module"][0]
        module = self.node_text(node).strip(_QUOTES)[:DEFINED_NAME_CHARS_MAX]
        alias = self.node_text(captures["alias"][0]).strip(_QUOTES) if "alias" in captures else ""
        symbol = self.node_text(captures["symbol"][0]).strip(_QUOTES) if "symbol" in captures else ""
        symbol = STAR if "star" in captures else DEFAULT if "main" in captures else symbol
        is_offered = "reexport" in captures
        if symbol == STAR:
            self.star_positions.add(node.start_byte)
        if module and len(self.imports) < FILE_DEFINITIONS_MAX:
            self.imports.append((node.start_byte, node.start_point[0] + 1, module, symbol, alias, is_offered))
            self.imported_positions.update(
                name_node.start_byte for name_node in captures.get("alias") or captures.get("symbol") or ()
            )
            if is_offered and symbol != STAR:
                self.exports.append(alias or symbol)

    def _read_use(self, captures: Captures) -> None:
        node = captures["use"][0]
        line = node.start_point[0] + 1
        prefix = self.node_text(captures["prefix"][0]) + "\\" if "prefix" in captures else ""
        if len(self.imports) < FILE_DEFINITIONS_MAX:
            for module, symbol, alias in expand_use_tree(prefix + _USE_KIND.sub("", self.node_text(node))):
                if self.family == "php" and symbol:
                    # A class is defined in a file of the same name.
                    module = f"{module}.{symbol}"
                self.imports.append((node.start_byte, line, module, symbol, alias, "reexport" in captures))

    def _read_include(self, captures: Captures) -> None:
        node = captures["include"][0]
        text = self.data[node.start_byte : min(node.end_byte, node.start_byte + EXPRESSION_BYTES_MAX)]
        file_name = _FILE_NAME.search(text.decode("utf-8", "replace"))
        if file_name and len(self.imports) < FILE_DEFINITIONS_MAX:
            self.imports.append((node.start_byte, node.start_point[0] + 1, file_name.group(1), "", "", False))

    def _read_submodule(self, captures: Captures) -> None:
        node = captures["submodule"][0]
        name = self.node_text(node)[:DEFINED_NAME_CHARS_MAX]
        if len(self.imports) < FILE_DEFINITIONS_MAX:
            row = (node.start_byte, node.start_point[0] + 1, f"self.{name}", "", name, "reexport" in captures)
            self.imports.append(row)

    def _read_export(self, captures: Captures) -> None:
        node = captures["export"][0]
        expression = self.expression_chain(node)
        name = self.node_text(captures["alias"][0]).strip(_QUOTES) if "alias" in captures else expression
        if name and len(self.exports) < FILE_DEFINITIONS_MAX:
            self.exports.append(name)
            self.add_export(name, expression)

    def _read_default_export(self, captures: Captures) -> None:
        self.exports.append(DEFAULT)
        self.add_export(DEFAULT, self.expression_chain(captures["default"][0]))

    def add_export(self, name: str, expression: str) -> None:
        """Record that the module exports the value of an expression under a name."""
        if expression and not expression.startswith((UNKNOWN, *_IMPORT_CALLS)) and expression != name:
            self.bindings.append((-1, name, expression, False))

    def _read_exported_range(self, captures: Captures) -> None:
        node = captures["offered"][0]
        self.exported_ranges.append((node.start_byte, node.end_byte, "default" in captures))

    def _read_package(self, captures: Captures) -> None:
        self.package = self.package or normalise_chain(self.node_text(captures["package"][0])[:DEFINED_NAME_CHARS_MAX])

    def _read_unnamed_function(self, captures: Captures) -> None:
        node = captures["unnamed"][0]
        start = node.start_byte
        if len(self.definitions) < FILE_DEFINITIONS_MAX:
            self.definitions.append(DefinitionMatch(start, node.end_byte, UNNAMED, "", start, node, "", "", False))

    def _read_definition(self, captures: Captures, kind: str) -> None:
        if len(self.definitions) >= FILE_DEFINITIONS_MAX:
            return
        node = captures[kind][0]
        name_start = node.start_byte
        name = DEFAULT
        if "name" in captures:
            name_node = captures["name"][0]
            name_start = name_node.start_byte
            self.claimed_ends.add(name_node.end_byte)
            name = self.annotated_types(name_node) if kind == "impl" else self.node_text(name_node).strip("\"'`")
        elif "anonymous" in captures:
            name = self.annotated_types(captures["anonymous"][0]) + "{}"
        if not name or len(name) > DEFINED_NAME_CHARS_MAX:
            return
        returns = self.annotated_types(captures["returns"][0]) if "returns" in captures else ""
        receiver = self.annotated_types(captures["receiver"][0]) if "receiver" in captures else ""
        if self.family == "c" and kind != NAMESPACE_KIND:
            receiver, name = _split_scope(name)
            receiver = receiver if kind == "function" else ""
            if name.isupper() and (test := _TEST_MACRO.match(self.node_text(node))):
                name = f"{test.group(1)}.{test.group(2)}"
            if name in _KEYWORDS:
                return
        name = name.replace("::", ".").removeprefix(":")
        is_promise = self.family in _FAMILIES_WITH_DECLARATIONS and node.type in _DECLARATION_NODES
        self.definitions.append(
            DefinitionMatch(node.start_byte, node.end_byte, kind, name, name_start, node, returns, receiver, is_promise)
        )


def _split_scope(name: str) -> tuple[str, str]:
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
def _cached_chain(text: bytes) -> str:
    return normalise_chain(text.decode("utf-8", "replace"))


@lru_cache(maxsize=16_384)
def _cached_rust_chain(text: bytes) -> str:
    return strip_unwrapping(_cached_chain(text))


@lru_cache(maxsize=4_096)
def _cached_type_names(text: bytes, wrappers: frozenset[str]) -> str:
    return extract_type_names(text.decode("utf-8", "replace"), wrappers)


_HANDLERS: tuple[tuple[str, CaptureHandler], ...] = (
    ("call", FileCaptures._read_call),
    ("invocation", FileCaptures._read_invocation),
    ("element", FileCaptures._read_element),
    ("token", FileCaptures._read_macro_token),
    ("new", FileCaptures._read_instantiation),
    ("base", FileCaptures._read_base),
    ("implements", FileCaptures._read_base),
    ("typed", FileCaptures._read_type_mention),
    ("generic", FileCaptures._read_generic),
    ("value", FileCaptures._read_binding),
    ("of", FileCaptures._read_binding),
    ("return", FileCaptures._read_return),
    ("module", FileCaptures._read_import),
    ("use", FileCaptures._read_use),
    ("include", FileCaptures._read_include),
    ("submodule", FileCaptures._read_submodule),
    ("offered", FileCaptures._read_exported_range),
    ("export", FileCaptures._read_export),
    ("default", FileCaptures._read_default_export),
    ("package", FileCaptures._read_package),
    ("unnamed", FileCaptures._read_unnamed_function),
)


def _choose_handler(captures: Captures) -> CaptureHandler:
    for name, take in _HANDLERS:
        if name in captures:
            return take
    return partial(FileCaptures._read_definition, kind=next(kind for kind in DEFINITION_KINDS if kind in captures))
