"""The map, as any program would read it."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.graph.edges import Edges, module_name
from holloway.codemap.database import open_map
from holloway.codemap.index import update_index

IMPORT_KINDS = frozenset({"imports", "imports_symbol"})
REFERENCE_KINDS = IMPORT_KINDS | frozenset("exports calls instantiates extends implements overrides typed_as".split())
CALL_KINDS = frozenset({"calls", "instantiates"})
_EDGES = """
SELECT e.kind, e.source, e.target, a.path, b.path, t.name
FROM edges e
JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target
JOIN files a ON a.id = s.file LEFT JOIN files b ON b.id = t.file
WHERE e.origin = 'ast'
"""
_NODES = "SELECT n.id, n.kind, n.name, n.qualified, n.parent, f.path FROM nodes n JOIN files f ON f.id = n.file"


def make_map(root: Path, database: Path) -> None:
    """Index a folder into a separate map."""
    with_map = open_map(database)
    update_index(with_map, root, workers=1)
    with_map.close()


def map_edges(database: Path) -> Edges:
    """Return the edges of a map file, from its syntax trees alone: an imported SCIP index would be judged by itself."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = connection.execute(_EDGES).fetchall()
    nodes = {row[0]: row[1:] for row in connection.execute(_NODES)}
    connection.close()
    makers = _makers(nodes, [(source, target) for kind, source, target, *_ in rows if kind == "extends"])
    edges = Edges(set(), set(), set(), set())
    for kind, source, target, path, target_path, name in rows:
        if kind == "calls_external":
            edges.external.add((_read_dotted_name(nodes[source]), name))
        if target_path is None:
            continue
        if path != target_path and kind in IMPORT_KINDS:
            edges.imports.add((path, target_path))
        if path != target_path and kind in REFERENCE_KINDS:
            edges.references.add((path, target_path))
        if kind in CALL_KINDS and (called := makers.get(target, target)):
            edges.calls.add((_read_dotted_name(nodes[source]), _read_dotted_name(nodes[called])))
    return edges


def _makers(nodes: dict[int, Any], extends: list[tuple[int, int]]) -> dict[int, int]:
    """For each class its own or inherited `__init__`; 0 for one that has none."""
    constructors = {parent: node for node, (_, name, _, parent, _) in nodes.items() if name == "__init__"}
    bases: dict[int, list[int]] = defaultdict(list)
    for source, target in extends:
        bases[source].append(target)
    makers: dict[int, int] = {}
    for node in (node for node, (kind, *_) in nodes.items() if kind == "class"):
        line, visited = [node], {node}
        while line and line[0] not in constructors:
            line += [base for base in bases[line.pop(0)] if base not in visited]
            visited.update(line)
        makers[node] = constructors[line[0]] if line else 0
    return makers


def _read_dotted_name(node: Any) -> str:
    kind, _, qualified, _, path = node
    return module_name(path) if kind == "file" else f"{module_name(path)}.{qualified}"


def map_of(root: Path) -> Edges:
    """The map of a copy without git's folder and without any index that it may contain."""
    with tempfile.TemporaryDirectory() as folder:
        copy, database = Path(folder, root.name), Path(folder, "map.db")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git", "node_modules", "*.scip", "callgraph.json"))
        make_map(copy, database)
        return map_edges(database)
