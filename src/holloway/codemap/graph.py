"""Impact analysis (blast radius): the reverse dependencies of a file or symbol, and its tests.

A breadth-first search over the dependency graph, with limits on depth, frontier and answer size.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate

from holloway.codemap.parse import CLASS_KINDS
from holloway.config import GRAPH_DEPTH_MAX
from holloway.text.file_roles import is_runnable_test, is_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from holloway.codemap.database import MapDatabase

NODES_SHOWN_MAX = 200
"""Nodes in one answer: the nearest ones. The others are only counted."""
FRONTIER_MAX = 400
"""Nodes that the next level starts from; a larger level is not followed further."""
CONFIDENCE_MIN = 0.5
"""Threshold for edges; those below it stay in the map but are ignored here."""
GRAPH_TESTS_MAX = 20
DEFINITIONS_MAX = 20
BY_NAME_MIN = 0.75
"""Threshold above which a test is matched by its name; tests that merely use a file have lower confidence."""

FOLLOWED_KINDS = (
    "calls",
    "instantiates",
    "extends",
    "implements",
    "overrides",
    "typed_as",
    "imports",
    "imports_symbol",
)
_FOLLOWED_SQL = ", ".join(f"'{kind}'" for kind in FOLLOWED_KINDS)


# Plain classes: in a fresh process, importing dataclasses or named tuples takes longer than answering.
class GraphNode:
    """A file or a definition in it; the qualified `name` of a file is empty."""

    __slots__ = ("id", "kind", "line", "name", "path", "signature")

    def __init__(self, key: int, kind: str, path: str, name: str, line: int, signature: str = "") -> None:
        self.id = key
        self.kind = kind
        self.path = path
        self.name = name
        self.line = line
        self.signature = signature

    def __str__(self) -> str:
        return f"{self.path}:{self.name}" if self.name else self.path


class ReachedNode:
    """A node that a change reaches, with its distance and the edge it was reached by.

    `via` is the kind of edge that leads here from the node `origin`; `line` is the edge's line in the node's file.
    """

    __slots__ = ("confidence", "depth", "line", "node", "origin", "via")

    def __init__(self, node: GraphNode, depth: int, via: str, line: int, origin: int, confidence: float) -> None:
        self.node = node
        self.depth = depth
        self.via = via
        self.line = line
        self.origin = origin
        self.confidence = confidence


class ImpactReport:
    """The answer to "what breaks if I change this?"."""

    __slots__ = ("complete", "direction", "files", "mentions", "reached", "target", "tests", "total", "withheld")

    def __init__(self, target: list[GraphNode], *, forward: bool) -> None:
        self.target = tuple(target)
        self.direction = "forward" if forward else "reverse"
        self.reached: tuple[ReachedNode, ...] = ()
        """The nearest nodes."""
        self.total = 0
        """Number of nodes up to the last level that was followed."""
        self.complete = True
        self.tests: tuple[str, ...] = ()
        self.mentions = 0
        """Unresolved references with the target's name: they may be uses too."""
        self.files: tuple[tuple[str, int], ...] = ()
        """Reached files with their distance, nearest first."""
        self.withheld: tuple[str, ...] = ()
        """Names and paths that may not be shown to agents, for the person only."""

    def hide_paths(self, may_show_path: Callable[[str], bool], may_show_name: Callable[[str], bool]) -> None:
        """Remove files whose path may not be shown, and names of definitions that may not; counts stay.

        The requested file is shown, since the caller named it, and so it is not counted as withheld.
        """
        nodes = [*self.target, *(reached.node for reached in self.reached)]
        self.target = tuple(node for node in self.target if may_show_path(node.path)) or self.target[:1]
        target_paths = {node.path for node in self.target}
        names = [node.name for node in nodes if node.name and not may_show_name(node.name)]
        paths = [node.path for node in nodes if node.path not in target_paths and not may_show_path(node.path)]
        self.withheld = tuple(dict.fromkeys(names + paths))
        for node in nodes:
            node.name = "" if node.name in self.withheld else node.name
        self.reached = tuple(reached for reached in self.reached if may_show_path(reached.node.path))
        self.files = tuple((path, distance) for path, distance in self.files if may_show_path(path))

    def trace_chain(self, reached: ReachedNode) -> list[str]:
        """Return the path from the target to a node, as names."""
        by_id = {entry.node.id: entry for entry in self.reached}
        names = {node.id: str(node) for node in self.target}
        chain = [str(reached.node)]
        step = reached
        for _ in range(GRAPH_DEPTH_MAX):
            if step.origin in names:
                chain.append(names[step.origin])
                break
            if step.origin not in by_id:
                break
            step = by_id[step.origin]
            chain.append(str(step.node))
        return chain[::-1]


_NODE = (
    "n.id, n.kind, COALESCE(f.path, n.name), CASE n.kind WHEN 'file' THEN '' ELSE n.qualified END, n.line, n.signature"
)


def find_nodes(database: MapDatabase, path: str, symbol: str = "") -> list[GraphNode]:
    """Return the nodes that a path, or a symbol in it, names. A symbol may be the end of a qualified name."""
    if not symbol:
        rows = database.fetch_rows(
            f"SELECT {_NODE} FROM files f JOIN nodes n ON n.file = f.id WHERE f.path = ? ORDER BY n.id",
            (path,),
        )
        return [GraphNode(*row) for row in rows]
    rows = database.fetch_rows(
        f"SELECT {_NODE} FROM files f JOIN nodes n ON n.file = f.id"
        " WHERE f.path = ? AND n.kind != 'file' AND (n.qualified = ? OR n.name = ?) ORDER BY n.qualified != ?, n.line",
        (path, symbol, symbol.rpartition(".")[2], symbol),
    )
    nodes = [GraphNode(*row) for row in rows]
    exact = [node for node in nodes if node.name == symbol]
    chosen = exact or [node for node in nodes if node.name.endswith("." + symbol) or node.name == symbol]
    return _with_members(database, chosen)


def find_definitions(database: MapDatabase, symbol: str) -> list[GraphNode]:
    """Return all definitions of that name, exported ones first; a constructor named like its class is left out."""
    rows = database.fetch_rows(
        f"SELECT {_NODE} FROM nodes n JOIN files f ON f.id = n.file WHERE n.name = ? AND n.kind != 'file'"
        " ORDER BY n.exported DESC, f.role = 'test', f.path LIMIT ?",
        (symbol.rpartition(".")[2], 4 * DEFINITIONS_MAX),
    )
    nodes = [GraphNode(*row) for row in rows]
    matching_nodes = [node for node in nodes if node.name == symbol or node.name.endswith("." + symbol)]
    classes = {(node.path, node.name) for node in matching_nodes if node.kind in CLASS_KINDS}
    return [node for node in matching_nodes if (node.path, node.name.rpartition(".")[0]) not in classes][
        :DEFINITIONS_MAX
    ]


def _with_members(database: MapDatabase, nodes: list[GraphNode]) -> list[GraphNode]:
    """Add the members of classes, in the same file: changing a class changes all of them."""
    classes: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if node.kind in CLASS_KINDS:
            classes[node.path].add(node.name)
    members = [
        inner
        for path, outer in classes.items()
        for inner in find_nodes(database, path)
        if not outer.isdisjoint(accumulate(inner.name.split(".")[:-1], "{}.{}".format))
    ]
    return list({node.id: node for node in [*nodes, *members]}.values())


def compute_impact(
    database: MapDatabase, target: list[GraphNode], *, depth: int = 2, forward: bool = False
) -> ImpactReport:
    """Compute the nodes that depend on the target (or, forward, those it depends on), up to a depth."""
    answer = ImpactReport(target, forward=forward)
    reached = _search_levels(database, answer, min(depth, GRAPH_DEPTH_MAX), forward)
    answer.reached = tuple(reached[:NODES_SHOWN_MAX])
    answer.complete = answer.complete and len(reached) <= NODES_SHOWN_MAX
    answer.tests = tuple(_find_tests(database, target, reached))
    answer.mentions = _count_mentions(database, target) if not forward else 0
    answer.files = _list_files(target, answer.reached)
    return answer


def _search_levels(database: MapDatabase, answer: ImpactReport, depth: int, forward: bool) -> list[ReachedNode]:
    """Search level by level; the answer records the total count and whether the search was complete."""
    seen_ids = {node.id for node in answer.target}
    whole_file = any(node.kind == "file" for node in answer.target)
    reached: list[ReachedNode] = []
    frontier = sorted(seen_ids)
    for level in range(1, depth + 1):
        level_nodes, count = _expand_level(database, frontier, seen_ids, level, forward)
        answer.total += count
        answer.complete = answer.complete and count == len(level_nodes)
        reached += level_nodes
        seen_ids.update(entry.node.id for entry in level_nodes)
        frontier = [entry.node.id for entry in level_nodes if whole_file or entry.node.kind != "file"]
        if not frontier or len(reached) >= NODES_SHOWN_MAX or len(frontier) > FRONTIER_MAX:
            answer.complete = answer.complete and not frontier
            break
    return reached


def _expand_level(
    database: MapDatabase, frontier: list[int], seen_ids: set[int], depth: int, forward: bool
) -> tuple[list[ReachedNode], int]:
    near_end, far_end = ("source", "target") if forward else ("target", "source")
    rows = database.fetch_rows(
        f"SELECT {_NODE}, near.kind, near.line, near.{near_end}, near.confidence FROM"
        f" (SELECT {far_end} AS other, kind, line, {near_end}, MAX(confidence) AS confidence FROM edges"
        f"  WHERE {near_end} IN (SELECT value FROM json_each(?)) AND kind IN ({_FOLLOWED_SQL}) AND confidence >= ?"
        f"  GROUP BY {far_end} LIMIT ?) near"
        " JOIN nodes n ON n.id = near.other LEFT JOIN files f ON f.id = n.file",
        (_format_ids(frontier), CONFIDENCE_MIN, FRONTIER_MAX + len(seen_ids) + 1),
    )
    level_nodes = [
        ReachedNode(GraphNode(*row[:6]), depth, row[6], row[7], row[8], row[9])
        for row in rows
        if row[0] not in seen_ids and row[1] != "package"
    ]
    level_nodes.sort(key=lambda entry: (is_test(entry.node.path), -entry.confidence, entry.node.path, entry.node.line))
    if len(rows) <= FRONTIER_MAX + len(seen_ids):
        return level_nodes, len(level_nodes)
    # Packages are only ever targets of edges, so they need excluding in the forward direction alone.
    no_package = f" JOIN nodes n ON n.id = e.{far_end} AND n.kind != 'package'" if forward else ""
    counted = database.fetch_value(
        f"SELECT COUNT(DISTINCT e.{far_end}) FROM edges e{no_package}"
        f" WHERE e.{near_end} IN (SELECT value FROM json_each(?)) AND e.kind IN ({_FOLLOWED_SQL}) AND e.confidence >= ?"
        f" AND e.{far_end} NOT IN (SELECT value FROM json_each(?))",
        (_format_ids(frontier), CONFIDENCE_MIN, _format_ids(seen_ids)),
    )
    return level_nodes, int(counted)


def _format_ids(ids: Iterable[int]) -> str:
    """Format ids as a JSON array for SQLite; importing the json module takes longer than most answers."""
    return f"[{', '.join(map(str, ids))}]"


def rank_tests(database: MapDatabase, paths: Collection[str], limit: int) -> list[tuple[str, float]]:
    """Return the tests of these files with their confidence, most confident first."""
    rows = database.fetch_rows(
        "SELECT t.qualified, MAX(e.confidence) FROM files x JOIN nodes f ON f.file = x.id AND f.qualified = x.path"
        " JOIN edges e ON e.source = f.id AND e.kind = 'tested_by' JOIN nodes t ON t.id = e.target"
        f" WHERE f.kind = 'file' AND x.path IN ({', '.join('?' * len(paths))})"
        " GROUP BY t.qualified ORDER BY 2 DESC, 1 LIMIT ?",
        (*paths, limit),
    )
    return [(row[0], row[1]) for row in rows]


def _find_tests(database: MapDatabase, target: list[GraphNode], reached: list[ReachedNode]) -> list[str]:
    """Return the tests to run: runnable ones first; tests named like the file, then those that reach the target."""
    direct = [entry.node.path for entry in reached if is_test(entry.node.path)]
    rows = rank_tests(database, {node.path for node in target}, GRAPH_TESTS_MAX)
    by_name = [row[0] for row in rows if row[1] > BY_NAME_MIN]
    test_paths = dict.fromkeys([*by_name, *direct, *(row[0] for row in rows)])
    return sorted(test_paths, key=lambda path: not is_runnable_test(path))[:GRAPH_TESTS_MAX]


def _count_mentions(database: MapDatabase, target: list[GraphNode]) -> int:
    names = {node.name.rpartition(".")[2] for node in target if node.kind in ("function", "method")}
    if len(names) != 1:
        return 0
    return int(database.fetch_value("SELECT COUNT(*) FROM unresolved WHERE name = ?", (names.pop(),)) or 0)


def _list_files(target: list[GraphNode], reached: tuple[ReachedNode, ...]) -> tuple[tuple[str, int], ...]:
    target_paths = {node.path for node in target}
    nearest: dict[str, int] = {}
    for entry in reached:
        if entry.node.path not in target_paths:
            nearest.setdefault(entry.node.path, entry.depth)
    return tuple(sorted(nearest.items(), key=lambda item: (item[1], is_test(item[0]), item[0])))
