"""Actions on all memories that a query selects, and one undo for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from holloway.config import BULK_MEMORIES_MAX
from holloway.domain.memory import ReviewReason, State, parse_choice
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.service.memory_list import build_filter
from holloway.store import bulk_changes, memory_list
from holloway.store.bulk_changes import BulkChange, ChangedMemory
from holloway.store.memories import UnknownMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway
    from holloway.service.memory_list import MemoryQuery
    from holloway.store.store import Store

Item = TypeVar("Item")
TRANSACTION_MEMORIES = 100
"""Memories that are changed in one transaction: a longer one would keep hooks from the store."""


class BulkAction(StrEnum):
    """The actions on all memories of a query."""

    CONFIRM = "confirm"
    PIN = "pin"
    UNPIN = "unpin"
    MUTE = "mute"
    UNMUTE = "unmute"
    LATER = "later"
    FORGET = "forget"


_CHANGED_FIELDS: dict[BulkAction, tuple[str, ...]] = {
    BulkAction.CONFIRM: ("state", "confidence", "review", "stale_at", "last_used_at"),
    BulkAction.PIN: ("pinned",),
    BulkAction.UNPIN: ("pinned",),
    BulkAction.MUTE: ("muted",),
    BulkAction.UNMUTE: ("muted",),
    BulkAction.LATER: ("review_after",),
    BulkAction.FORGET: ("deleted_at", "deleted_reason", "review"),
}


@dataclass(frozen=True, slots=True)
class BulkUndo:
    """An action that was undone: how many memories are as before, and how many were changed or erased since."""

    change: BulkChange
    restored: int
    skipped: int


def change_memories(
    memory: Holloway, query: MemoryQuery, action: BulkAction | str, *, expected: int | None = None
) -> BulkChange:
    """Apply an action to every memory that a query selects; returns the change, which can be undone.

    `expected` is how many memories the person saw: if another number is selected now, nothing is changed.
    Raises InvalidInput for that, for an unknown action, for forgotten memories, and for too many memories.
    """
    chosen_action = parse_choice(BulkAction, action)
    if query.forgotten:
        raise InvalidInput("Forgotten memories cannot be changed.", "`holloway restore ID` brings one back first.")
    store = memory.user if query.user else memory.store
    ids = memory_list.list_ids(store.database, build_filter(memory, query), BULK_MEMORIES_MAX + 1)
    if len(ids) > BULK_MEMORIES_MAX:
        raise InvalidInput(f"More than {BULK_MEMORIES_MAX:,} memories are selected.", "Choose fewer with a filter.")
    if expected is not None and expected != len(ids):
        raise InvalidInput(
            f"{len(ids):,} memories are selected now, not {expected:,}; nothing was changed.", "Look at the list again."
        )
    return apply_action(memory, ids, chosen_action, user=query.user)


def apply_action(memory: Holloway, ids: Sequence[str], action: BulkAction, *, user: bool = False) -> BulkChange:
    """Apply an action to memories, given by id, as one change that can be undone."""
    store = memory.user if user else memory.store
    change, at = memory.opened.ids.new(), format_stamp(memory.clock.now())
    bulk_changes.add_change(store.database, change, at, action)
    apply = _choose_editor_call(memory, action)
    for batch in _split_batches(ids):
        with store.database.write_transaction():
            items = [_change_memory(store, memory_id, action, apply) for memory_id in batch]
            bulk_changes.add_items(store.database, change, [item for item in items if item is not None])
    return _find_change(store, change)


def _split_batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + TRANSACTION_MEMORIES] for start in range(0, len(items), TRANSACTION_MEMORIES))


def _choose_editor_call(memory: Holloway, action: BulkAction) -> Callable[[str], object]:
    calls: dict[BulkAction, Callable[[str], object]] = {
        BulkAction.CONFIRM: memory.confirm,
        BulkAction.PIN: memory.pin,
        BulkAction.UNPIN: lambda memory_id: memory.pin(memory_id, on=False),
        BulkAction.MUTE: memory.mute,
        BulkAction.UNMUTE: lambda memory_id: memory.mute(memory_id, on=False),
        BulkAction.LATER: memory.later,
        BulkAction.FORGET: lambda memory_id: memory.forget([memory_id]),
    }
    return calls[action]


def _change_memory(
    store: Store, memory_id: str, action: BulkAction, apply: Callable[[str], object]
) -> ChangedMemory | None:
    """Apply an action to one memory; None if it is gone, or already as the action would make it."""
    if not store.memories.has_memory(memory_id):
        return None
    before = store.memories.get_memory(memory_id)
    if not before.is_alive or _is_done(before, action):
        return None
    apply(memory_id)
    fields = {name: _to_json(getattr(before, name)) for name in _CHANGED_FIELDS[action]}
    return ChangedMemory(memory_id, fields, store.memories.get_memory(memory_id).updated_at)


def _is_done(memory: Memory, action: BulkAction) -> bool:
    """Return whether a memory is pinned or muted, or neither, as an action would make it."""
    if action in (BulkAction.PIN, BulkAction.UNPIN):
        return memory.pinned is (action is BulkAction.PIN)
    return action in (BulkAction.MUTE, BulkAction.UNMUTE) and memory.muted is (action is BulkAction.MUTE)


def _to_json(value: Any) -> Any:
    return str(value) if isinstance(value, StrEnum) else value


def list_undoable(memory: Holloway, *, user: bool = False) -> list[BulkChange]:
    """Return the latest actions that can be undone, newest first."""
    store = memory.user if user else memory.store
    return [change for change in bulk_changes.list_changes(store.database) if not change.undone_at]


def undo_change(memory: Holloway, change_id: str = "", *, user: bool = False) -> BulkUndo:
    """Undo an action, or the latest one; a memory that was changed again since stays as it is.

    Raises InvalidInput if there is no such action, or it was undone before.
    """
    store = memory.user if user else memory.store
    undoable = list_undoable(memory, user=user)
    change = next((change for change in undoable if change_id in ("", change.id)), None)
    if change is None:
        raise InvalidInput("There is no such action to undo.", "The latest twenty can be undone, each once.")
    restored_count, items = 0, bulk_changes.list_items(store.database, change.id)
    for batch in _split_batches(items):
        with store.database.write_transaction():
            restored_count += sum(_restore_memory(store, item, change.action) for item in batch)
    bulk_changes.mark_undone(store.database, change.id, format_stamp(memory.clock.now()))
    return BulkUndo(change, restored_count, len(items) - restored_count)


def _restore_memory(store: Store, item: ChangedMemory, action: str) -> bool:
    """Give a memory the fields that it had before an action; return False if it was changed or erased since."""
    try:
        stored = store.memories.get_memory(item.memory)
    except UnknownMemory:
        return False
    if stored.id != item.memory or stored.updated_at != item.revision:
        return False
    if action == BulkAction.FORGET:
        store.memories.unreject_memory(stored)
    store.memories.update_memory(stored, "undone", f"{action} of several memories", **_parse_fields(item.before))
    return True


def _parse_fields(before: dict[str, Any]) -> dict[str, Any]:
    parsed = dict(before)
    if "state" in parsed:
        parsed["state"] = State(parsed["state"])
    if parsed.get("review"):
        parsed["review"] = ReviewReason(parsed["review"])
    return parsed


def _find_change(store: Store, change_id: str) -> BulkChange:
    return next(change for change in bulk_changes.list_changes(store.database) if change.id == change_id)
