"""Derives dependency edges from the documents of a SCIP index: which location refers to which definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.scip.documents import DEFINITION, IMPORT, is_augmentation, symbol_kind_and_name
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holloway.codemap.scip.documents import Document, Occurrence

SCIP_DEFINITIONS_MAX = 3_000_000
"""In one index: these are held in memory."""
INTERFACE_KINDS = frozenset({21, 42, 53, 56})
"""`SymbolInformation.kind` of things that are implemented rather than extended: interface, protocol, trait, type
class."""


class ScipEdge(NamedTuple):
    """A reference at one line to a definition at another.

    `within` is the line of the innermost definition around the source, 0 outside of all; `source_col` counts as the
    index does (from 0, in the units that its indexer chose). The line of a definition is that of its name, which is the
    last part of the symbol.
    """

    source_path: str
    source_line: int
    source_col: int
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
            location = (document.path, occurrence.line, occurrence.start_col, within, within_symbol)
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
                location = (source.path, source.line, 0, source.line, symbol)
                yield ScipEdge(*location, target.path, target.line, relationship.symbol, kind)
