import pytest

from holloway.service.holloway import Holloway
from holloway.store.excluded_memories import (
    EXCLUDED_KEY,
    EXCLUDED_MAX,
    exclude_memory,
    read_excluded,
    readmit_memory,
)


def excluded(memory: Holloway) -> list[str]:
    return read_excluded(memory.store.database.connection)


def test_nothing_is_excluded_at_first(memory: Holloway) -> None:
    assert excluded(memory) == []


def test_memories_are_excluded_once_each_the_latest_last(memory: Holloway) -> None:
    for name in ("a", "b", "a"):
        exclude_memory(memory.store, name)
    assert excluded(memory) == ["b", "a"]


def test_only_an_excluded_memory_is_readmitted_and_the_others_stay_out(memory: Holloway) -> None:
    for name in ("a", "b"):
        exclude_memory(memory.store, name)
    assert readmit_memory(memory.store, "a")
    assert not readmit_memory(memory.store, "a")
    assert excluded(memory) == ["b"]


def test_the_oldest_exclusions_end_first(memory: Holloway) -> None:
    memory.store.set_meta(EXCLUDED_KEY, "[" + ", ".join(f'"{number}"' for number in range(EXCLUDED_MAX)) + "]")
    exclude_memory(memory.store, "new")
    assert (len(excluded(memory)), excluded(memory)[0], excluded(memory)[-1]) == (EXCLUDED_MAX, "1", "new")


@pytest.mark.parametrize(("stored", "ids"), [("{", []), ('{"a": 1}', []), ('"a"', []), ("[1, null]", ["1", "None"])])
def test_a_damaged_list_is_no_error(stored: str, ids: list[str], memory: Holloway) -> None:
    memory.store.set_meta(EXCLUDED_KEY, stored)
    assert excluded(memory) == ids
