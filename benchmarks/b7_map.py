"""B7, the code map: what indexing, following an edit and asking for the impact of a change cost as a codebase grows."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.generated import SEED
from benchmarks.generated.graph import Graph
from benchmarks.mapping import aider as peers
from benchmarks.mapping import cold, edits, fresh, impact
from benchmarks.mapping.repository import Repository, generate_repository
from benchmarks.targets import target
from holloway.codemap.database import open_map

if TYPE_CHECKING:
    from collections.abc import Sequence

REPOSITORIES = ("flask", "django")
LARGEST = "django"
"""The one that is also asked for impacts."""
GENERATED_FILES = 50_000
QUICK_GENERATED_FILES = 1_000
EDITS = 20
QUICK_EDITS = 5
NODES = (50_000, 500_000)
COLD_ROUNDS = 15
QUICK_COLD_ROUNDS = 5
TARGETS = {
    "CPU per file of code, one process, django": (2.0, "ms"),
    "memory of all processes, generated, 50,000 files": (500.0, "MB"),
    "body edit shown, django, p95": (100.0, "ms"),
    "impact of random definitions and files, generated, 50,000 nodes, p50": (1.0, "ms"),
    "impact of the most used definitions, generated, 50,000 nodes, p95": (20.0, "ms"),
    "impact of the most used files, generated, 50,000 nodes, p95": (20.0, "ms"),
    "fresh process above an empty SQLite file, 50,000 nodes": (20.0, "ms"),
}
"""The figures with their limits: two milliseconds a file are 500 files per second and core."""
HOW = [
    "Cold means an empty map; the files are in the system's cache. Each index runs in a separate process. "
    "With one worker, tree-sitter alone parses the same files in turns with it; the ratio is CPU time to CPU time. "
    "Files a second and core are files of code over the CPU time of all processes; what is spent on prose counts.",
    "The generated codebase is 60 % Python and 40 % TypeScript, from a seed: 6 to 7 kB and eleven definitions a "
    "file, packages that import each other, and a quarter of the imports go to one file in a hundred. Two processes "
    "index it, once.",
    "Edits are made in a copy, by a process that has the map open. Body: code at the end of a random file. Interface: "
    "a new function in a random file, or in the file that most others depend on. New file: it imports its neighbour. "
    "Removed file: a random one, others may import it. The index is told the file's name, or looks at all files.",
    "The graphs are written straight into a map: ten definitions a file, three edges a node, in-degrees by a power "
    "law, the largest hub used by 5 % of all nodes. An impact is `find` and `impact` to depth 3; it and the recursive "
    "query are asked once before they are timed. That query counts the same neighbourhood, without a limit and without "
    "names, paths or tests.",
    "Aider ranks the tags and renders a map of 1,024 tokens each time; holloway resolves and writes edges and search "
    "text. Cold: no cache. Once more: in the same process. New process: with the cache, or the map, of the first.",
    "A fresh process opens the map and answers once, in turns with one that opens an empty SQLite file.",
]


def run(repos: Path | None, names: Sequence[str], *, quick: bool = False, aider: str = "") -> dict[str, Any]:
    """Measure the map on real repositories, those of `names`, and on generated ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        real = [Repository(name, repos / name) for name in names[: 1 if quick else None]] if repos else []
        generated_repository = generate_repository(QUICK_GENERATED_FILES if quick else GENERATED_FILES, folder)
        indexed = cold.measure_index([*real, generated_repository], folder)
        followed = [
            followed_edit
            for repository in real
            for followed_edit in edits.measure_updates(repository, folder, QUICK_EDITS if quick else EDITS)
        ]
        impacts, started = _asking(real, folder, quick=quick)
        peer = peers.measure_peer(real[0], folder, aider) if aider and real else None
    tables = [
        cold.table(indexed),
        edits.table(followed),
        impact.table(impacts),
        fresh.table(started),
        peers.table(peer),
    ]
    return {
        "title": "B7: the code map as a codebase grows",
        "question": (
            "How fast is a codebase read into the map, how soon does the map show an edit, and what does it cost to "
            "ask what a change breaks?"
        ),
        "how": HOW,
        "seed": SEED,
        "targets": _targets(indexed, followed, impacts, started),
        "tables": [table for table in tables if table["rows"]],
    }


def _asking(real: list[Repository], folder: Path, *, quick: bool) -> tuple[list[impact.Asked], fresh.Fresh]:
    impacts: list[impact.Asked] = []
    started: fresh.Fresh = {}
    for repository in real:
        if repository.name == LARGEST:
            database = open_map(repository.map_in(folder))
            impacts += impact.measure_impacts(
                repository.name, int(database.fetch_value("SELECT COUNT(*) FROM nodes")), database
            )
            database.close()
    for count in NODES[: 1 if quick else None]:
        database = Graph(count).write(folder / f"graph_{count}.db")
        impacts += impact.measure_impacts("generated", count, database)
        started[count] = fresh.measure_processes(database, folder, QUICK_COLD_ROUNDS if quick else COLD_ROUNDS)
        database.close()
    return impacts, started


def _targets(
    indexed: list[cold.Cold], followed: list[edits.Followed], impacts: list[impact.Asked], started: fresh.Fresh
) -> list[dict[str, Any]]:
    measured: dict[str, float] = {}
    for cold_index in indexed:
        if cold_index.workers == 1:
            measured[f"CPU per file of code, one process, {cold_index.name}"] = (
                cold_index.cpu_s * 1000 / cold_index.code
            )
        else:
            measured[f"memory of all processes, {cold_index.name}"] = (
                cold_index.memory_mb + cold_index.workers * cold_index.worker_mb
            )
    for edit in followed:
        if edit.way == edits.BY_NAME:
            measured[f"{edit.edit} edit shown, {edit.name}, p95"] = edit.times.figures()[1]
    for impact_result in impacts:
        for at, share in enumerate(("p50", "p95")):
            measured[f"impact of {impact_result.what}, {impact_result.map}, {impact_result.nodes:,} nodes, {share}"] = (
                impact_result.times.figures()[at]
            )
    for count, times in started.items():
        measured[f"fresh process above an empty SQLite file, {count:,} nodes"] = fresh.above(times, fresh.ASKING, 0)
    return [target(name, measured[name], *limit) for name, limit in TARGETS.items() if name in measured]
