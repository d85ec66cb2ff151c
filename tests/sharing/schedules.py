"""Random schedules of replicas that change one memory, lose messages, get them twice and in any order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from holloway.sharing.compaction import compact_log
from holloway.sharing.merge import MemoryState, fold
from holloway.sharing.operation import Operation, make_id, name_memory, parse_operation, serialize_operation

REPLICAS = tuple(f"{number:x}" * 32 for number in range(1, 9))
OWNER = REPLICAS[0]
MEMORY = name_memory(OWNER, "0" * 32)
STAMPS = ("1970-01-01T00:00:00.000Z", "2026-01-05T09:00:00.000Z", "2099-12-31T23:59:59.999Z")
"""Clocks of replicas differ by decades."""


def is_entitled(replica: str, owner: str) -> bool:
    """The owner and its second device."""
    return replica == owner or (owner == OWNER and replica == REPLICAS[1])


@dataclass
class SimulatedReplica:
    """A replica in memory: its log, and nothing else."""

    name: str
    log: dict[str, Operation] = field(default_factory=dict)
    counter: int = 0
    made: int = 0
    """Operations are numbered per replica, as random ids are in the product."""

    @property
    def state(self) -> MemoryState:
        """What this replica holds now."""
        return fold(MEMORY, self.log.values(), is_entitled)

    def write(self, changes: dict[str, Any], at: str) -> Operation:
        """Write an operation that has seen everything in this log."""
        self.counter += 1
        self.made += 1
        operation = Operation(make_id(self.name, f"{self.made:012x}"), MEMORY, self.counter, self.name, at, changes)
        self.log[operation.id] = operation
        return operation

    def change(self, name: str, value: Any, at: str) -> Operation:
        """Change a field of which versions are kept."""
        return self.write({name: {"value": value, "seen": list(self.state.heads.get(name, ()))}}, at)

    def receive(self, operations: list[Operation]) -> None:
        """Take operations from elsewhere, through the form in which they are sent."""
        for operation in operations:
            parsed = parse_operation(serialize_operation(operation), operation.replica)
            self.log.setdefault(parsed.id, parsed)
            self.counter = max(self.counter, parsed.counter)

    def compact(self) -> None:
        """Replace the own operations by their compacted form."""
        own = [operation for operation in self.log.values() if operation.replica == self.name]
        self.log = {id_: operation for id_, operation in self.log.items() if operation.replica != self.name}
        self.log |= {operation.id: operation for operation in compact_log(own)}


REPLICA_NUMBERS = st.integers(0, len(REPLICAS) - 1)
WORDS = st.sampled_from(("red", "green", "blue", ""))
STEPS = st.one_of(
    st.tuples(st.just("content"), REPLICA_NUMBERS, WORDS),
    st.tuples(st.just("visibility"), REPLICA_NUMBERS, st.sampled_from(("personal", "project", "team"))),
    st.tuples(st.just("judgement"), REPLICA_NUMBERS, st.sampled_from(("", "confirmed", "rejected", "forgotten"))),
    st.tuples(st.just("summary"), REPLICA_NUMBERS, WORDS),
    st.tuples(st.just("source"), REPLICA_NUMBERS, WORDS),
    st.tuples(st.just("tags"), REPLICA_NUMBERS, st.dictionaries(WORDS, st.booleans(), min_size=1)),
    st.tuples(st.just("uses"), REPLICA_NUMBERS, st.integers(0, 9)),
    st.tuples(st.just("erase"), REPLICA_NUMBERS, st.just(True)),
    st.tuples(st.just("send"), REPLICA_NUMBERS, REPLICA_NUMBERS),
    st.tuples(st.just("compact"), REPLICA_NUMBERS, st.none()),
)
SCHEDULES = st.lists(st.tuples(STEPS, st.sampled_from(STAMPS)), max_size=30)


def run_schedule(schedule: list[tuple[tuple[str, int, Any], str]], *, compacts: bool) -> list[SimulatedReplica]:
    """Run a schedule and return the replicas, which may all have different logs."""
    replicas = [SimulatedReplica(name) for name in REPLICAS]
    for (step, number, value), at in schedule:
        replica = replicas[number]
        if step in ("content", "visibility", "judgement"):
            replica.change(step, value, at)
        elif step == "send":
            replicas[value].receive(list(replica.log.values()))
        elif step == "compact":
            if compacts:
                replica.compact()
        else:
            replica.write({step: value}, at)
    return replicas
