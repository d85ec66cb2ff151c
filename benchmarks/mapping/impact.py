"""Impact queries, warm: random places and the most used ones, compared with one recursive query."""

from __future__ import annotations

import json
import random
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.generated import SEED
from benchmarks.machine import Samples, quantile
from holloway.codemap.graph import CONFIDENCE_MIN, FOLLOWED_KINDS, compute_impact, find_nodes

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase

DEPTH = 3
RANDOM_NODES = 200
HUBS = 20
RECURSIVE_EVERY = 5
RECURSIVE = (
    "WITH RECURSIVE near (id, depth) AS (VALUES (:node, 0) UNION SELECT e.source, depth + 1 FROM near JOIN edges e"
    " ON e.target = near.id WHERE depth < :depth AND e.confidence >= :sure"
    " AND e.kind IN (SELECT value FROM json_each(:kinds))) SELECT COUNT(DISTINCT id) FROM near"
)
FOLLOWING = {"kinds": json.dumps(FOLLOWED_KINDS), "sure": CONFIDENCE_MIN}


class Asked(NamedTuple):
    """How long an impact took."""

    map: str
    nodes: int
    what: str
    times: Samples
    recursive: Samples
    reached: list[int]


def measure_impacts(name: str, nodes: int, database: MapDatabase) -> list[Asked]:
    """Ask a map for the impact of definitions and files that few or many use."""
    degrees = (
        "SELECT f.path, n.kind, n.qualified, n.id FROM (SELECT target, COUNT(*) AS users FROM edges"
        " WHERE kind IN (SELECT value FROM json_each(:kinds)) AND confidence >= :sure GROUP BY target) e"
        " JOIN nodes n ON n.id = e.target JOIN files f ON f.id = n.file WHERE (n.kind = 'file') = :files"
        " ORDER BY e.users DESC, n.id LIMIT :hubs"
    )
    anything = (
        "SELECT f.path, n.kind, n.qualified, n.id FROM nodes n JOIN files f ON f.id = n.file WHERE n.id IN"
        " (SELECT value FROM json_each(?))"
    )
    ids = [row[0] for row in database.fetch_rows("SELECT id FROM nodes WHERE file IS NOT NULL ORDER BY id")]
    chosen = random.Random(SEED).sample(ids, RANDOM_NODES)
    node_groups = {
        "random definitions and files": database.fetch_rows(anything, (json.dumps(chosen),)),
        "the most used definitions": database.fetch_rows(degrees, FOLLOWING | {"hubs": HUBS, "files": 0}),
        "the most used files": database.fetch_rows(degrees, FOLLOWING | {"hubs": HUBS, "files": 1}),
    }
    return [
        _measure_group(name, nodes, description, database, [tuple(row) for row in rows])
        for description, rows in node_groups.items()
    ]


def _measure_group(
    name: str, nodes: int, description: str, database: MapDatabase, rows: list[tuple[Any, ...]]
) -> Asked:
    result = Asked(name, nodes, description, Samples(), Samples(), [])
    asks = [partial(_ask, database, path, "" if kind == "file" else qualified) for path, kind, qualified, _ in rows]
    counts = [
        partial(database.fetch_value, RECURSIVE, FOLLOWING | {"node": node, "depth": DEPTH})
        for *_, node in rows[::RECURSIVE_EVERY]
    ]
    for first in (*asks, *counts):
        first()
    for at, ask in enumerate(asks):
        result.reached.append(result.times.time(ask))
        if at % RECURSIVE_EVERY == 0:
            result.recursive.time(counts[at // RECURSIVE_EVERY])
    return result


def _ask(database: MapDatabase, path: str, symbol: str) -> int:
    return compute_impact(database, find_nodes(database, path, symbol), depth=DEPTH).total


def table(impacts: list[Asked]) -> dict[str, Any]:
    """By map and by what was asked for."""
    columns = ["map", "nodes", "asked for", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["recursive query, CPU p50 ms", "CPU p95 ms", "nodes reached, p50", "p95"]
    rows = [
        [impact.map, impact.nodes, impact.what, *impact.times.figures(), *impact.recursive.figures()[2:]]
        + [int(quantile(impact.reached, share)) for share in (0.50, 0.95)]
        for impact in impacts
    ]
    return {"title": "Impact, warm", "columns": columns, "rows": rows}
