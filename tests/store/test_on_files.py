"""Memories on files that are near."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import Draft
from holloway.store.filter import Filter
from holloway.store.search import find_on_files
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    import holloway


def on(memory: holloway.Holloway, text: str, *files: str) -> int:
    """The row number of a new memory on some files."""
    memory.store.memories.add_memory(sanitize_draft(Draft(content=text, files=files)))
    return int(memory.store.database.fetch_value("SELECT max(seq) FROM memories"))


def test_memories_on_the_nearest_files_come_first_and_of_one_file_the_newest(memory: holloway.Holloway) -> None:
    far = on(memory, "far", "far.py")
    old, new = on(memory, "old", "near.py"), on(memory, "new", "near.py")
    both = on(memory, "both", "near.py", "far.py")
    elsewhere = on(memory, "elsewhere", "other.py")
    places = {"far.py": 0.5, "near.py": 1.0, "none.py": 0.9}
    found = find_on_files(memory.store.database, places, Filter(), 10)
    assert list(found.items()) == [(both, 1.0), (new, 1.0), (old, 1.0), (far, 0.5)]
    assert elsewhere not in found
    assert list(find_on_files(memory.store.database, places, Filter(), 2)) == [both, new]


def test_files_that_are_equally_near_share_the_room_by_age(memory: holloway.Holloway) -> None:
    seqs = [on(memory, f"number {number}", ("a.py", "b.py")[number % 2]) for number in range(6)]
    found = find_on_files(memory.store.database, {"a.py": 1.0, "b.py": 1.0}, Filter(), 4)
    assert list(found) == seqs[:1:-1]


def test_what_the_filter_leaves_out_takes_no_room(memory: holloway.Holloway) -> None:
    kept = on(memory, "kept", "a.py")
    for number in range(5):
        gone = on(memory, f"gone {number}", "a.py")
        memory.forget([memory.store.memories.get_by_seqs([gone])[gone]])
    assert list(find_on_files(memory.store.database, {"a.py": 1.0}, Filter(), 1)) == [kept]


def test_no_files_have_no_memories(memory: holloway.Holloway) -> None:
    assert find_on_files(memory.store.database, {}, Filter(), 10) == {}
