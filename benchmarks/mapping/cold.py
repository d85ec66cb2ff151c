"""Indexing from nothing, each time in a new process, with tree-sitter alone for comparison."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.machine import environment
from holloway.codemap.database import open_map
from holloway.codemap.index import update_index
from holloway.codemap.parse import source_files
from holloway.codemap.parse.languages import language_of, load_parser

if TYPE_CHECKING:
    from benchmarks.mapping.repository import Repository

WORKERS = (1, 2)
"""Processes; a generated codebase is indexed with the most."""
CHECKOUT = Path(__file__).parents[2]


class Cold(NamedTuple):
    """The cost of one index from nothing, reported by its process."""

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
        self._paths = [file.path for file in source_files.list_files(root)[0] if language_of(file.path)]
        self._at = 0
        self.parse_s = self.cpu_s = self.wall_s = 0.0
        """CPU time of the parser; and what all of this took away from the index."""

    def advance(self, files_done: int, total: int) -> None:
        """Parse as large a share of the files as is done of the other work."""
        cpu, wall = time.process_time(), time.perf_counter()
        until = len(self._paths) * (files_done + 1) // total
        for path in self._paths[self._at : until]:
            language, data = language_of(path), source_files.read_bytes(self._root, path)
            if language and isinstance(data, bytes):
                parser, _ = load_parser(language.name)
                start = time.process_time()
                parser.parse(data)
                self.parse_s += time.process_time() - start
        self._at = until
        self.cpu_s += time.process_time() - cpu
        self.wall_s += time.perf_counter() - wall


def index_once(name: str, root: str, path: str, workers: str) -> None:
    """Index into a new map in a separate process and print the cost."""
    beside = {"reading": Parsing(Path(root)), "resolving": Parsing(Path(root))}
    began: dict[str, float] = {}

    def note(stage: str, files_done: int, total: int) -> None:
        began.setdefault(stage, _cpu_s())
        if workers == "1" and stage in beside:
            beside[stage].advance(files_done, total)

    database = open_map(Path(path))
    began[""], wall = _cpu_s(), time.perf_counter()
    indexed = update_index(database, Path(root), workers=int(workers), progress=note)
    wall, ended = time.perf_counter() - wall, _cpu_s()
    memory, worker = _peak_mb()
    first, second = beside.values()
    reading = began["resolving"] - began[""] - first.cpu_s
    resolving = ended - began["resolving"] - second.cpu_s
    ratios: tuple[float | None, ...] = (None, None, None)
    if workers == "1":
        ratios = ((first.parse_s + second.parse_s) / 2, reading / first.parse_s, resolving / second.parse_s)
    code, size = tuple(database.fetch_rows("SELECT COUNT(*), SUM(size) FROM files WHERE language != ''")[0])
    database.close()
    wall -= first.wall_s + second.wall_s
    times = (wall, reading + resolving, *ratios)
    sizes = (memory, worker, Path(path).stat().st_size / 1e6)
    print(json.dumps((name, int(workers), indexed.files, code, size / 1e6, *times, *sizes)))


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _peak_mb() -> tuple[float, float]:
    """The most memory that this process and its largest child held."""
    unit = 1e6 if sys.platform == "darwin" else 1e6 / 1024
    own_mb, child_mb = (
        resource.getrusage(who).ru_maxrss / unit for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage says here is at least what the parent held when it started this process.
        own_mb = next(
            int(line.split()[1]) / unit for line in status.read_text().splitlines() if line.startswith("VmHWM")
        )
    return own_mb, child_mb


def measure_index(repositories: list[Repository], folder: Path) -> list[Cold]:
    """Index each repository into a new map, which is left in the folder."""
    code = "import sys; from benchmarks.mapping import cold; cold.index_once(*sys.argv[1:])"
    results: list[Cold] = []
    for repository in repositories:
        for workers in WORKERS if repository.real else WORKERS[-1:]:
            path = repository.map_in(folder)
            path.unlink(missing_ok=True)
            arguments = [repository.name, repository.root, path, workers]
            process = subprocess.run(
                [sys.executable, "-c", code, *map(str, arguments)],
                cwd=CHECKOUT,
                env=environment(),
                capture_output=True,
                check=False,
            )
            assert process.returncode == 0, process.stderr.decode()
            results.append(Cold(*json.loads(process.stdout)))
    return results


def table(cold: list[Cold]) -> dict[str, Any]:
    """Everything by repository."""
    columns = ["repository", "workers", "files", "of code", "MB of code", "wall s", "CPU s", "files of code a second"]
    columns += ["a second and core", "MB a second and core", "tree-sitter alone, CPU s", "x tree-sitter alone (CPU)"]
    columns += ["of it resolving", "peak MB", "largest worker, peak MB", "map, MB"]
    rows: list[list[Any]] = [
        [
            *(result.name, result.workers, result.files, result.code, result.code_mb, result.wall_s, result.cpu_s),
            *(result.code / result.wall_s, result.code / result.cpu_s, result.code_mb / result.cpu_s, result.parse_s),
            *((result.reading or 0) + (result.resolving or 0) or None, result.resolving),
            *(result.memory_mb, result.worker_mb if result.workers > 1 else None, result.map_mb),
        ]
        for result in cold
    ]
    return {"title": "Indexing, from nothing", "columns": columns, "rows": rows}
