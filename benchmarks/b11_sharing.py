"""B11, sharing: how fast do many devices agree, and how large is what they share?

python -m benchmarks.b11_sharing [--quick]

Devices share memories through a real bare repository on this disk. Each one is a data folder with its own database and
key; they exchange one after the other in one process, 40 edits in a round. At the end a newcomer joins. Seconds are
wall time on a machine that may be busy; CPU seconds count this process and its git. The hub is measured after `git gc`.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import holloway
from holloway.domain.memory import Draft, Visibility
from holloway.sharing.incoming import fold_memories
from holloway.sharing.merge import digest_states
from holloway.sharing.participants import load_participants
from holloway.store import operation_log
from holloway.store.write_gate import sanitize_draft

MEMORIES, REPLICAS, EDITS, ROUNDS = 10_000, 20, 40, 3
QUICK_MEMORIES, QUICK_REPLICAS = 200, 4


@dataclass(slots=True)
class Figures:
    """What was measured."""

    first_s: list[float] = field(default_factory=list)
    round_s: list[float] = field(default_factory=list)
    round_cpu_s: list[float] = field(default_factory=list)
    rejected: int = 0


def measure(memories: int = MEMORIES, replicas: int = REPLICAS, rounds: int = ROUNDS) -> dict[str, Any]:
    """Share, edit in rounds, let a newcomer join, and compare all states."""
    with tempfile.TemporaryDirectory() as folder:
        root, hub = _make_project(Path(folder)), Path(folder) / "hub.git"
        subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
        figures = Figures()
        homes = [Path(folder) / f"device-{number}" for number in range(replicas)]
        for home in homes:
            _join(root, home, hub)
        for home in homes:
            _accept_and_exchange(root, home)
        for number, home in enumerate(homes):
            _share(root, home, range(number * memories // replicas, (number + 1) * memories // replicas))
        for home in homes:
            figures.first_s.append(_exchange(root, home))
        for round_number in range(rounds):
            for number, home in enumerate(homes):
                _edit_and_exchange(root, home, round_number, number, max(1, EDITS // replicas), figures)
        for home in homes:
            _exchange(root, home)
        digests = {_digest(root, home) for home in homes}
        fresh = Path(folder) / "fresh"
        began, cpu = time.perf_counter(), _cpu_s()
        with holloway.open(root, home=fresh) as memory:
            membership = memory.sharing().membership
            membership.start(str(hub), (), author="newcomer", device="laptop")
            membership.synchronize()
            fresh_s, fresh_cpu_s = time.perf_counter() - began, _cpu_s() - cpu
            membership.accept("all")
            texts, ids = len(memory.memories(limit=-1)), {card.id for card in memory.memories(limit=-1)}
        subprocess.run(["git", "-C", str(hub), "gc", "-q", "--prune=now"], check=True)
        return {
            "memories": memories,
            "replicas": replicas,
            "states": len(digests),
            "first_exchange_s": round(max(figures.first_s), 2),
            "round_p50_s": round(quantiles(figures.round_s, n=20)[9], 3),
            "round_p95_s": round(quantiles(figures.round_s, n=20)[18], 3),
            "round_cpu_p95_s": round(quantiles(figures.round_cpu_s, n=20)[18], 3),
            "fresh_s": round(fresh_s, 2),
            "fresh_cpu_s": round(fresh_cpu_s, 2),
            "fresh_memories": texts,
            "fresh_ids": len(ids),
            "hub_bytes": sum(path.stat().st_size for path in hub.rglob("*") if path.is_file()),
            "rejected_pushes": figures.rejected,
        }


def _make_project(folder: Path) -> Path:
    root = folder / "shop"
    root.mkdir()
    identity = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
    for arguments in (("init", "-q", "-b", "main"), (*identity, "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


def _write_text(number: int) -> str:
    return (
        f"Module {number % 97} hangs in step {number} unless SETTING_{number % 1009} is set, because the worker of "
        f"queue {number % 31} waits for lock {number * 7919 % 100_003} and nobody releases it in test {number % 211}."
    )


def _join(root: Path, home: Path, hub: Path) -> None:
    with holloway.open(root, home=home) as memory:
        membership = memory.sharing().membership
        membership.start(str(hub), (), author=home.name, device="laptop")
        membership.synchronize()


def _share(root: Path, home: Path, numbers: range) -> None:
    with holloway.open(root, home=home) as memory:
        with memory.store.database.write_transaction():
            for number in numbers:
                draft = Draft(
                    _write_text(number),
                    files=(f"src/part{number % 97}.py",),
                    tags=(f"queue{number % 31}",),
                    visibility=Visibility.PROJECT,
                    chosen=True,
                )
                memory.store.memories.add_memory(sanitize_draft(draft))
        memory.sharing().membership.synchronize()


def _accept_and_exchange(root: Path, home: Path) -> None:
    with holloway.open(root, home=home) as memory:
        membership = memory.sharing().membership
        membership.synchronize()
        membership.accept("all")


def _exchange(root: Path, home: Path) -> float:
    with holloway.open(root, home=home) as memory:
        began = time.perf_counter()
        memory.sharing().membership.synchronize()
        return time.perf_counter() - began


def _edit_and_exchange(root: Path, home: Path, round_number: int, number: int, edits: int, figures: Figures) -> None:
    with holloway.open(root, home=home) as memory:
        cards = memory.memories(limit=edits * (round_number + 1))[-edits:]
        for card in cards:
            memory.edit(
                card.id, content=f"{card.content.split(' Device')[0]} Device {number} saw it in {round_number}."
            )
        began, cpu = time.perf_counter(), _cpu_s()
        try:
            memory.sharing().membership.synchronize()
        except holloway.HollowayError:
            figures.rejected += 1
        figures.round_s.append(time.perf_counter() - began)
        figures.round_cpu_s.append(_cpu_s() - cpu)


def _digest(root: Path, home: Path) -> str:
    with holloway.open(root, home=home) as memory:
        names = operation_log.list_all_memories(memory.store.database)
        return digest_states(fold_memories(memory.store, names, load_participants(memory.store)))


def _cpu_s() -> float:
    import resource

    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    import json
    import sys

    quick = "--quick" in sys.argv
    result = measure(QUICK_MEMORIES, QUICK_REPLICAS) if quick else measure()
    print(json.dumps(result, indent=1))
