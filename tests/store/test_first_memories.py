"""Onboarding: one agent is told the first memories, and the person sees them until they dismiss them."""

import pytest

import holloway
from holloway.store import first_memories


def read(memory: holloway.Holloway) -> tuple[list[str], list[str]]:
    connection = memory.store.database.connection
    return first_memories.read_untold(connection), first_memories.read_undismissed(connection)


def test_an_agent_is_told_once_and_the_person_dismisses(memory: holloway.Holloway) -> None:
    assert not first_memories.has_begun(memory.store)
    assert read(memory) == ([], [])
    first_memories.begin_onboarding(memory.store, ["7f3a2c", "1b2c3d"])
    assert first_memories.has_begun(memory.store)
    assert read(memory) == (["7f3a2c", "1b2c3d"], ["7f3a2c", "1b2c3d"])
    first_memories.mark_told(memory.store.database.connection)
    assert read(memory) == ([], ["7f3a2c", "1b2c3d"])
    first_memories.dismiss(memory.store.database.connection)
    assert read(memory) == ([], [])


@pytest.mark.parametrize("damaged", ["{", "7", "[]", '{"ids": 3}'])
def test_a_damaged_value_is_read_as_empty(memory: holloway.Holloway, damaged: str) -> None:
    memory.store.set_meta(first_memories.ONBOARDING_KEY, damaged)
    assert read(memory) == ([], [])
