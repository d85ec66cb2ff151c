"""Imports a SCIP index into the map: derives dependency edges, which outrank those from syntax for unchanged files."""

from __future__ import annotations

import json
import stat
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.graph import FOLLOWED_KINDS
from holloway.codemap.parse import CLASS_KINDS
from holloway.codemap.parse.facts import decode_references
from holloway.codemap.parse.languages import language_of
from holloway.codemap.scip.documents import (
    DEFINITION,
    IMPORT,
    is_augmentation,
    parse_symbol,
    read_documents,
    symbol_kind_and_name,
)
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.scip.documents import Document, Occurrence

SCIP_DEFINITIONS_MAX = 3_000_000
"""In one index: these are held in memory."""
INTERFACE_KINDS = frozenset({21, 42, 53, 56})
"""`SymbolInformation.kind` of things that are implemented rather than extended: interface, protocol, trait, type
class."""
DEFAULT_NAME = "index.scip"
OUTRANKED = 0.4
"""Confidence of an edge from syntax that a precise index of the same file does not contain."""

CONSTRUCTOR = "<init>"
"""The name that scip-java gives constructors, which are named like their class in the code."""

_OUTRANKED_KINDS_SQL = ", ".join(f"'{kind}'" for kind in FOLLOWED_KINDS)


class ScipEdge(NamedTuple):
    """A reference at one line to a definition at another.

    `within` is the line of the innermost definition around the source, 0 outside of all. The line of a definition is
    that of its name, which is the last part of the symbol.
    """

    source_path: str
    source_line: int
    within: int
    within_symbol: str
    target_path: str
    target_line: int
    target_symbol: str
    kind: str


class _Definition(NamedTuple):
    path: str
    line: int
    kind: str
    is_interface: bool


_TARGET_KINDS = frozenset({"namespace", "type", "term", "method", "macro"})
_ENCLOSING_KINDS = frozenset({"type", "term", "method"})


def derive_edges(documents: Callable[[], Iterable[Document]]) -> Iterator[ScipEdge]:
    """Yield the edges between the documents of an index; the documents are read twice, so that none is held in memory.

    `imports`: one for each pair of files of which the first names something that the second defines. An index does not
    mark import statements, so this includes names that are reached through an inferred type.

    `references`: a name that refers to a type, term, method or macro of the index. An index does not distinguish calls
    from other references; if the syntax tree has a call at the same line and column, it is one. Few indexers mark names
    in import statements: for them `within` is 0.

    `overrides`, `implements`, `extends`: an index has one relationship for all three. Between methods it is the first;
    between types the second if the index marks the target as an interface, which few do; otherwise the third.

    An index may contain a file more than once, for each configuration it is compiled in; then edges are repeated.
    """
    definitions = _collect_definitions(documents())
    pairs: set[tuple[str, str]] = set()
    for document in documents():
        for occurrence, within, within_symbol in _locate_occurrences(document):
            target = definitions.get(occurrence.symbol)
            if target is None or occurrence.roles & DEFINITION:
                continue
            location = (document.path, occurrence.line, within, within_symbol)
            destination = (target.path, target.line, occurrence.symbol)
            if target.path != document.path and (document.path, target.path) not in pairs:
                pairs.add((document.path, target.path))
                yield ScipEdge(*location, *destination, "imports")
            if target.kind != "namespace" and not occurrence.roles & IMPORT:
                yield ScipEdge(*location, *destination, "references")
        yield from _derive_relationships(document, definitions)


def _collect_definitions(documents: Iterable[Document]) -> dict[str, _Definition]:
    """Return the first definition of each symbol that is visible from other files.

    A symbol that several files define is left out: scip-python gives files of two folders `tests` the same names.
    """
    definitions: dict[str, _Definition] = {}
    ambiguous: set[str] = set()
    for path, _, occurrences, symbols in documents:
        for occurrence in occurrences:
            symbol = occurrence.symbol
            if not occurrence.roles & DEFINITION:
                continue
            if existing := definitions.get(symbol):
                if existing.path != path:
                    ambiguous.add(symbol)
                continue
            kind = symbol_kind_and_name(symbol)[0]
            if kind in _TARGET_KINDS and not is_augmentation(symbol):
                is_interface = symbol in symbols and symbols[symbol].kind in INTERFACE_KINDS
                definitions[symbol] = _Definition(path, occurrence.line, kind, is_interface)
        if len(definitions) > SCIP_DEFINITIONS_MAX:
            raise HollowayError(
                f"The SCIP index defines more than {SCIP_DEFINITIONS_MAX:,} symbols.",
                "Index parts of the project separately; the map works without it.",
            )
    for symbol in ambiguous:
        del definitions[symbol]
    return definitions


def _locate_occurrences(document: Document) -> Iterator[tuple[Occurrence, int, str]]:
    """Yield each occurrence with line and symbol of the innermost definition around it, in line order."""
    upcoming = sorted(
        (
            (occurrence.enclosing_line, -occurrence.enclosing_end_line, occurrence.line, occurrence.symbol)
            for occurrence in document.occurrences
            if _is_enclosing_definition(occurrence)
        ),
        reverse=True,
    )
    enclosing: list[tuple[int, int, str]] = []
    for occurrence in sorted(document.occurrences, key=lambda item: item.line):
        while upcoming and upcoming[-1][0] <= occurrence.line:
            _, end, line, symbol = upcoming.pop()
            enclosing.append((-end, line, symbol))
        while enclosing and enclosing[-1][0] < occurrence.line:
            enclosing.pop()
        yield (occurrence, *(enclosing[-1][1:] if enclosing else (0, "")))


def _is_enclosing_definition(occurrence: Occurrence) -> bool:
    return bool(
        occurrence.roles & DEFINITION
        and occurrence.enclosing_line
        and symbol_kind_and_name(occurrence.symbol)[0] in _ENCLOSING_KINDS
    )


def _derive_relationships(document: Document, definitions: dict[str, _Definition]) -> Iterator[ScipEdge]:
    for symbol, information in document.symbols.items():
        source = definitions.get(symbol)
        for relationship in information.relationships:
            target = definitions.get(relationship.symbol)
            if source and target and relationship.is_implementation:
                kind = "implements" if target.is_interface else "extends"
                kind = "overrides" if source.kind == "method" else kind
                location = (source.path, source.line, source.line, symbol)
                yield ScipEdge(*location, target.path, target.line, relationship.symbol, kind)


def import_scip_index(database: MapDatabase, root: Path, chosen: Path | None = None) -> int:
    """Import the given index, or the project's `index.scip` if it is new; return the number of edges.

    Files that changed after the index was made keep their edges from syntax. The caller holds the transaction. Raises
    HollowayError if the given index is malformed; a malformed `index.scip` is skipped.
    """
    path = chosen or root / DEFAULT_NAME
    try:
        status = path.lstat()
    except OSError:
        return 0
    fingerprint = f"{path.absolute()} {status.st_size} {status.st_mtime_ns}"
    if not stat.S_ISREG(status.st_mode):
        return 0
    imported = database.get_meta("scip")
    if imported == fingerprint or (chosen is None and imported == f"damaged {fingerprint}"):
        return 0
    try:
        rows = _build_rows(database, derive_edges(partial(read_documents, path)), status.st_mtime_ns)
    except HollowayError:
        if chosen is not None:
            raise
        # The map stays valid; a damaged file is not read a second time.
        database.set_meta("scip", f"damaged {fingerprint}")
        return 0
    database.execute("DELETE FROM edges WHERE origin = 'scip'")
    database.connection.executemany("INSERT OR REPLACE INTO edges VALUES (?, ?, ?, 'scip', 1.0, ?, ?)", rows)
    database.set_meta("scip", fingerprint)
    outrank_syntax_edges(database, {file for *_, file in rows})
    return len(rows)


def outrank_syntax_edges(database: MapDatabase, files: Iterable[int]) -> None:
    """Lower the confidence of edges from syntax in these files if their precise index does not contain them."""
    database.execute(
        "UPDATE edges SET confidence = ? WHERE origin = 'ast' AND confidence > ?"
        f" AND kind IN ({_OUTRANKED_KINDS_SQL}) AND file IN (SELECT DISTINCT p.file FROM edges p"
        "                                       WHERE p.origin = 'scip' AND p.file IN (SELECT value FROM json_each(?)))"
        " AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = edges.target AND n.file IS NOT NULL)"
        " AND NOT EXISTS (SELECT 1 FROM edges p WHERE p.source = edges.source AND p.target = edges.target"
        "                 AND p.origin = 'scip')",
        (OUTRANKED, OUTRANKED, json.dumps(sorted(files))),
    )


def _build_rows(
    database: MapDatabase, scip_edges: Iterable[ScipEdge], made_ns: int
) -> list[tuple[int, int, str, int, int]]:
    places = _NodeLocator(database, made_ns)
    rows: dict[tuple[int, int, str], tuple[int, int]] = {}
    for edge in scip_edges:
        source = places.find_node(edge.source_path, edge.within, edge.within_symbol)
        target = places.find_node(edge.target_path, edge.target_line, edge.target_symbol)
        if source is None or target is None or source == target:
            continue
        kind = places.kind_of(edge, target)
        if kind == "imports":
            target = places.find_node(edge.target_path, 0) or target
            source = places.find_node(edge.source_path, 0) or source
        rows.setdefault((source.id, target.id, kind), (edge.source_line, places.file_id(edge.source_path)))
    return [(*key, *value) for key, value in rows.items()]


class _Node(NamedTuple):
    id: int
    kind: str
    name: str
    line: int
    end_line: int


class _NodeLocator:
    """Finds nodes of the map by file and line."""

    def __init__(self, database: MapDatabase, made_ns: int) -> None:
        self._database = database
        self._files = {
            row[0]: row[1] for row in database.fetch_rows("SELECT path, id FROM files WHERE mtime_ns <= ?", (made_ns,))
        }
        self._lines: dict[str, dict[int, _Node]] = {}
        self._below: dict[tuple[str, int, str], _Node | None] = {}
        self._calls: dict[str, dict[int, set[str]]] = {}

    def file_id(self, path: str) -> int:
        return int(self._files[path])

    def find_node(self, path: str, line: int, symbol: str = "") -> _Node | None:
        """Return the definition that begins at a line, or that has its name there; line 0 is the file itself."""
        node = self._load_nodes(path).get(line)
        if node or not symbol:
            return node
        key = (path, line, symbol)
        if key not in self._below:
            self._below[key] = self._find_enclosing_node(*key)
        return self._below[key]

    def _find_enclosing_node(self, path: str, line: int, symbol: str) -> _Node | None:
        """Return the innermost definition of that name around a line: annotated ones begin above their name."""
        *outer, (_, name) = parse_symbol(symbol).descriptors or (("", ""),)
        if name == CONSTRUCTOR and outer:
            name = outer[-1][1]
        candidates = [
            node for node in self._load_nodes(path).values() if node.name == name and node.line < line <= node.end_line
        ]
        return max(candidates, key=lambda node: node.line, default=None)

    def kind_of(self, edge: ScipEdge, target: _Node) -> str:
        """Return the kind of an edge; SCIP does not mark calls, so the call sites from syntax decide."""
        if edge.kind != "references":
            return edge.kind
        is_called = target.name in self._load_calls(edge.source_path).get(edge.source_line, ())
        if target.kind in CLASS_KINDS:
            return "instantiates" if is_called else "typed_as"
        language = language_of(edge.source_path)
        may_be_called = is_called or bool(language and not language.calls)
        return "calls" if may_be_called and target.kind in ("function", "method") else "references"

    def _load_nodes(self, path: str) -> dict[int, _Node]:
        if path not in self._lines:
            rows = self._database.fetch_rows(
                "SELECT id, kind, name, line, end_line FROM nodes WHERE file = ? ORDER BY end_line DESC, id",
                (self._files.get(path, -1),),
            )
            nodes = (_Node(*row) for row in rows)
            self._lines[path] = {0 if node.kind == "file" else node.line: node for node in nodes}
        return self._lines[path]

    def _load_calls(self, path: str) -> dict[int, set[str]]:
        if path not in self._calls:
            mentions = self._database.fetch_value(
                "SELECT data FROM mentions WHERE file = ?", (self._files.get(path, -1),)
            )
            calls: dict[int, set[str]] = defaultdict(set)
            for reference in decode_references(mentions) if mentions else ():
                if reference.kind in ("call", "new"):
                    for line in reference.lines:
                        calls[line].add(reference.name.rpartition(".")[2])
            self._calls[path] = calls
        return self._calls[path]
