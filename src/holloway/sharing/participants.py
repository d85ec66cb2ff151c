"""The replicas that take part in sharing: which of them count here, and which act for the same person."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holloway.sharing.merge import fold
from holloway.sharing.operation import parse_operation
from holloway.store import operation_log
from holloway.store.operation_log import ACCEPTED, OWN, REFUSED, STRANGER

if TYPE_CHECKING:
    from holloway.sharing.operation import Operation
    from holloway.store.operation_log import Replica
    from holloway.store.store import Store

APPLIED_KEY = "sharing_participants"
"""Key of the participants with whom rows were last compared with the shared state."""


@dataclass(frozen=True, slots=True)
class Participants:
    """The replicas that count here, and which of them are devices of one person."""

    own: str
    accepted: frozenset[str]
    devices: dict[str, frozenset[str]]
    """For each replica that named others as devices of the same person, those others."""
    refused: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    """The person and device of each replica, as a person reads them."""

    def is_entitled(self, replica: str, owner: str) -> bool:
        """Return whether a replica acts for the owner of a memory."""
        return replica == owner or replica in self.devices.get(owner, frozenset())

    def is_mine(self, replica: str) -> bool:
        """Return whether a replica is a device of the person here: this one named it."""
        return self.is_entitled(replica, self.own)

    def list_people(self, replicas: Iterable[str]) -> list[str]:
        """Return one replica of each person among these: replicas of which one named the other are one person's."""
        people: list[str] = []
        for replica in sorted({*replicas} & self.accepted):
            if not any(self.is_entitled(replica, other) or self.is_entitled(other, replica) for other in people):
                people.append(replica)
        return people

    def counts(self, operation: Operation) -> bool:
        """Return whether an operation has an effect: a stranger only changes the memories that they own."""
        return operation.replica in self.accepted or operation.replica == operation.owner

    def describe_author(self, replica: str) -> str:
        """Return the person and device of a replica, as a person reads them."""
        return self.names.get(replica, replica[:12])


def load_participants(store: Store) -> Participants:
    """Return the replicas that count in a store."""
    replicas = operation_log.list_replicas(store.database)
    standings: dict[str, set[str]] = {}
    for replica in replicas:
        standings.setdefault(replica.standing, set()).add(replica.replica)
    own = next(iter(standings.get(OWN, ())), "")
    accepted = standings.get(OWN, set()) | standings.get(ACCEPTED, set())
    refused = standings.get(REFUSED, set())
    devices = _fold_devices(store, replicas)
    # Who is accepted vouches for their own other devices.
    vouched = {device for replica in accepted for device in devices.get(replica, ())}
    names = {replica.replica: f"{replica.author} ({replica.device})" for replica in replicas}
    return Participants(own, frozenset(accepted | (vouched - refused)), devices, frozenset(refused), names)


def _fold_devices(store: Store, replicas: Iterable[Replica]) -> dict[str, frozenset[str]]:
    records: dict[str, list[Operation]] = {f"{replica.replica}/": [] for replica in replicas}
    for row in operation_log.list_operations(store.database, list(records)):
        records[row.memory].append(parse_operation(row.body, row.replica))
    devices: dict[str, frozenset[str]] = {}
    for record, operations in records.items():
        replica = record.rstrip("/")
        state = fold(record, operations, lambda writer, owner: writer == owner)
        if others := frozenset(state.items.get("devices", ())) - {replica}:
            devices[replica] = others
    return devices


def accept_replica(store: Store, replica: Replica) -> None:
    """Accept a replica: from the next time on that rows are compared with the shared state, its words count."""
    operation_log.save_replica(store.database, replica._replace(standing=ACCEPTED))
    operation_log.follow_counter(store.database, operation_log.find_highest_counter(store.database, replica.replica))


def accept_devices(store: Store) -> None:
    """Accept the unknown replicas that an accepted one named as its devices."""
    participants = load_participants(store)
    for replica in operation_log.list_replicas(store.database):
        if replica.standing == STRANGER and replica.replica in participants.accepted:
            accept_replica(store, replica)


def list_affected(store: Store, participants: Participants) -> list[str]:
    """Return the shared names of memories to which other replicas have a right than when rows were last compared.

    A change of who acts for whom, or of who counts, concerns what these replicas own and what they wrote about.
    """
    text = store.get_meta(APPLIED_KEY)
    before, now = (json.loads(text) if text else {}), _describe_rights(participants)
    replicas: set[str] = set()
    for group in ("accepted", "refused"):
        replicas.update({*before.get(group, ())} ^ {*now[group]})
    devices_before, devices_now = before.get("devices", {}), now["devices"]
    for owner in {*devices_before, *devices_now}:
        if changed := {*devices_before.get(owner, ())} ^ {*devices_now.get(owner, ())}:
            replicas |= {owner, *changed}
    names = {name for replica in replicas for name in operation_log.list_memories_of(store.database, replica)}
    return sorted(names)


def save_participants(store: Store, participants: Participants) -> None:
    """Record that all rows were compared with the shared state as it is with these participants."""
    store.set_meta(APPLIED_KEY, json.dumps(_describe_rights(participants), sort_keys=True))


def _describe_rights(participants: Participants) -> dict[str, Any]:
    return {
        "accepted": sorted(participants.accepted),
        "refused": sorted(participants.refused),
        "devices": {owner: sorted(devices) for owner, devices in participants.devices.items()},
    }
