"""Compaction: a replica drops what its later operations have replaced; the state stays the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holloway.sharing.operation import COUNT, ITEMS, MERGE_RULES, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.sharing.operation import Operation


def compact_log(operations: Iterable[Operation]) -> list[Operation]:
    """Return the operations of one replica without what its own later ones replace, in their order.

    Another replica's operations count for nothing here: its log may leave the remote at any time.
    """
    by_memory: dict[str, list[Operation]] = {}
    for operation in operations:
        by_memory.setdefault(operation.memory, []).append(operation)
    compacted = [operation for log in by_memory.values() for operation in _compact_memory(log)]
    return sorted(compacted, key=lambda operation: operation.order)


def _compact_memory(log: list[Operation]) -> list[Operation]:
    log = sorted(log, key=lambda operation: operation.order)
    if erasures := [operation for operation in log if operation.is_erasure()]:
        return erasures[-1:]
    compactor = _Compactor()
    trimmed = [compactor.trim(operation) for operation in reversed(log)]
    return [compactor.complete(operation) for operation in reversed(trimmed) if operation.changes]


class _Compactor:
    """Walks one memory's operations from the latest to the first; each loses what a later one already says."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()
        self._counts: dict[str, int] = {}
        self._replaced: dict[tuple[str, str], set[str]] = {}
        """The versions that each remaining version replaces, by field and id."""

    def trim(self, operation: Operation) -> Operation:
        """Return the operation with the changes that still count."""
        changes = {name: self._trim_change(operation.id, name, value) for name, value in operation.changes.items()}
        return replace(operation, changes={name: value for name, value in changes.items() if value is not None})

    def _trim_change(self, operation_id: str, name: str, value: Any) -> Any:
        """Return what is left of a change of a field; None if later operations say it all."""
        rule = MERGE_RULES.get(name)
        if rule is None:
            return value
        if rule == VERSIONS:
            return self._trim_version(operation_id, name, value)
        if rule == ITEMS:
            items = {item: member for item, member in value.items() if (name, item) not in self._said}
            self._said.update((name, item) for item in items)
            return items or None
        if rule == COUNT:
            highest = self._counts.get(name, -1)
            self._counts[name] = max(highest, value)
            return value if value > highest else None
        is_repeated = (name, "") in self._said
        self._said.add((name, ""))
        return None if is_repeated else value

    def _trim_version(self, operation_id: str, name: str, value: dict[str, Any]) -> dict[str, Any] | None:
        later = [ids for (field, _), ids in self._replaced.items() if field == name and operation_id in ids]
        if not later:
            self._replaced[name, operation_id] = set(value["seen"])
            return value
        for ids in later:
            # The version goes; those that replaced it have to say what it had replaced.
            ids.update(value["seen"])
        return None

    def complete(self, operation: Operation) -> Operation:
        """Return a remaining operation whose versions also replace what the dropped ones had replaced."""
        changes = {
            name: {**value, "seen": sorted(self._replaced[name, operation.id] - {operation.id})}
            if MERGE_RULES.get(name) == VERSIONS
            else value
            for name, value in operation.changes.items()
        }
        return replace(operation, changes=changes)
