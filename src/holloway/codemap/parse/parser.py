"""From the bytes of a file to its facts: tree-sitter, one query per language, and the order in what it found."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from holloway.codemap.parse.captures import DEFAULT, REFERENCES_MAX, Captured
from holloway.codemap.parse.definition_kinds import CLASS_KINDS
from holloway.codemap.parse.definition_tree import NAMESPACE, Nesting
from holloway.codemap.parse.facts import (
    MODULE_SCOPE,
    STAR,
    Binding,
    Definition,
    Facts,
    Import,
    Reference,
)
from holloway.codemap.parse.languages import LANGUAGES, grammar, rare_query

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point, Query, Tree

    from holloway.codemap.parse.captures import Captures, Taker
    from holloway.codemap.parse.definition_tree import Found

SIGNATURE_CHARS_MAX = 160
PARSE_SECONDS_MAX = 1.0
"""Processor time for one file; a megabyte of code takes half a second."""
PIECE_BYTES = 1_024
"""How often the clock is looked at: eight thousand bytes have been seen to take six seconds."""
SYNTAX_DEPTH_MAX = 1_000
ROW_MAX = 4_000
"""Signs in a row with no word between them."""
LARGE_NODES_MAX = 20_000
OPENED_MAX = 1_000
"""Signs that open something, with nothing between them that closes."""

_PIECE = bytearray()
"""The piece that the parser reads now. Its binding never lets go of what it is handed (as of 0.26), so that is always
the same thing."""
_CLOSED_BY_SIGNS = frozenset({"java", "csharp", "c", "cpp", "rust"})
_STOPS = bytes(ord(";") if sign in b";},)]'\"`" else sign for sign in range(256))
_STOPS_AND_LINES = _STOPS.replace(b"\n", b";")
_NOT_OPENING = bytes(sign for sign in range(256) if sign not in b"<([{=?:")
_CPP = re.compile(rb"^[ \t]*(?:template\s*<|namespace\b|class\s+\w|using\s|public:|private:|constexpr\b)", re.MULTILINE)
_BEFORE_SIGNATURE = re.compile(
    rb"(?<=[\w>)\]}\"';])([ \t\r]*(?://[^\n]{0,300})?\n"
    rb"(?:[ \t]*(?://[^\n]{0,300})?\n|[ \t]*/\*(?:[^*/]|\*(?!/)|/(?!\*)){0,2000}+\*/[ \t\r]*\n){0,20}[ \t]*)"
    rb"[ \t](?=<[A-Za-z\s])"
)
"""The space before a call signature `<T>(…)` on a line of its own: the grammar wants a semicolon there."""


def extract(language: str, data: bytes) -> Facts:
    """What a file of this language says. Broken syntax costs the broken part only."""
    if language == "c" and _CPP.search(data):
        # A header does not say in its name which of the two it is.
        language = "cpp"
    facts, is_broken = _read(language, data)
    if is_broken and language in ("typescript", "tsx"):
        mended = _BEFORE_SIGNATURE.sub(rb"\1;", data)
        if mended != data:
            facts = max(facts, _read(language, mended)[0], key=lambda one: len(one.definitions))
    return facts


def _read(language: str, data: bytes) -> tuple[Facts, bool]:
    """The facts, and whether there is broken syntax in a file that was read to its end."""
    if _is_endless(language, data):
        return Facts(), False
    parser, query = grammar(language)
    root = _tree(parser, data).root_node
    if not _is_readable(root):
        return Facts(), False
    captured = Captured(language, data)
    captured.take(_matches(query, root), _takers(language))
    for query_name, sign in LANGUAGES[language].rare:
        if sign.search(data):
            captured.take(_matches(rare_query(language, query_name), root), _takers(f"{language}, {query_name}"))
    return _Order(captured).facts(), root.has_error and root.end_byte == len(data)


def _matches(query: Query, root: Node) -> list[tuple[int, Captures]]:
    from tree_sitter import QueryCursor

    cursor = QueryCursor(query)
    cursor.set_max_start_depth(SYNTAX_DEPTH_MAX)
    return cursor.matches(root)


def _is_endless(language: str, data: bytes) -> bool:
    """Whether something is opened again and again and never closed: at the end of that a parser can get stuck."""
    if len(data.translate(None, _NOT_OPENING)) <= OPENED_MAX:
        return False
    plain = data.translate(_STOPS if language in _CLOSED_BY_SIGNS else _STOPS_AND_LINES)
    long = [part for part in plain.split(b";") if len(part) > OPENED_MAX]
    return any(len(part.translate(None, _NOT_OPENING)) > OPENED_MAX for part in long)


def _tree(parser: Parser, data: bytes) -> Tree:
    """The syntax tree. Recovery from errors can take time squared: a file that takes too long ends where it is then."""
    started = time.process_time()
    # The processor's clock takes ten times as long to read as the one on the wall, which is never behind it.
    unhurried_until = time.monotonic() + PARSE_SECONDS_MAX
    is_parsed = False

    def read(offset: int, _: Point) -> bytes | bytearray:
        if is_parsed:
            # The query asks for the text of nodes in the same way, and has to get it.
            return data[offset : offset + PIECE_BYTES]
        is_late = time.monotonic() > unhurried_until and time.process_time() - started > PARSE_SECONDS_MAX
        _PIECE[:] = b"" if is_late else data[offset : offset + PIECE_BYTES]
        return _PIECE

    tree = parser.parse(read)
    is_parsed = True
    return tree


def _is_readable(root: Node) -> bool:
    """Whether the query's work stays in proportion: it does not for long rows of brackets or very many levels."""
    large = [root] if root.descendant_count > ROW_MAX else []
    for seen, node in enumerate(large):
        if seen >= LARGE_NODES_MAX:
            return False
        row = 0
        for child in node.children:
            row = 0 if child.is_named else row + 1
            if row > ROW_MAX:
                return False
            if child.descendant_count > ROW_MAX:
                large.append(child)
    return True


@cache
def _takers(query: str) -> dict[int, Taker]:
    """How the matches of each pattern of a query are read; filled as patterns are met."""
    return {}


class _Order:
    """Puts what was captured into the scopes that it stands in."""

    def __init__(self, captured: Captured) -> None:
        self.captured = captured
        named = [one for one in captured.found if one.name_at not in captured.imported]
        self.nesting = Nesting(named, captured.selves)
        self.named = frozenset(captured.exports)
        self.offered = sorted(captured.offered)

    def facts(self) -> Facts:
        """All of it."""
        definitions = self._definitions()
        return Facts(
            self.captured.package,
            tuple(definitions),
            tuple(self._imports()),
            tuple(self._bases()),
            tuple(self._bindings(definitions)),
            tuple(dict.fromkeys(self.captured.exports)) if self.captured.exports else None,
            tuple(self._references()),
        )

    def _definitions(self) -> list[Definition]:
        returned = self._returned()
        definitions: list[Definition] = []
        for index, one in enumerate(self.nesting.ordered):
            if index in self.nesting.left_out:
                continue
            signature = self._signature(one)
            parent = self.nesting.parent(index)
            line = one.node.start_point[0] + 1
            end = one.node.end_point
            definitions.append(
                Definition(
                    "method" if self.nesting.is_method(index) else one.kind,
                    one.name,
                    self.nesting.qualified(index),
                    parent,
                    line,
                    max(line, end[0] + (end[1] > 0)),
                    signature,
                    self._is_exported(one, signature, definitions[parent] if 0 <= parent < len(definitions) else None),
                    one.returns or returned.get(index, ""),
                )
            )
        return definitions

    def _returned(self) -> dict[int, str]:
        """What return statements say of functions that are not annotated."""
        said: dict[int, list[str]] = {}
        for at, expression in self.captured.returns:
            said.setdefault(self.nesting.around(at), []).append(expression)
        return {index: "=" + "|".join(dict.fromkeys(said[index][:4])) for index in said if index >= 0}

    def _signature(self, one: Found) -> str:
        body = one.node.child_by_field_name("body")
        if body is None and (value := one.node.child_by_field_name("value")) is not None:
            body = value.child_by_field_name("body")
        end = body.start_byte if body is not None else min(one.end, one.start + 2 * SIGNATURE_CHARS_MAX)
        raw = self.captured.data[one.start : min(end, one.start + 4 * SIGNATURE_CHARS_MAX)].decode("utf-8", "replace")
        if body is None:
            raw = raw.partition("\n")[0]
        return " ".join(raw.split()).strip(" {:=").removesuffix("=>").strip()[:SIGNATURE_CHARS_MAX]

    def _is_exported(self, one: Found, signature: str, holder: Definition | None) -> bool:
        if self.captured.family == "python":
            return not one.name.startswith("_")
        if self.captured.family == "go":
            return one.name[:1].isupper()
        if self.captured.family == "rust":
            return signature.startswith("pub")
        if self.captured.family == "javascript":
            return self._is_offered(one, signature, holder)
        if self.captured.family == "c":
            return holder is not None or not signature.startswith("static ")
        return "private " not in signature.partition("(")[0]

    def _is_offered(self, one: Found, signature: str, holder: Definition | None) -> bool:
        if holder is not None and holder.kind != NAMESPACE:
            return holder.exported and not one.name.startswith(("#", "_")) and not signature.startswith("private ")
        position = bisect_right(self.offered, one.start, key=lambda row: row[0]) - 1
        if position < 0 or one.start >= self.offered[position][1]:
            return one.name in self.named
        if holder is None:
            is_default = self.offered[position][2]
            self.captured.exports.append(DEFAULT if is_default else one.name)
            if is_default:
                self.captured.offer(DEFAULT, one.name)
        return True

    def _imports(self) -> list[Import]:
        # A statement that is matched as a whole and in its parts is told by the parts.
        told = {row[0] for row in self.captured.imports if row[3] or row[4]}
        rows = {
            Import(module, symbol, alias, self.nesting.scope_at(at), line, is_offered)
            for at, line, module, symbol, alias, is_offered in self.captured.imports
            if (symbol == STAR or at not in self.captured.starred) and (symbol or alias or at not in told)
        }
        return sorted(rows, key=lambda row: (row.line, row))

    def _bases(self) -> list[Reference]:
        bases: list[Reference] = []
        for at, line, kind, name in sorted(self.captured.bases):
            scope = self.nesting.scope_at(at)
            if scope >= 0:
                bases.append(Reference(kind, name, [scope], [line]))
            else:
                # What has no type around it to be a base of is a mention of a type and no more.
                self.captured.mentions["typed", name].append((at, line))
        return bases

    def _references(self) -> list[Reference]:
        scope_at = self.nesting.scope_at
        captured = self.captured
        mentions = captured.mentions
        if captured.family == "javascript":
            mentions.pop(("call", "require"), None)
        references: list[Reference] = []
        dull = captured.generics | captured.wrappers | set(captured.selves)
        for end, (at, line, name) in captured.typed.items():
            if name and end not in captured.claimed and name not in dull and captured.mentioned < REFERENCES_MAX:
                captured.mentioned += 1
                mentions["typed", name].append((at, line))
        for (kind, name), places in mentions.items():
            if len(places) == 1:
                at, line = places[0]
                references.append(Reference(kind, name, [scope_at(at)], [line]))
            else:
                found = sorted({(line, scope_at(at)) for at, line in places})
                references.append(Reference(kind, name, [scope for _, scope in found], [line for line, _ in found]))
        return references

    def _bindings(self, definitions: list[Definition]) -> list[Binding]:
        bound: set[Binding] = set()
        functions = {one.name_at for one in self.nesting.ordered if one.kind == "function"}
        for at, name, expression, is_type in self.captured.bindings:
            if at in functions:
                continue
            scope = within = self.nesting.scope_at(at) if at >= 0 else MODULE_SCOPE
            head, _, rest = name.partition(".")
            if rest:
                if head not in self.captured.selves or "." in rest:
                    continue
                scope = _class_of(definitions, scope)
                if scope == MODULE_SCOPE:
                    continue
                name = rest
            if (name, scope) != (expression, within) or is_type:
                bound.add(Binding(scope, name, expression, is_type, within))
        if self.captured.family == "rust":
            bound.update(self._strangers())
        if self.captured.family != "python":
            # Where a name's type is written down, what is assigned to it says nothing more.
            typed = {(one.scope, one.name) for one in bound if one.is_type}
            bound = {one for one in bound if one.is_type or (one.scope, one.name) not in typed}
        return sorted(bound)

    def _strangers(self) -> list[Binding]:
        """`self` in the methods of a type that is defined elsewhere."""
        found: list[Binding] = []
        for index in range(len(self.nesting.ordered)):
            if self.nesting.is_method(index) and (name := self.nesting.stranger(index)):
                scope = self.nesting.kept[index]
                found += [Binding(scope, "self", name, True, scope), Binding(scope, "Self", name, False, scope)]
        return found


def _class_of(definitions: list[Definition], scope: int) -> int:
    while scope >= 0 and definitions[scope].kind not in CLASS_KINDS:
        scope = definitions[scope].parent
    return scope
