"""What depends on what: breadth first over the edges, a level at a time, never more than the answer can hold."""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate

from holloway.codemap.parse.definition_kinds import CLASS_KINDS
from holloway.text.file_roles import is_runnable_test, is_test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from holloway.codemap.database import MapDatabase

DEPTH_MAX = 6
SHOWN_MAX = 200
"""Nodes in one answer: the nearest ones. The rest is counted."""
FRONTIER_MAX = 400
"""Nodes that the next level starts from; a level beyond that is not followed further."""
CONFIDENCE_MIN = 0.5
"""Edges below are kept in the map but not believed here."""
TESTS_MAX = 20
BY_NAME_MIN = 0.75
"""A test that carries the name of a file is a surer one of it than a test that only uses it; those are below this."""

FOLLOWED = ("calls", "instantiates", "extends", "implements", "overrides", "typed_as", "imports", "imports_symbol")
_FOLLOWED_SQL = ", ".join(f"'{kind}'" for kind in FOLLOWED)


# Plain classes: a fresh process would load Python's dataclasses or named tuples for longer than it takes to answer.
class Node:
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


class Reached:
    """A node that the change reaches, how far away it is, and through what.

    `via` is the kind of edge that leads here from the node `origin`; `line` is where in the node's file that stands.
    """

    __slots__ = ("confidence", "depth", "line", "node", "origin", "via")

    def __init__(self, node: Node, depth: int, via: str, line: int, origin: int, confidence: float) -> None:
        self.node = node
        self.depth = depth
        self.via = via
        self.line = line
        self.origin = origin
        self.confidence = confidence


class Impact:
    """The answer to "what breaks if I change this?"."""

    __slots__ = ("complete", "direction", "files", "mentions", "reached", "target", "tests", "total")

    def __init__(self, target: list[Node], *, forward: bool) -> None:
        self.target = tuple(target)
        self.direction = "forward" if forward else "reverse"
        self.reached: tuple[Reached, ...] = ()
        """The nearest nodes."""
        self.total = 0
        """How many nodes there are to the last level that was followed."""
        self.complete = True
        self.tests: tuple[str, ...] = ()
        self.mentions = 0
        """References of that name that could not be resolved: they may be uses too."""
        self.files: tuple[tuple[str, int], ...] = ()
        """The reached files with their distance, nearest first."""

    def withhold(self, may_show_path: Callable[[str], bool], may_show_name: Callable[[str], bool]) -> None:
        """Leave out files whose path may not be shown, and the names of definitions that may not; counts stay."""
        for node in [*self.target, *(reached.node for reached in self.reached)]:
            if node.name and not may_show_name(node.name):
                node.name = ""
        self.target = tuple(node for node in self.target if may_show_path(node.path)) or self.target[:1]
        self.reached = tuple(reached for reached in self.reached if may_show_path(reached.node.path))
        self.files = tuple((path, distance) for path, distance in self.files if may_show_path(path))

    def chain(self, reached: Reached) -> list[str]:
        """The way from the target to a node, as names."""
        by_id = {one.node.id: one for one in self.reached}
        names = {node.id: str(node) for node in self.target}
        way = [str(reached.node)]
        step = reached
        for _ in range(DEPTH_MAX):
            if step.origin in names:
                way.append(names[step.origin])
                break
            if step.origin not in by_id:
                break
            step = by_id[step.origin]
            way.append(str(step.node))
        return way[::-1]


_NODE = (
    "n.id, n.kind, COALESCE(f.path, n.name), CASE n.kind WHEN 'file' THEN '' ELSE n.qualified END, n.line, n.signature"
)


def find(database: MapDatabase, path: str, symbol: str = "") -> list[Node]:
    """The nodes that a path, or a symbol in it, names. A symbol may be the end of a qualified name."""
    if not symbol:
        rows = database.rows(
            f"SELECT {_NODE} FROM files f JOIN nodes n ON n.file = f.id WHERE f.path = ? ORDER BY n.id",
            (path,),
        )
        return [Node(*row) for row in rows]
    rows = database.rows(
        f"SELECT {_NODE} FROM files f JOIN nodes n ON n.file = f.id"
        " WHERE f.path = ? AND n.kind != 'file' AND (n.qualified = ? OR n.name = ?) ORDER BY n.qualified != ?, n.line",
        (path, symbol, symbol.rpartition(".")[2], symbol),
    )
    found = [Node(*row) for row in rows]
    exact = [node for node in found if node.name == symbol]
    chosen = exact or [node for node in found if node.name.endswith("." + symbol) or node.name == symbol]
    return _with_members(database, chosen)


def named(database: MapDatabase, symbol: str, limit: int = 20) -> list[Node]:
    """All definitions of that name, exported ones first; a constructor that is called like its class is part of it."""
    rows = database.rows(
        f"SELECT {_NODE} FROM nodes n JOIN files f ON f.id = n.file WHERE n.name = ? AND n.kind != 'file'"
        " ORDER BY n.exported DESC, f.role = 'test', f.path LIMIT ?",
        (symbol.rpartition(".")[2], limit * 4),
    )
    nodes = [Node(*row) for row in rows]
    found = [node for node in nodes if node.name == symbol or node.name.endswith("." + symbol)]
    classes = {(node.path, node.name) for node in found if node.kind in CLASS_KINDS}
    return [node for node in found if (node.path, node.name.rpartition(".")[0]) not in classes][:limit]


def _with_members(database: MapDatabase, nodes: list[Node]) -> list[Node]:
    """A change to a class is a change to all that it holds, in its own file."""
    classes: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if node.kind in CLASS_KINDS:
            classes[node.path].add(node.name)
    held = [
        inner
        for path, outer in classes.items()
        for inner in find(database, path)
        if not outer.isdisjoint(accumulate(inner.name.split(".")[:-1], "{}.{}".format))
    ]
    return list({node.id: node for node in [*nodes, *held]}.values())


def impact(database: MapDatabase, target: list[Node], *, depth: int = 2, forward: bool = False) -> Impact:
    """What reaches the target (or, forward, what it reaches), to a depth."""
    answer = Impact(target, forward=forward)
    reached = _reached(database, answer, min(depth, DEPTH_MAX), forward)
    answer.reached = tuple(reached[:SHOWN_MAX])
    answer.complete = answer.complete and len(reached) <= SHOWN_MAX
    answer.tests = tuple(_tests(database, target, reached))
    answer.mentions = _mentions(database, target) if not forward else 0
    answer.files = _files(target, answer.reached)
    return answer


def _reached(database: MapDatabase, answer: Impact, depth: int, forward: bool) -> list[Reached]:
    """Level by level; the answer counts what there is and whether all of it was followed."""
    seen = {node.id for node in answer.target}
    whole_file = any(node.kind == "file" for node in answer.target)
    reached: list[Reached] = []
    frontier = sorted(seen)
    for level in range(1, depth + 1):
        found, count = _level(database, frontier, seen, level, forward)
        answer.total += count
        answer.complete = answer.complete and count == len(found)
        reached += found
        seen.update(one.node.id for one in found)
        frontier = [one.node.id for one in found if whole_file or one.node.kind != "file"]
        if not frontier or len(reached) >= SHOWN_MAX or len(frontier) > FRONTIER_MAX:
            answer.complete = answer.complete and not frontier
            break
    return reached


def _level(
    database: MapDatabase, frontier: list[int], seen: set[int], depth: int, forward: bool
) -> tuple[list[Reached], int]:
    here, there = ("source", "target") if forward else ("target", "source")
    rows = database.rows(
        f"SELECT {_NODE}, near.kind, near.line, near.{here}, near.confidence FROM"
        f" (SELECT {there} AS other, kind, line, {here}, MAX(confidence) AS confidence FROM edges"
        f"  WHERE {here} IN (SELECT value FROM json_each(?)) AND kind IN ({_FOLLOWED_SQL}) AND confidence >= ?"
        f"  GROUP BY {there} LIMIT ?) near"
        " JOIN nodes n ON n.id = near.other LEFT JOIN files f ON f.id = n.file",
        (_listed(frontier), CONFIDENCE_MIN, FRONTIER_MAX + len(seen) + 1),
    )
    found = [
        Reached(Node(*row[:6]), depth, row[6], row[7], row[8], row[9])
        for row in rows
        if row[0] not in seen and row[1] != "package"
    ]
    found.sort(key=lambda one: (is_test(one.node.path), -one.confidence, one.node.path, one.node.line))
    if len(rows) <= FRONTIER_MAX + len(seen):
        return found, len(found)
    # A package is used and uses nothing.
    no_package = f" JOIN nodes n ON n.id = e.{there} AND n.kind != 'package'" if forward else ""
    counted = database.value(
        f"SELECT COUNT(DISTINCT e.{there}) FROM edges e{no_package}"
        f" WHERE e.{here} IN (SELECT value FROM json_each(?)) AND e.kind IN ({_FOLLOWED_SQL}) AND e.confidence >= ?"
        f" AND e.{there} NOT IN (SELECT value FROM json_each(?))",
        (_listed(frontier), CONFIDENCE_MIN, _listed(seen)),
    )
    return found, int(counted)


def _listed(ids: Iterable[int]) -> str:
    """Numbers as SQLite reads them; loading Python's own JSON takes longer than most answers."""
    return f"[{', '.join(map(str, ids))}]"


def _places(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))


def _tests(database: MapDatabase, target: list[Node], reached: list[Reached]) -> list[str]:
    """Tests to run: those that reach the target itself first, then those of the file, by how sure that is."""
    direct = [one.node.path for one in reached if is_test(one.node.path)]
    paths = {node.path for node in target}
    rows = database.rows(
        "SELECT t.qualified, MAX(e.confidence) FROM files x JOIN nodes f ON f.file = x.id AND f.qualified = x.path"
        " JOIN edges e ON e.source = f.id AND e.kind = 'tested_by' JOIN nodes t ON t.id = e.target"
        f" WHERE f.kind = 'file' AND x.path IN ({_places(paths)})"
        " GROUP BY t.qualified ORDER BY 2 DESC, 1 LIMIT ?",
        (*paths, TESTS_MAX),
    )
    by_name = [row[0] for row in rows if row[1] > BY_NAME_MIN]
    found = dict.fromkeys([*by_name, *direct, *(row[0] for row in rows)])
    return sorted(found, key=lambda path: not is_runnable_test(path))[:TESTS_MAX]


def _mentions(database: MapDatabase, target: list[Node]) -> int:
    names = {node.name.rpartition(".")[2] for node in target if node.kind in ("function", "method")}
    if len(names) != 1:
        return 0
    return int(database.value("SELECT COUNT(*) FROM unresolved WHERE name = ?", (names.pop(),)) or 0)


def _files(target: list[Node], reached: tuple[Reached, ...]) -> tuple[tuple[str, int], ...]:
    own = {node.path for node in target}
    nearest: dict[str, int] = {}
    for one in reached:
        if one.node.path not in own:
            nearest.setdefault(one.node.path, one.depth)
    return tuple(sorted(nearest.items(), key=lambda item: (item[1], is_test(item[0]), item[0])))
