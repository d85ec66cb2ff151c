"""The recorder: writes an operation for every change of a shared memory, in the transaction of the change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holloway.domain.memory import Source
from holloway.domain.ports import format_stamp
from holloway.sharing.merge import CONFIRMED
from holloway.sharing.operation import Operation, make_id, name_memory, parse_operation, serialize_operation
from holloway.sharing.quotes import dump_ticked_quotes
from holloway.sharing.shared_fields import compare_values, compress_values, describe_memory, explain_refusal
from holloway.store import operation_log
from holloway.store.attribution import CONFIRMED_BY
from holloway.store.filter import EVERYTHING
from holloway.store.operation_log import LoggedOperation, SharedMemory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.domain.memory import Memory
    from holloway.store.store import Store


class Recorder:
    """Records what changes in one store while sharing is on. Nothing is recorded before."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._database = store.database

    def record_memory(self, memory: Memory) -> Operation | None:
        """Record what changed in a memory since it was last compared; None if nothing did, or it stays here."""
        settings = operation_log.read_settings(self._database)
        if not settings.get("replica"):
            return None
        replica, personal = settings["replica"], bool(settings.get("personal"))
        with self._database.write_transaction():
            shared = operation_log.find_shared(self._database, uid=memory.uid)
            if shared is None and explain_refusal(memory, personal=personal):
                return None
            shared = shared or SharedMemory(name_memory(replica, memory.uid), memory.uid, {})
            return self._record_changes(replica, shared, memory, personal=personal)

    def _record_changes(
        self, replica: str, shared: SharedMemory, memory: Memory, *, personal: bool
    ) -> Operation | None:
        now = self.describe_memory(memory)
        before, heads = shared.base.get("local", {}), shared.base.get("heads", {})
        if not compare_values(before, now, heads):
            return None  # without scanning the text again
        only_ending = bool(explain_refusal(memory, personal=personal))
        changes = compare_values(before, now, heads, only_ending=only_ending)
        if not changes:
            return None
        operation = self.add_operation(replica, shared.memory, changes)
        compressed = compress_values(now)
        local = before | {name: compressed[name] for name in changes}
        heads = heads | {name: [operation.id] for name in ("content", "visibility", "judgement") if name in changes}
        base = {**shared.base, "local": local, "heads": heads}
        if "judgement" in changes:
            others = [person for person in base.get(CONFIRMED_BY, ()) if person != replica]
            base[CONFIRMED_BY] = sorted([*others, replica]) if now["judgement"] == CONFIRMED else others
        operation_log.save_shared(self._database, shared._replace(base=base))
        operation_log.set_sent_uses(self._database, shared.memory, memory.use_count)
        return operation

    def describe_memory(self, memory: Memory) -> dict[str, Any]:
        """Return the fields of a memory as they are sent, with its quotes if the person ticked them."""
        flags = operation_log.count_flags(self._database, memory.id)
        values = describe_memory(memory, self.name_memory, flags)
        return (
            values
            if memory.source is Source.COLLEAGUE
            else values | {"quotes": dump_ticked_quotes(self._store, memory)}
        )

    def record_waiting(self) -> int:
        """Record what changed without being heard of: counts of uses, released branches; return how many memories."""
        memories = [self._store.memories.get_memory(id_) for id_ in operation_log.list_unrecorded(self._database)]
        with self._database.write_transaction():
            return sum(self.record_memory(memory) is not None for memory in memories)

    def record_everything(self) -> None:
        """Record one operation for each memory that may leave and was not recorded yet."""
        with self._database.write_transaction():
            for memory in self._store.memories.find_memories(EVERYTHING, -1):
                self.record_memory(memory)

    def record_erasure(self, memories: Iterable[Memory]) -> list[str]:
        """Record that shared memories were erased, before their rows go; return their shared names."""
        replica = operation_log.read_settings(self._database).get("replica")
        names: list[str] = []
        with self._database.write_transaction():
            for memory in memories:
                shared = operation_log.find_shared(self._database, uid=memory.uid) if replica else None
                if shared is not None:
                    self.add_operation(str(replica), shared.memory, {"erase": True})
                    names.append(shared.memory)
        return names

    def add_operation(self, replica: str, memory: str, changes: dict[str, Any]) -> Operation:
        """Add an operation of this replica to the log."""
        with self._database.write_transaction():
            counter = operation_log.advance_counter(self._database, operation_log.read_counter(self._database) + 1)
            operation = Operation(
                id=make_id(replica, self._store.ids.new()),
                memory=memory,
                counter=counter,
                replica=replica,
                at=format_stamp(self._store.clock.now()),
                changes=changes,
            )
            operation_log.add_operations(self._database, [to_row(operation)], is_incoming=False)
        return operation

    def name_memory(self, memory_id: str) -> str:
        """Return the shared name of a memory by its local id; empty if it is not shared."""
        return operation_log.find_shared_name(self._database, memory_id)


def finish_erasure(store: Store, names: list[str]) -> list[str]:
    """Delete what the log has of memories whose rows were erased; return what is left to be done elsewhere."""
    if not names:
        return []
    database = store.database
    with database.write_transaction():
        for name in names:
            shared = operation_log.find_shared(database, memory=name)
            if shared is not None:
                operation_log.save_shared(database, shared._replace(base={}, status=operation_log.ERASED))
        operation_log.delete_operations(database, names)
        operation_log.set_rewrite(database, is_due=True)
    database.truncate_wal()
    return ["the copy on the shared remote, which the next `holloway sync` takes back"]


def to_row(operation: Operation) -> LoggedOperation:
    """Return an operation as a row of the log."""
    body = serialize_operation(operation)
    return LoggedOperation(
        operation.id, operation.memory, operation.replica, operation.counter, body, operation.is_erasure()
    )


def from_row(row: LoggedOperation) -> Operation:
    """Return the operation of a row of the log."""
    return parse_operation(row.body, row.replica)
