"""Parses one source file: extracts its functions, classes and other facts with tree-sitter, and its text chunks."""

from __future__ import annotations

import re
import sqlite3
import time
from bisect import bisect_right
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse import CLASS_KINDS, source_files
from holloway.codemap.parse.captures import DEFAULT, FILE_REFERENCES_MAX, FileCaptures
from holloway.codemap.parse.chunks import Chunk, split_chunks
from holloway.codemap.parse.definition_tree import NAMESPACE_KIND, DefinitionTree
from holloway.codemap.parse.facts import (
    MODULE_SCOPE,
    STAR,
    Binding,
    Definition,
    Facts,
    Import,
    Reference,
)
from holloway.codemap.parse.languages import LANGUAGES, language_of, load_parser, load_rare_query, role_of
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point, Query, Tree

    from holloway.codemap.parse.captures import CaptureHandler, Captures
    from holloway.codemap.parse.definition_tree import DefinitionMatch

FATAL_ERRORS = (HollowayError, sqlite3.Error, OSError)
"""Errors of the map's database or disk, which concern the whole map and are raised."""
SIGNATURE_CHARS_MAX = 160
PARSE_SECONDS_MAX = 1.0
"""Timeout in processor time for one file; a megabyte of code takes half a second."""
BUFFER_BYTES = 1_024
"""Bytes between two checks of the clock: parsing eight thousand bytes can take six seconds."""
SYNTAX_DEPTH_MAX = 1_000
ROW_MAX = 4_000
"""Consecutive tokens without a word between them."""
LARGE_NODES_MAX = 20_000
OPENED_MAX = 1_000
"""Opening tokens without a closing one between them."""

_BUFFER = bytearray()
"""The buffer that the parser reads from. Its binding never releases a buffer it was given (as of 0.26), so one buffer
is reused."""
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
"""The space before a call signature `<T>(…)` on a separate line: the grammar expects a semicolon there."""


class ParsedFile(NamedTuple):
    """The result of parsing a file, or the reason why it was skipped."""

    path: str
    size: int
    mtime_ns: int
    hash: bytes = b""
    language: str = ""
    role: str = ""
    lines: int = 0
    interface: bytes = b""
    stored: bytes = b""
    mentions: bytes = b""
    """The facts and the references, serialised."""
    facts: Facts | None = None
    """The decoded facts; None if the file was parsed in another process."""
    chunks: tuple[Chunk, ...] = ()
    skipped: str = ""


def parse_file(root: Path, listed_file: source_files.ListedFile, known_hash: bytes = b"") -> ParsedFile:
    """Read and parse a file; if its hash equals the known one, it is not parsed again."""
    data = source_files.read_bytes(root, listed_file.path)
    if isinstance(data, str):
        return ParsedFile(*listed_file, skipped=data)
    digest = blake2b(data, digest_size=16).digest()
    if digest == known_hash:
        return ParsedFile(*listed_file, hash=digest)
    try:
        return _parse_text(listed_file, digest, source_files.to_utf8(data))
    except Exception as error:
        return ParsedFile(*listed_file, skipped=format_reason("reading", error))


def _parse_text(listed_file: source_files.ListedFile, digest: bytes, data: bytes) -> ParsedFile:
    row = language_of(listed_file.path)
    facts = extract_facts(row.name, data) if row else None
    return ParsedFile(
        *listed_file,
        hash=digest,
        language=row.name if row else "",
        role=role_of(listed_file.path),
        lines=data.count(b"\n") + 1,
        interface=(facts or Facts()).hash_interface(),
        stored=facts.encode_facts() if facts else b"",
        mentions=facts.encode_references() if facts else b"",
        facts=facts,
        chunks=tuple(split_chunks(listed_file.path, data, facts)),
    )


def parse_batch(root: str, batch: list[tuple[source_files.ListedFile, bytes]]) -> list[ParsedFile]:
    """Parse a batch in a worker process; only serialised facts are returned, because they are sent faster."""
    return [parse_file(Path(root), listed_file, known_hash)._replace(facts=None) for listed_file, known_hash in batch]


def format_reason(stage: str, error: Exception) -> str:
    """Return the recorded reason why a file was skipped or only partly read."""
    return f"{stage} failed ({type(error).__name__})"


def extract_facts(language: str, data: bytes) -> Facts:
    """Extract the facts of a file in this language. Broken syntax costs only the broken part."""
    if language == "c" and _CPP.search(data):
        # The name of a header does not tell C from C++.
        language = "cpp"
    facts, is_broken = _parse_and_extract(language, data)
    if is_broken and language in ("typescript", "tsx"):
        repaired = _BEFORE_SIGNATURE.sub(rb"\1;", data)
        if repaired != data:
            facts = max(
                facts, _parse_and_extract(language, repaired)[0], key=lambda candidate: len(candidate.definitions)
            )
    return facts


def _parse_and_extract(language: str, data: bytes) -> tuple[Facts, bool]:
    """Return the facts, and whether a file that was read to its end has syntax errors."""
    if _is_endless(language, data):
        return Facts(), False
    parser, query = load_parser(language)
    root = _parse_tree(parser, data).root_node
    if not _is_readable(root):
        return Facts(), False
    captured = FileCaptures(language, data)
    captured.read_matches(_run_query(query, root), _handlers_for(language))
    for query_name, sign in LANGUAGES[language].rare:
        if sign.search(data):
            captured.read_matches(
                _run_query(load_rare_query(language, query_name), root), _handlers_for(f"{language}, {query_name}")
            )
    return _FactsBuilder(captured).build_facts(), root.has_error and root.end_byte == len(data)


def _run_query(query: Query, root: Node) -> list[tuple[int, Captures]]:
    from tree_sitter import QueryCursor

    cursor = QueryCursor(query)
    cursor.set_max_start_depth(SYNTAX_DEPTH_MAX)
    return cursor.matches(root)


def _is_endless(language: str, data: bytes) -> bool:
    """Whether too many brackets are opened and never closed: error recovery can get stuck on such a file."""
    if len(data.translate(None, _NOT_OPENING)) <= OPENED_MAX:
        return False
    plain = data.translate(_STOPS if language in _CLOSED_BY_SIGNS else _STOPS_AND_LINES)
    long = [part for part in plain.split(b";") if len(part) > OPENED_MAX]
    return any(len(part.translate(None, _NOT_OPENING)) > OPENED_MAX for part in long)


def _parse_tree(parser: Parser, data: bytes) -> Tree:
    """Return the syntax tree; error recovery can take quadratic time, so the input ends at a timeout."""
    started = time.process_time()
    # Reading the processor clock takes ten times as long as the wall clock, which is never behind it.
    wall_deadline = time.monotonic() + PARSE_SECONDS_MAX
    is_parsed = False

    def read_buffer(offset: int, _: Point) -> bytes | bytearray:
        if is_parsed:
            # The query reads the text of nodes through the same callback and needs all of it.
            return data[offset : offset + BUFFER_BYTES]
        is_late = time.monotonic() > wall_deadline and time.process_time() - started > PARSE_SECONDS_MAX
        _BUFFER[:] = b"" if is_late else data[offset : offset + BUFFER_BYTES]
        return _BUFFER

    tree = parser.parse(read_buffer)
    is_parsed = True
    return tree


def _is_readable(root: Node) -> bool:
    """Whether the query takes proportionate time: long rows of brackets or very deep nesting make it explode."""
    large = [root] if root.descendant_count > ROW_MAX else []
    for count, node in enumerate(large):
        if count >= LARGE_NODES_MAX:
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
def _handlers_for(query: str) -> dict[int, CaptureHandler]:
    """Return the cache of handlers for each pattern of a query; filled as patterns are met."""
    return {}


class _FactsBuilder:
    """Sorts the captures into scopes and builds the facts."""

    def __init__(self, captured: FileCaptures) -> None:
        self.captured = captured
        definitions = [
            definition for definition in captured.definitions if definition.name_at not in captured.imported_positions
        ]
        self.nesting = DefinitionTree(definitions, captured.selves)
        self.exported_names = frozenset(captured.exports)
        self.exported_ranges = sorted(captured.exported_ranges)

    def build_facts(self) -> Facts:
        """Build the facts of the file."""
        definitions = self._build_definitions()
        return Facts(
            self.captured.package,
            tuple(definitions),
            tuple(self._build_imports()),
            tuple(self._build_bases()),
            tuple(self._build_bindings(definitions)),
            tuple(dict.fromkeys(self.captured.exports)) if self.captured.exports else None,
            tuple(self._build_references()),
        )

    def _build_definitions(self) -> list[Definition]:
        returned = self._collect_returns()
        definitions: list[Definition] = []
        for index, match in enumerate(self.nesting.ordered):
            if index in self.nesting.dropped:
                continue
            signature = self._render_signature(match)
            parent = self.nesting.parent_of(index)
            line = match.node.start_point[0] + 1
            end = match.node.end_point
            definitions.append(
                Definition(
                    "method" if self.nesting.is_method(index) else match.kind,
                    match.name,
                    self.nesting.qualified_name(index),
                    parent,
                    line,
                    max(line, end[0] + (end[1] > 0)),
                    signature,
                    self._is_exported(
                        match, signature, definitions[parent] if 0 <= parent < len(definitions) else None
                    ),
                    match.returns or returned.get(index, ""),
                )
            )
        return definitions

    def _collect_returns(self) -> dict[int, str]:
        """Collect the return statements of functions without a return annotation."""
        expressions: dict[int, list[str]] = {}
        for position, expression in self.captured.returns:
            expressions.setdefault(self.nesting.innermost_at(position), []).append(expression)
        return {index: "=" + "|".join(dict.fromkeys(expressions[index][:4])) for index in expressions if index >= 0}

    def _render_signature(self, match: DefinitionMatch) -> str:
        body = match.node.child_by_field_name("body")
        if body is None and (value := match.node.child_by_field_name("value")) is not None:
            body = value.child_by_field_name("body")
        end = body.start_byte if body is not None else min(match.end, match.start + 2 * SIGNATURE_CHARS_MAX)
        raw = self.captured.data[match.start : min(end, match.start + 4 * SIGNATURE_CHARS_MAX)].decode(
            "utf-8", "replace"
        )
        if body is None:
            raw = raw.partition("\n")[0]
        return " ".join(raw.split()).strip(" {:=").removesuffix("=>").strip()[:SIGNATURE_CHARS_MAX]

    def _is_exported(self, match: DefinitionMatch, signature: str, holder: Definition | None) -> bool:
        if self.captured.family == "python":
            return not match.name.startswith("_")
        if self.captured.family == "go":
            return match.name[:1].isupper()
        if self.captured.family == "rust":
            return signature.startswith("pub")
        if self.captured.family == "javascript":
            return self._is_exported_by_module(match, signature, holder)
        if self.captured.family == "c":
            return holder is not None or not signature.startswith("static ")
        return "private " not in signature.partition("(")[0]

    def _is_exported_by_module(self, match: DefinitionMatch, signature: str, holder: Definition | None) -> bool:
        if holder is not None and holder.kind != NAMESPACE_KIND:
            return holder.exported and not match.name.startswith(("#", "_")) and not signature.startswith("private ")
        position = bisect_right(self.exported_ranges, match.start, key=lambda row: row[0]) - 1
        if position < 0 or match.start >= self.exported_ranges[position][1]:
            return match.name in self.exported_names
        if holder is None:
            is_default = self.exported_ranges[position][2]
            self.captured.exports.append(DEFAULT if is_default else match.name)
            if is_default:
                self.captured.add_export(DEFAULT, match.name)
        return True

    def _build_imports(self) -> list[Import]:
        # If a statement is matched both as a whole and in parts, the parts are used.
        detailed = {row[0] for row in self.captured.imports if row[3] or row[4]}
        rows = {
            Import(module, symbol, alias, self.nesting.scope_at(at), line, is_offered)
            for at, line, module, symbol, alias, is_offered in self.captured.imports
            if (symbol == STAR or at not in self.captured.star_positions) and (symbol or alias or at not in detailed)
        }
        return sorted(rows, key=lambda row: (row.line, row))

    def _build_bases(self) -> list[Reference]:
        bases: list[Reference] = []
        for at, line, kind, name in sorted(self.captured.bases):
            scope = self.nesting.scope_at(at)
            if scope >= 0:
                bases.append(Reference(kind, name, [scope], [line]))
            else:
                # Without a surrounding class it is only a reference to a type.
                self.captured.mentions["typed", name].append((at, line))
        return bases

    def _build_references(self) -> list[Reference]:
        scope_at = self.nesting.scope_at
        captured = self.captured
        mentions = captured.mentions
        if captured.family == "javascript":
            mentions.pop(("call", "require"), None)
        references: list[Reference] = []
        ignored_names = captured.generics | captured.wrappers | set(captured.selves)
        for end, (at, line, name) in captured.typed_mentions.items():
            if (
                name
                and end not in captured.claimed_ends
                and name not in ignored_names
                and captured.mention_count < FILE_REFERENCES_MAX
            ):
                captured.mention_count += 1
                mentions["typed", name].append((at, line))
        for (kind, name), mentions_of_name in mentions.items():
            if len(mentions_of_name) == 1:
                at, line = mentions_of_name[0]
                references.append(Reference(kind, name, [scope_at(at)], [line]))
            else:
                locations = sorted({(line, scope_at(at)) for at, line in mentions_of_name})
                references.append(
                    Reference(kind, name, [scope for _, scope in locations], [line for line, _ in locations])
                )
        return references

    def _build_bindings(self, definitions: list[Definition]) -> list[Binding]:
        bindings: set[Binding] = set()
        functions = {match.name_at for match in self.nesting.ordered if match.kind == "function"}
        for at, name, expression, is_type in self.captured.bindings:
            if at in functions:
                continue
            scope = within = self.nesting.scope_at(at) if at >= 0 else MODULE_SCOPE
            head, _, member = name.partition(".")
            if member:
                if head not in self.captured.selves or "." in member:
                    continue
                scope = _find_enclosing_class(definitions, scope)
                if scope == MODULE_SCOPE:
                    continue
                name = member
            if (name, scope) != (expression, within) or is_type:
                bindings.add(Binding(scope, name, expression, is_type, within))
        if self.captured.family == "rust":
            bindings.update(self._bind_external_types())
        if self.captured.family != "python":
            # If a name has a type annotation, its assignments add nothing.
            typed = {(binding.scope, binding.name) for binding in bindings if binding.is_type}
            bindings = {
                binding for binding in bindings if binding.is_type or (binding.scope, binding.name) not in typed
            }
        return sorted(bindings)

    def _bind_external_types(self) -> list[Binding]:
        """Bind `self` in the methods of a type that is defined in another file."""
        bindings: list[Binding] = []
        for index in range(len(self.nesting.ordered)):
            if self.nesting.is_method(index) and (name := self.nesting.external_type(index)):
                scope = self.nesting.new_indexes[index]
                bindings += [Binding(scope, "self", name, True, scope), Binding(scope, "Self", name, False, scope)]
        return bindings


def _find_enclosing_class(definitions: list[Definition], scope: int) -> int:
    while scope >= 0 and definitions[scope].kind not in CLASS_KINDS:
        scope = definitions[scope].parent
    return scope
