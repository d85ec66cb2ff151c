"""Aider's repo map and ours on the same files, in turns."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from benchmarks.machine import environment, quantile

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.mapping.repository import Repository

ROUNDS = 3
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
from holloway.codemap.index import update_index
took = []
for _ in range(2):
    cpu, wall = time.process_time(), time.perf_counter()
    database = database if took else open_map(Path(sys.argv[2]))
    assert update_index(database, Path(sys.argv[1]), workers=1).files
    took += [(time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000]
print(json.dumps(took))
"""


Peer = dict[str, list[list[float]]]
"""By program, the figures of each round."""


def measure_peer(repository: Repository, folder: Path, python: str) -> Peer:
    """Aider's repo map and ours on the same files, in turns: what each of the rounds says."""
    root = folder / "peer"
    for path in repository.root.rglob("*.py"):
        place = root / path.relative_to(repository.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)
    own_database = folder / "peer.db"
    commands = {
        "aider, repo map": [python, "-c", _AIDER_PROCESS, str(root)],
        "holloway, index": [sys.executable, "-c", _OWN_PROCESS, str(root), str(own_database)],
    }
    rounds: Peer = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for cache in root.glob(".aider*"):
            shutil.rmtree(cache)
        own_database.unlink(missing_ok=True)
        for name, command in commands.items():
            took: list[float] = []
            for _ in range(2):
                process = subprocess.run(command, env=environment(), capture_output=True, check=False)
                assert process.returncode == 0, process.stderr.decode()
                took += json.loads(process.stdout.splitlines()[-1])
            rounds[name].append(took)
    return rounds


def table(peer: Peer | None) -> dict[str, Any]:
    """Return the table of Aider and holloway, or how to have Aider measured."""
    columns = ["on flask's Python files, one process", "cold ms", "cold, CPU ms", "once more ms", "once more, CPU ms"]
    columns += ["new process ms", "new process, CPU ms"]
    rows: list[list[Any]] = [["skipped: it needs a Python that has aider-chat (--aider PYTHON)", *[None] * 6]]
    if peer is not None:
        rows = [
            [name, *(quantile(values, 0.50) for values in list(zip(*rounds, strict=True))[:6])]
            for name, rounds in peer.items()
        ]
    return {"title": "Aider's repo map", "columns": columns, "rows": rows}
