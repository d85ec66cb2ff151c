"""B7, the code map: what indexing, following an edit and asking for the impact of a change cost as a codebase grows."""

from __future__ import annotations

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.b7_store import SEED, target
from benchmarks.checkout import git
from benchmarks.generated import Code, Graph
from benchmarks.machine import Samples, environment, quantile
from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.graph import CONFIDENCE_MIN, FOLLOWED, find, impact
from holloway.codemap.index import index
from holloway.codemap.reading import files
from holloway.codemap.reading.languages import grammar, language_of

REPOSITORIES = ("flask", "django")
GENERATED_FILES = 50_000
QUICK_GENERATED_FILES = 2_000
WORKERS = (1, 2)
EDITS = 20
QUICK_EDITS = 5
CENTRAL_EDITS = 3
"""Of the file that most others depend on: each has thousands of files resolved again."""
NODES = (50_000, 500_000)
RANDOM_NODES = 200
HUBS = 20
DEPTH = 3
COLD_ROUNDS = 15
QUICK_COLD_ROUNDS = 5
PEER_ROUNDS = 3
WAYS = ("by name", "all files")
RECURSIVE_EVERY = 5
RECURSIVE = (
    "WITH RECURSIVE near (id, depth) AS (VALUES (:node, 0) UNION SELECT e.source, depth + 1 FROM near JOIN edges e"
    " ON e.target = near.id WHERE depth < :depth AND e.confidence >= :sure"
    " AND e.kind IN (SELECT value FROM json_each(:kinds))) SELECT COUNT(DISTINCT id) FROM near"
)
FOLLOWING = {"kinds": json.dumps(FOLLOWED), "sure": CONFIDENCE_MIN}
HERE = Path(__file__).parent
TARGETS = {
    "CPU per file of code, one process, django": (2.0, "ms"),
    "memory of all processes, generated, 50,000 files": (500.0, "MB"),
    "body edit shown, django, p95": (100.0, "ms"),
    "impact of random definitions and files, generated, 50,000 nodes, p50": (1.0, "ms"),
    "impact of the most used definitions, generated, 50,000 nodes, p95": (20.0, "ms"),
    "impact of the most used files, generated, 50,000 nodes, p95": (20.0, "ms"),
    "fresh process above an empty SQLite file, 50,000 nodes": (20.0, "ms"),
}
"""The figure, at most so much: two milliseconds a file are 500 files per second and core."""
HOW = [
    "Cold means an empty map; the files are in the system's cache. Each index runs in a process of its own. "
    "With one worker, tree-sitter alone parses the same files in turns with it; the ratio is CPU time to CPU time. "
    "Files a second and core are files of code over the CPU time of all processes; what is spent on prose counts.",
    "The generated codebase is 60 % Python and 40 % TypeScript, from a seed: 6 to 7 kB and eleven definitions a "
    "file, packages that import each other, and a quarter of the imports go to one file in a hundred. Two processes "
    "index it, once.",
    "Edits are made in a copy, by a process that has the map open. Body: code at the end of a random file. Interface: "
    "a new function in a random file, or in the file that most others depend on. New file: it imports its neighbour. "
    "Removed file: a random one, others may import it. The index is told the file's name, or looks at all files.",
    "The graphs are written straight into a map: ten definitions a file, three edges a node, in-degrees by a power "
    "law, the largest hub used by 5 % of all nodes. An impact is `find` and `impact` to depth 3, asked once before it "
    "is timed. The recursive query counts the same neighbourhood, without a limit and without names, paths or tests.",
    "Aider ranks the tags and renders a map of 1,024 tokens each time; holloway resolves and writes edges and search "
    "text. Cold: no cache. Once more: in the same process. New process: with the cache, or the map, of the first.",
    "A fresh process opens the map and answers once; beside it one that opens an empty SQLite file, in turns.",
]


class Repository(NamedTuple):
    """What is indexed."""

    name: str
    root: Path


class Cold(NamedTuple):
    """What one index from nothing took, as the process that did it says."""

    name: str
    workers: int
    files: int
    code: int
    """Files in a language that is parsed."""
    code_mb: float
    wall_s: float
    cpu_s: float
    """Of all processes."""
    parse_s: float | None
    """Of tree-sitter alone for the same files."""
    reading: float | None
    """CPU time of reading and writing, in multiples of tree-sitter alone meanwhile."""
    resolving: float | None
    memory_mb: float
    worker_mb: float
    """The largest child."""
    map_mb: float


class Parsing:
    """Tree-sitter alone on the files of a repository, a few at a time while they are indexed.

    Both meet the same neighbours on the machine, so that their ratio does not depend on them.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths = [one.path for one in files.listed(root)[0] if language_of(one.path)]
        self._at = 0
        self.parse_s = self.cpu_s = self.wall_s = 0.0
        """CPU time of the parser; and what all of this took away from the index."""

    def advance(self, done: int, total: int) -> None:
        """Parse as large a share of the files as is done of the other work."""
        cpu, wall = time.process_time(), time.perf_counter()
        until = len(self._paths) * (done + 1) // total
        for path in self._paths[self._at : until]:
            language, data = language_of(path), files.read(self._root, path)
            if language and isinstance(data, bytes):
                parser, _ = grammar(language.name)
                start = time.process_time()
                parser.parse(data)
                self.parse_s += time.process_time() - start
        self._at = until
        self.cpu_s += time.process_time() - cpu
        self.wall_s += time.perf_counter() - wall


def index_once(name: str, root: str, path: str, workers: str) -> None:
    """In a process of its own: index into a new map and print what it took."""
    beside = {"reading": Parsing(Path(root)), "resolving": Parsing(Path(root))}
    began: dict[str, float] = {}

    def note(stage: str, done: int, total: int) -> None:
        began.setdefault(stage, _cpu_s())
        if workers == "1" and stage in beside:
            beside[stage].advance(done, total)

    database = open_map(Path(path))
    began[""], wall = _cpu_s(), time.perf_counter()
    indexed = index(database, Path(root), workers=int(workers), progress=note)
    wall, ended = time.perf_counter() - wall, _cpu_s()
    memory, worker = _peak_mb()
    first, second = beside.values()
    reading = began["resolving"] - began[""] - first.cpu_s
    resolving = ended - began["resolving"] - second.cpu_s
    ratios: tuple[float | None, ...] = (None, None, None)
    if workers == "1":
        ratios = ((first.parse_s + second.parse_s) / 2, reading / first.parse_s, resolving / second.parse_s)
    code, size = tuple(database.rows("SELECT COUNT(*), SUM(size) FROM files WHERE language != ''")[0])
    database.close()
    wall -= first.wall_s + second.wall_s
    times = (wall, reading + resolving, *ratios)
    sizes = (memory, worker, Path(path).stat().st_size / 1e6)
    print(json.dumps((name, int(workers), indexed.files, code, size / 1e6, *times, *sizes)))


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak_mb() -> tuple[float, float]:
    """The most memory that this process and its largest child held."""
    unit = 1e6 if sys.platform == "darwin" else 1e6 / 1024
    own, child = (resource.getrusage(who).ru_maxrss / unit for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage says here is at least what the parent held when it started this process.
        own = next(int(line.split()[1]) / unit for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return own, child


def _cold(repositories: list[Repository], folder: Path) -> list[Cold]:
    code = "import sys; from benchmarks import b7_map; b7_map.index_once(*sys.argv[1:])"
    found: list[Cold] = []
    for repository in repositories:
        for workers in WORKERS if repository.name in REPOSITORIES else WORKERS[-1:]:
            path = _map_of(repository, folder)
            path.unlink(missing_ok=True)
            arguments = [repository.name, repository.root, path, workers]
            done = subprocess.run(
                [sys.executable, "-c", code, *map(str, arguments)],
                cwd=HERE.parent,
                env=environment(),
                capture_output=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr.decode()
            found.append(Cold(*json.loads(done.stdout)))
    return found


def _map_of(repository: Repository, folder: Path) -> Path:
    return folder / f"{repository.name}.db"


class Editor:
    """Changes files of a checkout, one at a time, as somebody who works in it would."""

    def __init__(self, root: Path, away: Path, database: MapDatabase) -> None:
        self._root = root
        self._away = away
        self._random = random.Random(SEED)
        code = "SELECT id, path FROM files WHERE language IN ('python', 'typescript') AND size > 500"
        self._paths: dict[int, str] = {row[0]: row[1] for row in database.rows(f"{code} ORDER BY path")}
        most = "SELECT seen FROM consulted GROUP BY seen ORDER BY COUNT(*) DESC, seen"
        self.central = next(self._paths[row[0]] for row in database.rows(most) if row[0] in self._paths)
        self._number = 0

    def _any(self) -> str:
        self._number += 1
        return self._random.choice(list(self._paths.values()))

    def _append(self, path: str, text: str) -> str:
        with (self._root / path).open("a", encoding="utf-8") as file:
            file.write(text)
        return path

    def body(self) -> str:
        """Code at the end of a file, nothing that others see."""
        path = self._any()
        called = f"print({self._number})"
        return self._append(
            path, f"\nif False:\n    {called}\n" if path.endswith(".py") else f"\nif (0) {{ {called}; }}\n"
        )

    def interface(self, path: str = "") -> str:
        """A new function at the end of a file."""
        path = path or self._any()
        name = f"added_{self._number}"
        self._number += 1
        body = f"\ndef {name}():\n    return 1\n" if path.endswith(".py") else f"\nexport function {name}() {{}}\n"
        return self._append(path, body)

    def new(self) -> str:
        """A file that was not there, beside another one."""
        beside = Path(self._any())
        path = beside.with_name(f"new_{self._number}{beside.suffix}").as_posix()
        text = f"from .{beside.stem} import *\n" if beside.suffix == ".py" else f"export * from './{beside.stem}';\n"
        return self._append(path, text + "\n")

    def removed(self) -> str:
        """A file that is not there any more."""
        path = self._any()
        (self._root / path).rename(self._away)
        return path

    def restore(self, path: str) -> None:
        """Bring a removed file back, as it was."""
        self._away.rename(self._root / path)


class Followed(NamedTuple):
    """How long the map took to show one kind of edit."""

    name: str
    edit: str
    way: str
    times: Samples
    resolved: list[int]


def _edits(repository: Repository, folder: Path, rounds: int) -> list[Followed]:
    root = folder / "copy" / repository.name
    shutil.copytree(repository.root, root, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    database = open_map(_map_of(repository, folder))
    index(database, root)
    editor = Editor(root, folder / "away", database)
    kinds: dict[str, Callable[[], str]] = {
        "body": editor.body,
        "interface": editor.interface,
        f"interface of {editor.central}": partial(editor.interface, editor.central),
        "new file": editor.new,
        "removed file": editor.removed,
    }
    found = {(edit, way): Followed(repository.name, edit, way, Samples(), []) for edit in kinds for way in WAYS}
    found["nothing", WAYS[1]] = Followed(repository.name, "nothing", WAYS[1], Samples(), [])
    for done_rounds in range(rounds):
        for (edit, way), one in found.items():
            if edit.startswith("interface of") and done_rounds >= CENTRAL_EDITS:
                continue
            path = kinds[edit]() if edit in kinds else ""
            done = one.times.time(partial(index, database, root, only=[path] if way == WAYS[0] else None))
            one.resolved.append(done.resolved)
            assert done.read + done.removed == bool(path), (edit, path, done)
            if edit == "removed file":
                editor.restore(path)
                index(database, root, only=[path])
    database.close()
    shutil.rmtree(root)
    return list(found.values())


class Asked(NamedTuple):
    """How long an impact took."""

    map: str
    nodes: int
    what: str
    times: Samples
    recursive: Samples
    reached: list[int]


def _impacts(name: str, nodes: int, database: MapDatabase) -> list[Asked]:
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
    ids = [row[0] for row in database.rows("SELECT id FROM nodes WHERE file IS NOT NULL ORDER BY id")]
    chosen = random.Random(SEED).sample(ids, RANDOM_NODES)
    asked = {
        "random definitions and files": database.rows(anything, (json.dumps(chosen),)),
        "the most used definitions": database.rows(degrees, FOLLOWING | {"hubs": HUBS, "files": 0}),
        "the most used files": database.rows(degrees, FOLLOWING | {"hubs": HUBS, "files": 1}),
    }
    return [_asked(name, nodes, what, database, [tuple(row) for row in rows]) for what, rows in asked.items()]


def _asked(name: str, nodes: int, what: str, database: MapDatabase, rows: list[tuple[Any, ...]]) -> Asked:
    result = Asked(name, nodes, what, Samples(), Samples(), [])
    for is_timed in (False, True):
        for at, (path, kind, qualified, node) in enumerate(rows):
            ask = partial(_ask, database, path, "" if kind == "file" else qualified)
            count = partial(database.value, RECURSIVE, FOLLOWING | {"node": node, "depth": DEPTH})
            if is_timed:
                result.reached.append(result.times.time(ask))
            else:
                ask()
            if is_timed and at % RECURSIVE_EVERY == 0:
                result.recursive.time(count)
    return result


def _ask(database: MapDatabase, path: str, symbol: str) -> int:
    return impact(database, find(database, path, symbol), depth=DEPTH).total


_EMPTY_PROCESS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
connection.close()
"""
_ASKING_PROCESS = """
import sys
from pathlib import Path
from holloway.codemap.database import open_map
from holloway.codemap.graph import find, impact
database = open_map(Path(sys.argv[1]))
assert impact(database, find(database, sys.argv[2], sys.argv[3]), depth=int(sys.argv[4])).target
database.close()
"""
BARE, EMPTY, ASKING = "bare Python", "an empty SQLite file", "the map, one impact"


def _fresh(database: MapDatabase, folder: Path, rounds: int) -> dict[str, Samples]:
    """Processes that open a file and answer once, in turns."""
    row = database.row(
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
            done = times[name].start([sys.executable, "-c", *command], environment())
            assert done.returncode == 0, done.stderr.decode()
    return times


_AIDER_PROCESS = """
import json, sys, time
from pathlib import Path
from aider.repomap import RepoMap


class Model:
    def token_count(self, text):
        return len(text) // 4


class Quiet:
    def read_text(self, path, silent=False):
        return Path(path).read_text("utf-8", "replace")

    def tool_output(self, *said, **how):
        pass

    tool_warning = tool_error = tool_output


root = sys.argv[1]
files = sorted(str(path) for path in Path(root).rglob("*.py"))
took = []
for _ in range(2):
    cpu, wall = time.process_time(), time.perf_counter()
    made = made if took else RepoMap(root=root, main_model=Model(), io=Quiet())
    assert made.get_repo_map([], files, force_refresh=bool(took))
    took += [(time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000]
print(json.dumps(took))
"""
_OWN_PROCESS = """
import json, sys, time
from pathlib import Path
from holloway.codemap.database import open_map
from holloway.codemap.index import index
took = []
for _ in range(2):
    cpu, wall = time.process_time(), time.perf_counter()
    database = database if took else open_map(Path(sys.argv[2]))
    assert index(database, Path(sys.argv[1]), workers=1).files
    took += [(time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000]
print(json.dumps(took))
"""


Peer = dict[str, list[list[float]]]


def _peer(repository: Repository, folder: Path, python: str) -> Peer:
    """Aider's repo map and ours on the same files, in turns: what each of the rounds says."""
    root = folder / "peer"
    for path in repository.root.rglob("*.py"):
        place = root / path.relative_to(repository.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)
    own = folder / "peer.db"
    commands = {
        "aider, repo map": [python, "-c", _AIDER_PROCESS, str(root)],
        "holloway, index": [sys.executable, "-c", _OWN_PROCESS, str(root), str(own)],
    }
    rounds: Peer = {name: [] for name in commands}
    for _ in range(PEER_ROUNDS):
        for cache in root.glob(".aider*"):
            shutil.rmtree(cache)
        own.unlink(missing_ok=True)
        for name, command in commands.items():
            took: list[float] = []
            for _ in range(2):
                done = subprocess.run(command, env=environment(), capture_output=True, check=False)
                assert done.returncode == 0, done.stderr.decode()
                took += json.loads(done.stdout.splitlines()[-1])
            rounds[name].append(took)
    return rounds


def run(repos: Path, *, quick: bool = False, aider: str = "") -> dict[str, Any]:
    """Measure the map on real repositories and on generated ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repositories = [Repository(one, repos / one) for one in REPOSITORIES[: 1 if quick else None]]
        cold = _cold([*repositories, _generated(QUICK_GENERATED_FILES if quick else GENERATED_FILES, folder)], folder)
        edits = [one for each in repositories for one in _edits(each, folder, QUICK_EDITS if quick else EDITS)]
        asked, fresh = _asking(repositories, folder, quick=quick)
        peer = _peer(repositories[0], folder, aider) if aider else None
    return {
        "title": "B7: the code map as a codebase grows",
        "question": (
            "How fast is a codebase read into the map, how soon does the map show an edit, and what does it cost to "
            "ask what a change breaks?"
        ),
        "how": HOW,
        "seed": SEED,
        "targets": _targets(cold, edits, asked, fresh),
        "tables": [_cold_table(cold), _edit_table(edits), _impact_table(asked), _fresh_table(fresh), _peer_table(peer)],
    }


def _name(count: int) -> str:
    return f"generated, {count:,} files"


def _generated(count: int, folder: Path) -> Repository:
    root = folder / f"generated_{count}"
    Code(count).write(root)
    return Repository(_name(count), root)


Fresh = dict[int, dict[str, Samples]]


def _asking(repositories: list[Repository], folder: Path, *, quick: bool) -> tuple[list[Asked], Fresh]:
    asked: list[Asked] = []
    fresh: Fresh = {}
    for repository in repositories:
        if repository.name in REPOSITORIES[1:]:
            database = open_map(_map_of(repository, folder))
            count = int(database.value("SELECT COUNT(*) FROM nodes"))
            asked += _impacts(repository.name, count, database)
            database.close()
    for count in NODES[: 1 if quick else None]:
        database = Graph(count).write(folder / f"graph_{count}.db")
        asked += _impacts("generated", count, database)
        fresh[count] = _fresh(database, folder, QUICK_COLD_ROUNDS if quick else COLD_ROUNDS)
        database.close()
    return asked, fresh


def _cold_table(cold: list[Cold]) -> dict[str, Any]:
    columns = ["repository", "workers", "files", "of code", "MB of code", "wall s", "CPU s", "files of code a second"]
    columns += ["a second and core", "MB a second and core", "tree-sitter alone, CPU s", "x tree-sitter alone (CPU)"]
    columns += ["of it resolving", "peak MB", "largest worker, peak MB", "map, MB"]
    rows: list[list[Any]] = [
        [
            *(one.name, one.workers, one.files, one.code, one.code_mb, one.wall_s, one.cpu_s),
            *(one.code / one.wall_s, one.code / one.cpu_s, one.code_mb / one.cpu_s, one.parse_s),
            *((one.reading or 0) + (one.resolving or 0) or None, one.resolving),
            *(one.memory_mb, one.worker_mb if one.workers > 1 else None, one.map_mb),
        ]
        for one in cold
    ]
    return {"title": "Indexing, from nothing", "columns": columns, "rows": rows}


def _edit_table(edits: list[Followed]) -> dict[str, Any]:
    columns = ["repository", "edit", "followed", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms", "resolved again, p50"]
    rows = [[one.name, one.edit, one.way, *one.times.figures(), int(quantile(one.resolved, 0.50))] for one in edits]
    return {"title": "Following an edit", "columns": columns, "rows": rows}


def _impact_table(asked: list[Asked]) -> dict[str, Any]:
    columns = ["map", "nodes", "asked for", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["recursive query, CPU p50 ms", "CPU p95 ms", "nodes reached, p50", "p95"]
    rows = [
        [one.map, one.nodes, one.what, *one.times.figures(), *one.recursive.figures()[2:]]
        + [int(quantile(one.reached, share)) for share in (0.50, 0.95)]
        for one in asked
    ]
    return {"title": "Impact, warm", "columns": columns, "rows": rows}


def _fresh_table(fresh: Fresh) -> dict[str, Any]:
    columns = ["a fresh process opens", "nodes", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["p50 above an empty SQLite file, ms", "CPU p50 above it, ms"]
    rows = [
        [name, count, *samples.figures(), *(_above(times, name, at) for at in (0, 2))]
        for count, times in fresh.items()
        for name, samples in times.items()
    ]
    return {"title": "Impact, from a fresh process", "columns": columns, "rows": rows}


def _above(times: dict[str, Samples], name: str, figure: int) -> float:
    return times[name].figures()[figure] - times[EMPTY].figures()[figure]


def _peer_table(peer: Peer | None) -> dict[str, Any]:
    columns = ["on flask's Python files, one process", "cold ms", "cold, CPU ms", "once more ms", "once more, CPU ms"]
    columns += ["new process ms", "new process, CPU ms"]
    rows: list[list[Any]] = [["skipped: it needs a Python that has aider-chat (--aider PYTHON)", *[None] * 6]]
    if peer is not None:
        rows = [
            [name, *(quantile(values, 0.50) for values in list(zip(*rounds, strict=True))[:6])]
            for name, rounds in peer.items()
        ]
    return {"title": "Aider's repo map", "columns": columns, "rows": rows}


def _targets(cold: list[Cold], edits: list[Followed], asked: list[Asked], fresh: Fresh) -> list[dict[str, Any]]:
    measured: dict[str, float] = {}
    for one in cold:
        if one.workers == 1:
            measured[f"CPU per file of code, one process, {one.name}"] = one.cpu_s * 1000 / one.code
        else:
            measured[f"memory of all processes, {one.name}"] = one.memory_mb + one.workers * one.worker_mb
    for edit in edits:
        if edit.way == WAYS[0]:
            measured[f"{edit.edit} edit shown, {edit.name}, p95"] = edit.times.figures()[1]
    for what in asked:
        for at, share in enumerate(("p50", "p95")):
            measured[f"impact of {what.what}, {what.map}, {what.nodes:,} nodes, {share}"] = what.times.figures()[at]
    for count, times in fresh.items():
        measured[f"fresh process above an empty SQLite file, {count:,} nodes"] = _above(times, ASKING, 0)
    return [target(what, measured[what], *limit) for what, limit in TARGETS.items() if what in measured]
