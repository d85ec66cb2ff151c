"""An action on all memories of a filter, and its undo, which leaves later changes alone."""

import pytest

from holloway.domain.memory import ReviewReason, State
from holloway.errors import InvalidInput
from holloway.service import bulk_actions
from holloway.service.bulk_actions import BulkAction
from holloway.service.holloway import Holloway
from holloway.service.memory_list import MemoryQuery
from holloway.store import bulk_changes
from holloway.store.filter import Filter
from holloway.testing import FakeClock
from tests.service.test_memory_list import learned
from tests.store.test_memories import taught

EVERYTHING = MemoryQuery()


def fields(memory: Holloway, memory_id: str) -> tuple[object, ...]:
    stored = memory.get(memory_id)
    names = (
        "state",
        "confidence",
        "review",
        "review_after",
        "pinned",
        "muted",
        "deleted_at",
        "deleted_reason",
        "last_used_at",
    )
    return tuple(getattr(stored, name) for name in names)


@pytest.mark.parametrize("action", BulkAction)
def test_each_action_changes_all_selected_memories_and_its_undo_restores_them(
    memory: Holloway, clock: FakeClock, action: BulkAction
) -> None:
    ids = [learned(memory, f"memory number {number}", review=ReviewReason.RULE) for number in range(3)]
    if action is BulkAction.UNPIN:
        for memory_id in ids:
            memory.pin(memory_id)
    if action is BulkAction.UNMUTE:
        for memory_id in ids:
            memory.mute(memory_id)
    other = taught(memory, "We chose JWT", type="decision").id
    before = {memory_id: fields(memory, memory_id) for memory_id in (*ids, other)}
    clock.advance(days=1)
    query = MemoryQuery(types=(memory.get(ids[0]).type,))
    change = bulk_actions.change_memories(memory, query, action, expected=3)
    assert (change.action, change.memories) == (action, 3)
    assert all(fields(memory, memory_id) != before[memory_id] for memory_id in ids)
    assert fields(memory, other) == before[other]
    clock.advance(days=1)
    undone = bulk_actions.undo_change(memory)
    assert (undone.change.id, undone.restored, undone.skipped) == (change.id, 3, 0)
    assert {memory_id: fields(memory, memory_id) for memory_id in (*ids, other)} == before
    assert memory.store.memories.get_history(ids[0])[-1][1] == "undone"


def test_a_memory_that_was_forgotten_and_restored_by_undo_can_be_learned_again(memory: Holloway) -> None:
    learned(memory, "memory number 1")
    bulk_actions.change_memories(memory, EVERYTHING, "forget")
    assert memory.store.memories.is_rejected("memory number 1")
    bulk_actions.undo_change(memory)
    assert not memory.store.memories.is_rejected("memory number 1")


def test_a_memory_that_was_changed_again_is_not_undone(memory: Holloway, clock: FakeClock) -> None:
    first, second, third = (learned(memory, f"memory number {number}") for number in range(3))
    bulk_actions.change_memories(memory, EVERYTHING, "confirm")
    clock.advance(days=1)
    memory.edit(first, content="another text")
    memory.forget([second], hard=True)
    undone = bulk_actions.undo_change(memory)
    assert (undone.restored, undone.skipped) == (1, 1)
    assert memory.get(first).state is State.CONFIRMED
    assert memory.get(third).state is State.UNCONFIRMED


def test_an_action_is_undone_once(memory: Holloway) -> None:
    learned(memory, "memory number 1")
    with pytest.raises(InvalidInput, match="no such action"):
        bulk_actions.undo_change(memory)
    first = bulk_actions.change_memories(memory, EVERYTHING, "pin")
    assert [change.id for change in bulk_actions.list_undoable(memory)] == [first.id]
    bulk_actions.undo_change(memory, first.id)
    with pytest.raises(InvalidInput, match="no such action"):
        bulk_actions.undo_change(memory, first.id)


def test_the_latest_action_is_undone_first(memory: Holloway, clock: FakeClock) -> None:
    learned(memory, "memory number 1")
    bulk_actions.change_memories(memory, EVERYTHING, "confirm")
    clock.advance(seconds=1)
    latest = bulk_actions.change_memories(memory, EVERYTHING, "pin")
    assert bulk_actions.undo_change(memory).change.id == latest.id


def test_nothing_is_changed_if_another_number_is_selected_than_the_person_saw(memory: Holloway) -> None:
    memory_id = learned(memory, "memory number 1")
    with pytest.raises(InvalidInput, match="1 memories are selected now, not 2; nothing was changed"):
        bulk_actions.change_memories(memory, EVERYTHING, "forget", expected=2)
    assert memory.get(memory_id).is_alive


def test_forgotten_memories_and_unknown_actions_are_refused(memory: Holloway) -> None:
    with pytest.raises(InvalidInput, match="Forgotten memories cannot be changed"):
        bulk_actions.change_memories(memory, MemoryQuery(forgotten=True), "confirm")
    with pytest.raises(InvalidInput, match="There is no bulk action 'burn'"):
        bulk_actions.change_memories(memory, EVERYTHING, "burn")


def test_too_many_memories_are_refused(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_actions, "BULK_MEMORIES_MAX", 1)
    for number in range(2):
        learned(memory, f"memory number {number}")
    with pytest.raises(InvalidInput, match="More than 1 memories"):
        bulk_actions.change_memories(memory, EVERYTHING, "pin")


def test_memories_that_are_already_pinned_are_not_part_of_the_change(memory: Holloway) -> None:
    first, second = (learned(memory, f"memory number {number}") for number in range(2))
    memory.pin(first)
    assert bulk_actions.change_memories(memory, EVERYTHING, "pin").memories == 1
    bulk_actions.undo_change(memory)
    assert (memory.get(first).pinned, memory.get(second).pinned) == (True, False)


def test_many_memories_are_changed_in_short_transactions(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_actions, "TRANSACTION_MEMORIES", 2)
    for number in range(5):
        learned(memory, f"memory number {number}")
    commits: list[str] = []
    memory.store.database.connection.set_trace_callback(
        lambda statement: commits.append(statement) if statement == "COMMIT" else None
    )
    assert bulk_actions.change_memories(memory, EVERYTHING, "confirm").memories == 5
    memory.store.database.connection.set_trace_callback(None)
    assert len(commits) == 1 + 3


def test_only_the_latest_actions_are_kept(memory: Holloway, clock: FakeClock) -> None:
    learned(memory, "memory number 1")
    for number in range(bulk_changes.BULK_CHANGES_KEPT + 2):
        clock.advance(seconds=1)
        bulk_actions.change_memories(memory, EVERYTHING, "unpin" if number % 2 else "pin")
    assert len(bulk_changes.list_changes(memory.store.database)) == bulk_changes.BULK_CHANGES_KEPT
    count = "SELECT count(DISTINCT change) FROM bulk_change_items"
    assert memory.store.database.fetch_value(count) == bulk_changes.BULK_CHANGES_KEPT


def test_an_erased_memory_leaves_no_trace_in_the_actions(memory: Holloway) -> None:
    memory_id = learned(memory, "memory number 1")
    bulk_actions.change_memories(memory, EVERYTHING, "pin")
    memory.forget([memory_id], hard=True)
    assert memory.store.database.fetch_value("SELECT count(*) FROM bulk_change_items") == 0
    assert bulk_actions.undo_change(memory).restored == 0


def test_the_memories_of_all_projects_are_changed_and_undone_in_their_own_store(memory: Holloway) -> None:
    memory.remember("I prefer tabs", user=True)
    mine = memory.user.memories.find_memories(Filter())[0]
    assert bulk_actions.change_memories(memory, MemoryQuery(user=True), "pin").memories == 1
    assert memory.get(mine.id).pinned
    assert bulk_actions.undo_change(memory, user=True).restored == 1
    assert not memory.get(mine.id).pinned
