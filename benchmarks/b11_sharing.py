"""B11, sharing: how fast do many devices agree, and how large is what they share?

python -m benchmarks --only b11_sharing
"""

from __future__ import annotations

import random
import resource
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from dataclasses import replace as change
from pathlib import Path
from typing import TYPE_CHECKING, Any

import holloway
from benchmarks.generated import SEED
from benchmarks.generated.corpus import Corpus
from benchmarks.targets import target
from holloway.domain.memory import Source, Visibility
from holloway.sharing.incoming import fold_memories
from holloway.sharing.merge import digest_states
from holloway.sharing.participants import load_participants
from holloway.store import operation_log
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holloway.sharing.membership import Membership

MEMORIES, REPLICAS, EDITS, ROUNDS = 10_000, 20, 40, 3
QUICK_MEMORIES, QUICK_REPLICAS, QUICK_ROUNDS = 200, 4, 1
EDITED_AMONG = 200
"""The newest memories, of which each device edits some."""
FRESH_MAX_S, ROUND_P95_MAX_S, HUB_MAX_MB = 20.0, 1.0, 5.0
JOIN, ACCEPT = "a newcomer joins: fetch, verify, store in quarantine", "and accepts everybody"
FIRST, ROUND, IDLE = "a device gets the others' memories", "a round of 40 edits, each device", "nothing to exchange"
PROTOTYPE = [
    ["first exchange, each device (push, fetch, read, apply)", "5.9 s"],
    ["a round of 40 edits, each device (push, fetch, read)", "0.5 to 0.9 s"],
    ["a newcomer, without checks of what it reads", "9.7 s"],
    ["hub with 10,000 memories", "3.6 MB"],
]
HOW = [
    "Devices share memories through a real bare repository on this disk. Each is a data folder with its own database "
    "and key; they exchange one after the other in one process. Memories are generated from a seed, as for b7_store.",
    "All devices but the newcomer accepted each other before. In a round the devices edit 40 of the newest memories "
    "between them, and each exchanges once. Every text passes the secret scanner and the gate against instructions "
    "wherever it arrives.",
    "CPU time is that of this process and of all processes of git, the remote's side included. The hub is measured "
    "after `git gc`. The memories are without vectors: each device computes them in the background.",
    "The prototype was a program of some hundred lines with the same merge, one ref for each device, and neither a "
    "database, signatures nor checks; it was measured on a machine of the same kind under load.",
]


@dataclass(slots=True)
class Timing:
    """Wall clock and CPU time of one kind of exchange."""

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Add the time that the block takes."""
        cpu, wall = _measure_cpu_s(), time.perf_counter()
        yield
        self.wall_s.append(time.perf_counter() - wall)
        self.cpu_s.append(_measure_cpu_s() - cpu)


@dataclass(slots=True)
class Figures:
    """Everything that one run measured."""

    memories: int
    replicas: int
    timings: dict[str, Timing] = field(
        default_factory=lambda: {name: Timing() for name in (FIRST, ROUND, IDLE, JOIN, ACCEPT)}
    )
    rejected: int = 0
    conflicts: int = 0
    states: set[str] = field(default_factory=set)
    newcomer_memories: int = 0
    newcomer_ids: int = 0
    hub_bytes: int = 0


def run(*, quick: bool = False) -> dict[str, Any]:
    """Share, edit in rounds, let a newcomer join, and compare all states."""
    sizes = (QUICK_MEMORIES, QUICK_REPLICAS, QUICK_ROUNDS) if quick else (MEMORIES, REPLICAS, ROUNDS)
    return _build_result(measure(*sizes))


def measure(memories: int, replicas: int, rounds: int) -> Figures:
    """Return what a team of that size takes."""
    figures = Figures(memories, replicas)
    with tempfile.TemporaryDirectory() as name:
        team = _Team(Path(name), replicas, figures)
        team.form()
        team.share(memories)
        for number in range(rounds):
            team.edit(number)
        team.settle()
        team.welcome()
        team.weigh()
    return figures


class _Team:
    """Devices that share one project."""

    def __init__(self, folder: Path, replicas: int, figures: Figures) -> None:
        self._root, self._hub = folder / "shop", folder / "hub.git"
        self._homes = [folder / f"device-{number}" for number in range(replicas)]
        self._newcomer = folder / "newcomer"
        self._figures = figures
        self._corpus = Corpus(SEED)
        identity = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
        subprocess.run(["git", "init", "-q", "-b", "main", str(self._root)], check=True)
        subprocess.run(["git", *identity, "commit", "-q", "--allow-empty", "-m", "first"], cwd=self._root, check=True)
        subprocess.run(["git", "init", "-q", "--bare", str(self._hub)], check=True)

    @contextmanager
    def _open(self, home: Path) -> Iterator[tuple[holloway.Holloway, Membership]]:
        with holloway.open(self._root, home=home) as memory:
            yield memory, memory.sharing().membership

    def _join(self, home: Path) -> None:
        with self._open(home) as (_, membership):
            membership.start(str(self._hub), (), author=home.name, device="laptop")
            membership.synchronize()

    def form(self) -> None:
        """Let all devices join and accept each other."""
        for home in self._homes:
            self._join(home)
        for home in self._homes:
            with self._open(home) as (_, membership):
                membership.synchronize()
                membership.accept("all")

    def share(self, memories: int) -> None:
        """Let each device share its part of the memories and get those of the others."""
        replicas = len(self._homes)
        for number, home in enumerate(self._homes):
            share = (number + 1) * memories // replicas - number * memories // replicas
            with self._open(home) as (memory, membership):
                with memory.store.database.write_transaction():
                    self._write_memories(memory, share)
                membership.synchronize()
        for home in self._homes:
            with self._open(home) as (_, membership), self._figures.timings[FIRST].measure():
                membership.synchronize()

    def _write_memories(self, memory: holloway.Holloway, count: int) -> None:
        written = 0
        while written < count:
            draft = change(self._corpus.draft(), visibility=Visibility.PROJECT, chosen=True, source=Source.USER_TAUGHT)
            written += memory.store.memories.add_memory(sanitize_draft(draft)).outcome == "added"

    def edit(self, round_number: int) -> None:
        """Let each device edit its share of the 40, then exchange once."""
        rng = random.Random(SEED + round_number)
        for number, home in enumerate(self._homes):
            with self._open(home) as (memory, membership):
                for card in rng.sample(memory.memories(limit=EDITED_AMONG), max(1, EDITS // len(self._homes))):
                    memory.edit(card.id, content=f"{card.content} Seen again by {number} in {round_number}.")
                with self._figures.timings[ROUND].measure():
                    self._exchange(membership)

    def _exchange(self, membership: Membership) -> None:
        try:
            membership.synchronize()
        except holloway.HollowayError:
            self._figures.rejected += 1

    def settle(self) -> None:
        """Let everybody get the last edits, then exchange once more without any."""
        for home in self._homes:
            with self._open(home) as (_, membership):
                self._exchange(membership)
        for home in self._homes:
            with self._open(home) as (memory, membership):
                with self._figures.timings[IDLE].measure():
                    self._exchange(membership)
                database = memory.store.database
                names = operation_log.list_all_memories(database)
                states = fold_memories(memory.store, names, load_participants(memory.store))
                self._figures.states.add(digest_states(states))
                self._figures.conflicts = sum(state.has_conflict for state in states)

    def welcome(self) -> None:
        """Let a newcomer join, and accept everybody."""
        with self._open(self._newcomer) as (memory, membership):
            with self._figures.timings[JOIN].measure():
                membership.start(str(self._hub), (), author="newcomer", device="laptop")
                membership.synchronize()
            with self._figures.timings[ACCEPT].measure():
                membership.accept("all")
            cards = memory.memories(limit=-1)
            self._figures.newcomer_memories = len(cards)
            self._figures.newcomer_ids = len({card.id for card in cards})

    def weigh(self) -> None:
        """Measure the hub."""
        subprocess.run(["git", "-C", str(self._hub), "gc", "-q", "--prune=now"], check=True)
        self._figures.hub_bytes = sum(path.stat().st_size for path in self._hub.rglob("*") if path.is_file())


def _measure_cpu_s() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _find_percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _build_result(figures: Figures) -> dict[str, Any]:
    size = f"{figures.memories:,} memories, {figures.replicas} devices"
    return {
        "title": "B11: sharing over git",
        "question": f"How long do {figures.replicas} devices take to agree on {figures.memories:,} memories, how long "
        "a newcomer to get them, and how large is the remote?",
        "how": HOW,
        "seed": SEED,
        "targets": _list_targets(figures),
        "tables": [
            {
                "title": f"Exchanges: {size}",
                "columns": ["exchange", "times", "p50 s", "p95 s", "CPU p50 s", "CPU p95 s"],
                "rows": [_describe_timing(name, timing) for name, timing in figures.timings.items()],
            },
            {
                "title": "The same in the prototype, wall clock",
                "columns": ["exchange", "prototype"],
                "rows": PROTOTYPE,
            },
            {"title": "After the run", "columns": ["what", "number"], "rows": _list_numbers(figures)},
        ],
    }


def _describe_timing(name: str, timing: Timing) -> list[Any]:
    values = [
        round(_find_percentile(series, percent), 3) for series in (timing.wall_s, timing.cpu_s) for percent in (50, 95)
    ]
    return [name, len(timing.wall_s), *values]


def _list_targets(figures: Figures) -> list[dict[str, Any]]:
    newcomer = [figures.timings[name] for name in (JOIN, ACCEPT)]
    rounds = figures.timings[ROUND]
    return [
        target("newcomer joins and accepts, wall", sum(timing.wall_s[0] for timing in newcomer), FRESH_MAX_S, "s"),
        target("newcomer joins and accepts, CPU", sum(timing.cpu_s[0] for timing in newcomer), FRESH_MAX_S, "s"),
        target("round of 40 edits, p95, wall", _find_percentile(rounds.wall_s, 95), ROUND_P95_MAX_S, "s"),
        target("round of 40 edits, p95, CPU", _find_percentile(rounds.cpu_s, 95), ROUND_P95_MAX_S, "s"),
        target("hub without vectors", figures.hub_bytes / 2**20, HUB_MAX_MB, "MB"),
        target("states that differ", len(figures.states) - 1, 0, "states"),
        target("rejected pushes", figures.rejected, 0, "pushes"),
        target("colliding ids", figures.newcomer_memories - figures.newcomer_ids, 0, "ids"),
        target("memories that a newcomer lacks", figures.memories - figures.newcomer_memories, 0, "memories"),
    ]


def _list_numbers(figures: Figures) -> list[list[Any]]:
    return [
        ["different states", len(figures.states)],
        ["memories in conflict, for people to decide", figures.conflicts],
        ["memories of the newcomer", figures.newcomer_memories],
        ["different short ids there", figures.newcomer_ids],
        ["bytes of the hub", figures.hub_bytes],
    ]
