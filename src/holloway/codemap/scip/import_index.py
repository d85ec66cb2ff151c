"""Imports a SCIP index into the map: its precise edges outrank those from syntax, for unchanged files."""

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
from holloway.codemap.scip import documents, edges
from holloway.codemap.scip.documents import parse_symbol
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.scip.edges import ScipEdge

DEFAULT_NAME = "index.scip"
OUTRANKED = 0.4
"""Confidence of an edge from syntax that a precise index of the same file does not contain."""

CONSTRUCTOR = "<init>"
"""The name that scip-java gives constructors, which are named like their class in the code."""

_OUTRANKED_KINDS_SQL = ", ".join(f"'{kind}'" for kind in FOLLOWED_KINDS)


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
        rows = _build_rows(database, edges.derive_edges(partial(documents.read_documents, path)), status.st_mtime_ns)
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
