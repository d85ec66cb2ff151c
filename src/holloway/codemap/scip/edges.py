"""What the documents of a SCIP index say about each other: which place leads to which definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.scip.documents import DEFINITION, IMPORT
from holloway.codemap.scip.symbols import is_augmentation, symbol_kind_and_name
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holloway.codemap.scip.documents import Document, Occurrence

DEFINITIONS_MAX = 3_000_000
"""In one index: what `edges` holds in memory."""
INTERFACE_KINDS = frozenset({21, 42, 53, 56})
"""`SymbolInformation.kind` of what is implemented and not extended: interface, protocol, trait, type class."""


class ScipEdge(NamedTuple):
    """Something at a line that points at a definition at another.

    `within` is the line of the innermost definition around the source, 0 outside of all; `source_col` counts as the
    index does (from 0, in the units that its indexer chose). The line of a definition is that of its name, which the
    symbol ends with.
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


_POINTED_AT = frozenset({"namespace", "type", "term", "method", "macro"})
_HOLDERS = frozenset({"type", "term", "method"})


def edges(documents: Callable[[], Iterable[Document]]) -> Iterator[ScipEdge]:
    """What the documents of an index say about each other; they are asked for twice, so that none is kept.

    `imports`: one for each pair of files where the first names something that the second defines. Nothing in an index
    says that there is an import statement, so this holds what is reached through an inferred type as well.
    `references`: a name that means a type, term, method or macro of the index. An index does not tell a call from a
    mention; where the syntax tree has a call at the same line and column, it is one. Few indexers mark what stands in
    an import statement: there `within` is 0.
    `overrides`, `implements`, `extends`: relationships, which an index has one word for. Of methods it is the first,
    of types the second where the index says that the target is an interface, which few do, and else the third.
    An index may hold a file more than once, for each configuration it is compiled in; then edges come more than once.
    """
    definitions = _definitions(documents())
    pairs: set[tuple[str, str]] = set()
    for document in documents():
        for occurrence, within, holder in _placed(document):
            target = definitions.get(occurrence.symbol)
            if target is None or occurrence.roles & DEFINITION:
                continue
            place = (document.path, occurrence.line, occurrence.start_col, within, holder)
            led_to = (target.path, target.line, occurrence.symbol)
            if target.path != document.path and (document.path, target.path) not in pairs:
                pairs.add((document.path, target.path))
                yield ScipEdge(*place, *led_to, "imports")
            if target.kind != "namespace" and not occurrence.roles & IMPORT:
                yield ScipEdge(*place, *led_to, "references")
        yield from _related(document, definitions)


def _definitions(documents: Iterable[Document]) -> dict[str, _Definition]:
    """Where each symbol that can be seen from other files is defined first.

    One that several files define is left out: scip-python gives files of two folders `tests` the same names.
    """
    found: dict[str, _Definition] = {}
    ambiguous: set[str] = set()
    for path, _, occurrences, symbols in documents:
        for occurrence in occurrences:
            symbol = occurrence.symbol
            if not occurrence.roles & DEFINITION:
                continue
            if known := found.get(symbol):
                if known.path != path:
                    ambiguous.add(symbol)
                continue
            kind = symbol_kind_and_name(symbol)[0]
            if kind in _POINTED_AT and not is_augmentation(symbol):
                is_interface = symbol in symbols and symbols[symbol].kind in INTERFACE_KINDS
                found[symbol] = _Definition(path, occurrence.line, kind, is_interface)
        if len(found) > DEFINITIONS_MAX:
            raise HollowayError(
                f"The SCIP index defines more than {DEFINITIONS_MAX:,} symbols.",
                "Index parts of the project apart; the map works without it.",
            )
    for symbol in ambiguous:
        del found[symbol]
    return found


def _placed(document: Document) -> Iterator[tuple[Occurrence, int, str]]:
    """Each occurrence with line and symbol of the innermost definition around it, in the order of the lines."""
    waiting = sorted(
        (
            (one.enclosing_line, -one.enclosing_end_line, one.line, one.symbol)
            for one in document.occurrences
            if _holds(one)
        ),
        reverse=True,
    )
    around: list[tuple[int, int, str]] = []
    for occurrence in sorted(document.occurrences, key=lambda one: one.line):
        while waiting and waiting[-1][0] <= occurrence.line:
            _, end, line, symbol = waiting.pop()
            around.append((-end, line, symbol))
        while around and around[-1][0] < occurrence.line:
            around.pop()
        yield (occurrence, *(around[-1][1:] if around else (0, "")))


def _holds(occurrence: Occurrence) -> bool:
    return bool(
        occurrence.roles & DEFINITION
        and occurrence.enclosing_line
        and symbol_kind_and_name(occurrence.symbol)[0] in _HOLDERS
    )


def _related(document: Document, definitions: dict[str, _Definition]) -> Iterator[ScipEdge]:
    for symbol, information in document.symbols.items():
        source = definitions.get(symbol)
        for relationship in information.relationships:
            target = definitions.get(relationship.symbol)
            if source and target and relationship.is_implementation:
                kind = "implements" if target.is_interface else "extends"
                kind = "overrides" if source.kind == "method" else kind
                place = (source.path, source.line, 0, source.line, symbol)
                yield ScipEdge(*place, target.path, target.line, relationship.symbol, kind)
