"""Asking what a change breaks from a process that has just started."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from benchmarks.machine import Samples, environment
from benchmarks.mapping.impact import DEPTH

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.codemap.database import MapDatabase

_EMPTY_PROCESS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
connection.close()
"""
_ASKING_PROCESS = """
import sys
from holloway.codemap.database import open_map
from holloway.codemap.graph import compute_impact, find_nodes
database = open_map(sys.argv[1])
assert compute_impact(database, find_nodes(database, sys.argv[2], sys.argv[3]), depth=int(sys.argv[4])).target
database.close()
"""
BARE, EMPTY, ASKING = "bare Python", "an empty SQLite file", "the map, one impact"


def measure_processes(database: MapDatabase, folder: Path, rounds: int) -> dict[str, Samples]:
    """Processes that open a file and answer once, in turns."""
    row = database.fetch_row(
        "SELECT f.path, n.qualified FROM nodes n JOIN files f ON f.id = n.file WHERE n.kind = 'function'"
    )
    assert row is not None
    commands = {
        BARE: ["pass"],
        EMPTY: [_EMPTY_PROCESS, str(folder / "empty.db")],
        ASKING: [_ASKING_PROCESS, str(database.path), *row, str(DEPTH)],
    }
    times = {name: Samples() for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            process = times[name].start([sys.executable, "-c", *command], environment())
            assert process.returncode == 0, process.stderr.decode()
    return times


Fresh = dict[int, dict[str, Samples]]
"""By the number of nodes, the times of each process."""


def table(fresh: Fresh) -> dict[str, Any]:
    """By process and size of the map."""
    columns = ["a fresh process opens", "nodes", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["p50 above an empty SQLite file, ms", "CPU p50 above it, ms"]
    rows = [
        [name, count, *samples.figures(), *(above(times, name, at) for at in (0, 2))]
        for count, times in fresh.items()
        for name, samples in times.items()
    ]
    return {"title": "Impact, from a fresh process", "columns": columns, "rows": rows}


def above(times: dict[str, Samples], name: str, figure: int) -> float:
    """Return the cost of a process above that of one that opens an empty file."""
    return times[name].figures()[figure] - times[EMPTY].figures()[figure]
