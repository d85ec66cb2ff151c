"""The merge: the state of a shared memory is a fold of its operations, in whatever order and however often they come.

Each field is a join: the fold of the same operations is the same on every replica, byte for byte. `MERGE_RULES` in
`operation.py` is the table of rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from holloway.sharing.operation import COUNT, ITEMS, MERGE_RULES, VERSIONS, Operation, serialize_value

if TYPE_CHECKING:
    from typing import TypeAlias

    Order: TypeAlias = tuple[int, str, str]

IsEntitled = Callable[[str, str], bool]
"""Whether a replica acts for the owner of a memory: it is the owner, or the owner named it as a device."""

VISIBILITY_ORDER = ("personal", "project", "team", "organisation")
"""From the narrowest on."""
CONFIRMED, REJECTED, FORGOTTEN, LIFTED = "confirmed", "rejected", "forgotten", ""
JUDGEMENTS = (LIFTED, CONFIRMED, REJECTED, FORGOTTEN)
"""Judgements of a person about a memory, from the boldest to the most careful."""
WIDEN, ERASE = "widen", "erase"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a field that nobody has seen and replaced."""

    id: str
    replica: str
    at: str
    value: Any


@dataclass(frozen=True, slots=True)
class MemoryState:
    """The shared state of one memory: equal on every replica that has the same operations."""

    memory: str
    erased: bool = False
    content: tuple[Version, ...] = ()
    """The newest first; more than one is a conflict."""
    visibility: str = ""
    judgement: str = ""
    confirmed_by: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    """Fields of which the last writer's value holds."""
    items: dict[str, tuple[str, ...]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    proposals: tuple[tuple[str, str], ...] = ()
    """(replica, effect) of what somebody asked for without the right: rejected, forgotten, widen, erase."""
    heads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids of the versions of each such field that nobody has replaced."""

    @property
    def owner(self) -> str:
        """The replica that created the memory."""
        return self.memory.partition("/")[0]

    @property
    def uid(self) -> str:
        """The uid that its owner gave it."""
        return self.memory.partition("/")[2]

    @property
    def has_conflict(self) -> bool:
        """Whether several versions of the content wait for a person."""
        return len(self.content) > 1


def fold(memory: str, operations: Iterable[Operation], is_entitled: IsEntitled) -> MemoryState:
    """Return the state of a memory from its operations.

    Who erases it takes back everything they said of it; if they have the right, it is gone for everybody.
    """
    log = [operation for operation in operations if operation.memory == memory]
    erasers = {operation.replica for operation in log if operation.is_erasure()}
    if any(is_entitled(replica, memory.partition("/")[0]) for replica in erasers):
        return MemoryState(memory, erased=True)
    registers = _Registers()
    for operation in log:
        if operation.replica not in erasers:
            registers.add(operation)
    return registers.resolve(memory, is_entitled, erasers)


def digest_states(states: Iterable[MemoryState]) -> str:
    """Return the digest of shared state by which two replicas see that they agree."""
    ordered = sorted((asdict(state) for state in states), key=lambda state: str(state["memory"]))
    return hashlib.sha256(serialize_value(ordered).encode("utf-8", "surrogatepass")).hexdigest()


class _Registers:
    """The joins of one memory: adding an operation twice, or two in another order, gives the same registers."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], tuple[Order, str, Any]] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._versions: dict[str, dict[str, tuple[Order, str, Version]]] = {}
        self._replaced: dict[tuple[str, str], set[str]] = {}
        self._writers: dict[str, dict[str, tuple[Order, str, Any]]] = {}

    def add(self, operation: Operation) -> None:
        """Join one operation."""
        for name, value in operation.changes.items():
            rule = MERGE_RULES.get(name)
            if rule == VERSIONS:
                self._add_version(operation, name, value)
            elif rule == COUNT:
                key = (name, operation.replica)
                self._counts[key] = max(value, self._counts.get(key, 0))
            elif rule == ITEMS:
                for item, member in value.items():
                    _keep_latest(self._last, (name, item), operation, member)
            elif rule is not None:
                # Per writer, because only some writers count for some fields, and rights may come later.
                _keep_latest(self._writers.setdefault(name, {}), operation.replica, operation, value)

    def _add_version(self, operation: Operation, name: str, change: dict[str, Any]) -> None:
        version = Version(operation.id, operation.replica, operation.at, change["value"])
        entry = (operation.order, serialize_value([operation.at, change["value"]]), version)
        versions = self._versions.setdefault(name, {})
        versions[operation.id] = max(entry, versions.get(operation.id, entry), key=lambda other: other[:2])
        for replaced_id in change["seen"]:
            if replaced_id != operation.id:
                self._replaced.setdefault((name, replaced_id), set()).add(operation.replica)

    def resolve(self, memory: str, is_entitled: IsEntitled, erasers: set[str]) -> MemoryState:
        """Return the state that the registers stand for."""
        owner = memory.partition("/")[0]
        heads = {
            "content": self._list_heads("content", lambda writer, version: True),
            # Nobody takes back what the owner decided, and everybody may take back their own word.
            **{
                name: self._list_heads(
                    name, lambda writer, version: writer == version.replica or is_entitled(writer, owner)
                )
                for name in ("visibility", "judgement")
            },
        }
        visibility, wideners = _resolve_visibility(heads["visibility"], owner, is_entitled)
        judgement, judges = _resolve_judgement(heads["judgement"], owner, is_entitled)
        proposals = {*wideners, *judges, *((replica, ERASE) for replica in erasers)}
        return MemoryState(
            memory=memory,
            content=tuple(heads["content"]),
            visibility=visibility,
            judgement=judgement,
            confirmed_by=tuple(sorted({head.replica for head in heads["judgement"] if head.value == CONFIRMED})),
            values=self._resolve_values(owner, is_entitled),
            items=self._resolve_items(),
            counts=self._sum_counts(),
            proposals=tuple(sorted(proposals)),
            heads={name: tuple(sorted(head.id for head in versions)) for name, versions in heads.items() if versions},
        )

    def _list_heads(self, name: str, may_replace: Callable[[str, Version], bool]) -> list[Version]:
        entries = [
            entry
            for id_, entry in self._versions.get(name, {}).items()
            if not any(may_replace(writer, entry[2]) for writer in self._replaced.get((name, id_), ()))
        ]
        return [version for _, _, version in sorted(entries, key=lambda entry: entry[:2], reverse=True)]

    def _resolve_values(self, owner: str, is_entitled: IsEntitled) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, writers in sorted(self._writers.items()):
            heard = [
                entry
                for replica, entry in writers.items()
                if MERGE_RULES[name] != "owner" or is_entitled(replica, owner)
            ]
            if heard:
                values[name] = max(heard, key=lambda entry: entry[:2])[2]
        return values

    def _resolve_items(self) -> dict[str, tuple[str, ...]]:
        members: dict[str, list[str]] = {}
        for (name, item), (_, _, is_member) in sorted(self._last.items()):
            if is_member:
                members.setdefault(name, []).append(item)
        return {name: tuple(items) for name, items in members.items()}

    def _sum_counts(self) -> dict[str, int]:
        sums: dict[str, int] = {}
        for (name, _), number in sorted(self._counts.items()):
            sums[name] = sums.get(name, 0) + number
        return sums


def _keep_latest(register: dict[Any, tuple[Order, str, Any]], key: object, operation: Operation, value: Any) -> None:
    # A hostile replica may sign two values under one id: then the greater text holds, everywhere.
    entry = (operation.order, serialize_value(value), value)
    stored = register.get(key)
    if stored is None or entry[:2] > stored[:2]:
        register[key] = entry


def _resolve_visibility(heads: list[Version], owner: str, is_entitled: IsEntitled) -> tuple[str, set[tuple[str, str]]]:
    """Return the narrowest visibility that was asked for, and those who want it wider without the right."""
    heads = [head for head in heads if head.value in VISIBILITY_ORDER]
    rightful = [VISIBILITY_ORDER.index(head.value) for head in heads if is_entitled(head.replica, owner)]
    foreign = [head for head in heads if not is_entitled(head.replica, owner)]
    if not rightful:
        return "", {(head.replica, WIDEN) for head in foreign}
    narrowest = min(rightful)
    wideners = {(head.replica, WIDEN) for head in foreign if VISIBILITY_ORDER.index(head.value) > narrowest}
    return VISIBILITY_ORDER[narrowest], wideners


def _resolve_judgement(heads: list[Version], owner: str, is_entitled: IsEntitled) -> tuple[str, set[tuple[str, str]]]:
    """Return the most careful judgement of those who have the right, and what others propose."""
    heads = [head for head in heads if head.value in JUDGEMENTS]
    rightful = [JUDGEMENTS.index(head.value) for head in heads if is_entitled(head.replica, owner)]
    proposals = {
        (head.replica, str(head.value))
        for head in heads
        if head.value in (REJECTED, FORGOTTEN) and not is_entitled(head.replica, owner)
    }
    return JUDGEMENTS[max(rightful, default=0)], proposals
