"""B7, the store: what writing, searching, looking a file up and opening cost as a project's memory grows."""

from __future__ import annotations

import math
import sqlite3
import sys
import tempfile
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.generated import SEED
from benchmarks.generated.corpus import QUERY_KINDS
from benchmarks.generated.growing import Growing
from benchmarks.machine import Samples, environment
from benchmarks.plain import LIMIT, Plain
from benchmarks.targets import target
from holloway.config import TOOL_RESULT_MEMORIES_MAX
from holloway.domain.ports import format_stamp
from holloway.injection.known_facts import with_parents
from holloway.retrieval.candidates import parse_query
from holloway.retrieval.recall import recall_memories
from holloway.store import lookup
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1_000, 10_000, 100_000)
QUICK_SIZES = (150, 600)
WRITES = 200
QUERIES_PER_KIND = 60
SCAN_EVERY = 6
LOOKUPS = 300
OPENINGS = 20
QUICK_OPENINGS = 5
SEARCH_TARGETS_MS = {10_000: 15.0, 100_000: 60.0}
LOOKUP_TARGETS_MS = {10_000: 2.0, 100_000: 5.0}
GROWTH_TARGETS = {"search, all": 1.0, "lookup, a file with five traps": 0.1}
"""Search may grow with the store, but no faster; a file's lookup may not grow (a tenth is left to noise)."""
HOW = [
    "The memories are generated from a seed: 20,000 words with Zipf's frequencies, 6,000 identifiers, 4,000 files, the "
    "hottest of which has about 3 % of all memories. Each passes the gate that every memory passes.",
    "Search is `recall` with a limit of 10, over queries of one to six words; each query ran once before it is timed. "
    "Plain FTS5 is a bare table of the same texts with the same OR query, common words included, and no conditions. "
    "LIKE is a scan that counts the words which a text has.",
    "A lookup asks for the traps of one file and its folders, as the hook does when an agent opens a file.",
    "A fresh process that opens the store and recalls does so by words alone; b7_search has the cost of vectors.",
    "A write is one memory in one transaction, the gate with its secret scanner included.",
    "Everything is interleaved with its baseline in one process. Wall clock suffers from whatever else the machine "
    "does; CPU time suffers less.",
]

QUIET_FILES = tuple(f"quiet/corner_{number}.py" for number in range(20))
"""Files that have the same five traps at every size: what they cost may not depend on the rest of the store."""
QUIET_TRAPS = 5

_BARE_LOOKUP = "SELECT m.id, m.summary FROM memory_files f JOIN memories m ON m.seq = f.seq WHERE f.path = ? LIMIT 4"

_OPEN_AND_LOOK = """
import sys
from holloway.store import lookup
store = lookup.open_store(sys.argv[1], 1000)
to = lookup.Viewer(session="s", context=0, branch="", now=sys.argv[3], level=1)
found = lookup.find_for_files(store, [sys.argv[2]], to, 4)
assert found
"""
_OPEN_AND_RECALL = """
import sys
import holloway
with holloway.open(sys.argv[1], home=sys.argv[2]) as memory:
    assert memory.recall("planted fixture")
"""


class Figures:
    """The measurements at one size."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.times: dict[str, Samples] = {}
        self.numbers: dict[str, float] = {}

    def of(self, operation: str) -> Samples:
        """The measurements of one operation."""
        return self.times.setdefault(operation, Samples())


def run(*, quick: bool = False) -> dict[str, Any]:
    """Measure the store at every size."""
    sizes = QUICK_SIZES if quick else SIZES
    with tempfile.TemporaryDirectory() as name:
        root, home = Path(name, "shop"), Path(name, "home")
        root.mkdir()
        growing, plain = Growing(root, home), Plain(Path(name))
        growing.plant(QUIET_FILES, QUIET_TRAPS)
        openings = QUICK_OPENINGS if quick else OPENINGS
        measured = [_at_size(growing, plain, size, openings) for size in sizes]
        growing.memory.close()
        plain.close()
    return _result(measured)


def _at_size(growing: Growing, plain: Plain, size: int, openings: int) -> Figures:
    figures = Figures(size)
    figures.numbers["built per second"] = growing.grow(size)
    figures.numbers["plain FTS5 built per second"] = plain.copy(growing.store)
    figures.numbers["bytes per memory"] = _bytes(growing.store.project.database_path) / size
    figures.numbers["plain FTS5 bytes per memory"] = _bytes(plain.path) / size
    _search(figures, growing, plain)
    _lookup(figures, growing)
    _open(figures, growing, openings)
    _write(figures, growing, plain)
    return figures


def _bytes(path: Path) -> int:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def _search(figures: Figures, growing: Growing, plain: Plain) -> None:
    chosen = Filter(quarantined=False, branch="")
    for kind in QUERY_KINDS:
        queries = [growing.corpus.query(kind) for _ in range(QUERIES_PER_KIND)]
        for query in queries:
            recall_memories(growing.store, parse_query(query), chosen, LIMIT)
            plain.match(query)
        for at, query in enumerate(queries):
            figures.of(f"search, {kind}").time(
                partial(recall_memories, growing.store, parse_query(query), chosen, LIMIT)
            )
            figures.of(f"plain FTS5, {kind}").time(partial(plain.match, query))
            if at % SCAN_EVERY == 0:
                figures.of("scan with LIKE, all").time(partial(plain.like, query))
        figures.of("search, all").extend(figures.of(f"search, {kind}"))
        figures.of("plain FTS5, all").extend(figures.of(f"plain FTS5, {kind}"))


def _lookup(figures: Figures, growing: Growing) -> None:
    corpus, now = growing.corpus, format_stamp(growing.clock.now())
    store = lookup.open_store(str(growing.store.project.database_path), 1000)
    assert store is not None
    files: dict[str, Callable[[], str]] = {
        "a file with five traps": lambda: corpus.random.choice(QUIET_FILES),
        "files as agents open them": corpus.file,
        "the hottest file": lambda: corpus.files[0],
    }
    for number in range(LOOKUPS):
        for name, choose in files.items():
            figures.of(f"lookup, {name}").time(partial(_traps, store, choose(), f"s{number}", now))
        figures.of("bare SELECT by path").time(partial(_bare, store, corpus.file()))
    figures.numbers["memories on the hottest file"] = store.execute(
        "SELECT count(*) FROM memory_files WHERE path = ?", (corpus.files[0],)
    ).fetchone()[0]
    store.close()


def _traps(store: sqlite3.Connection, path: str, session: str, now: str) -> list[dict[str, object]]:
    context, level = lookup.read_context(store, session), lookup.read_trust_level(store)
    to = lookup.Viewer(session=session, context=context, branch="", now=now, level=level)
    return lookup.find_for_files(store, with_parents(path), to, TOOL_RESULT_MEMORIES_MAX)


def _bare(store: sqlite3.Connection, path: str) -> list[sqlite3.Row]:
    return store.execute(_BARE_LOOKUP, (path,)).fetchall()


def _open(figures: Figures, growing: Growing, rounds: int) -> None:
    project, python = growing.store.project, [sys.executable, "-c"]
    commands = {
        "bare Python": [*python, "pass"],
        "Python with json, sqlite3": [*python, "import json, sqlite3"],
        "open, one file lookup": [
            *python,
            _OPEN_AND_LOOK,
            str(project.database_path),
            QUIET_FILES[0],
            "2026-01-06T00:00Z",
        ],
        "open, one recall": [*python, _OPEN_AND_RECALL, growing.root, str(growing.memory.home)],
    }
    env = environment(HOLLOWAY_EMBEDDING_PROVIDER="off")
    for _ in range(rounds):
        for name, command in commands.items():
            process = figures.of(name).start(command, env)
            assert process.returncode == 0, process.stderr.decode()


def _write(figures: Figures, growing: Growing, plain: Plain) -> None:
    for _ in range(WRITES):
        growing.clock.advance(seconds=60)
        draft = growing.corpus.draft()
        figures.of("write through the gate").time(partial(growing.add, draft))
        figures.of("plain FTS5 insert").time(partial(plain.insert, draft.content))


def _result(measured: list[Figures]) -> dict[str, Any]:
    return {
        "title": "B7: the store as it grows",
        "question": (
            "What do writing, searching, looking up a file's traps and opening cost with 1,000, 10,000 and 100,000 "
            "memories in one project?"
        ),
        "how": HOW,
        "seed": SEED,
        "targets": _targets(measured),
        "tables": [_times(measured), _opening(measured), _growth(measured), _numbers(measured)],
    }


def _times(measured: list[Figures]) -> dict[str, Any]:
    kinds = ("all", *QUERY_KINDS)
    order = [name for kind in kinds for name in (f"search, {kind}", f"plain FTS5, {kind}", f"scan with LIKE, {kind}")]
    order += [name for name in measured[0].times if name.startswith(("lookup", "bare SELECT"))]
    order += ["write through the gate", "plain FTS5 insert"]
    rows = [
        [name, figures.size, *figures.times[name].figures()]
        for name in order
        for figures in measured
        if name in figures.times
    ]
    columns = ["operation", "memories", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    return {"title": "Times, warm", "columns": columns, "rows": rows}


def _opening(measured: list[Figures]) -> dict[str, Any]:
    columns = ["a fresh process", "memories", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["x bare Python (p50)", "x Python with json, sqlite3 (p50)"]
    rows: list[list[Any]] = []
    for name in ("bare Python", "Python with json, sqlite3", "open, one file lookup", "open, one recall"):
        for figures in measured:
            times = figures.of(name).figures()
            ratios = [times[0] / figures.of(base).figures()[0] for base in ("bare Python", "Python with json, sqlite3")]
            rows.append([name, figures.size, *times, *ratios])
    return {"title": "Opening", "columns": columns, "rows": rows}


def _growth(measured: list[Figures]) -> dict[str, Any]:
    pairs = list(pairwise(measured))
    names = [f"search, {kind}" for kind in ("all", *QUERY_KINDS)] + ["plain FTS5, all", "scan with LIKE, all"]
    names += [name for name in measured[0].times if name.startswith(("lookup", "bare SELECT", "write", "open"))]
    columns = [
        "operation",
        *(f"{small.size:,} to {large.size:,}, {q}" for small, large in pairs for q in ("p50", "p95")),
    ]
    rows = [[name, *(_exponent(small, large, name, q) for small, large in pairs for q in (2, 3))] for name in names]
    return {"title": "Growth of CPU time: 0 is constant, 1 is linear", "columns": columns, "rows": rows}


def _exponent(small: Figures, large: Figures, name: str, quantile: int) -> float:
    ratio = large.of(name).figures()[quantile] / small.of(name).figures()[quantile]
    return math.log(ratio) / math.log(large.size / small.size)


def _numbers(measured: list[Figures]) -> dict[str, Any]:
    columns = ["figure", *(f"{figures.size:,} memories" for figures in measured)]
    rows = [[name, *(round(figures.numbers[name]) for figures in measured)] for name in measured[0].numbers]
    return {"title": "Building and disk", "columns": columns, "rows": rows}


def _targets(measured: list[Figures]) -> list[dict[str, Any]]:
    rows = []
    for figures in measured:
        for name, targets in (
            ("search, all", SEARCH_TARGETS_MS),
            ("lookup, files as agents open them", LOOKUP_TARGETS_MS),
        ):
            if limit := targets.get(figures.size):
                description = f"{name}, p95 at {figures.size:,} memories"
                rows.append(target(description, figures.of(name).figures()[1], limit, "ms"))
    for small, large in pairwise(measured):
        for name, limit in GROWTH_TARGETS.items():
            description = f"{name}, growth of CPU p50 from {small.size:,} to {large.size:,}"
            rows.append(target(description, _exponent(small, large, name, 2), limit, "exponent"))
    return rows
