"""Memories are read whole when somebody looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import Draft
from holloway.retrieval.candidates import parse_query
from holloway.retrieval.recall import LazyMemories, recall_memories
from holloway.store.filter import Filter
from holloway.store.memories import Memories
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    import holloway
    from holloway.domain.memory import Memory


def filled(memory: holloway.Holloway, number: int) -> list[int]:
    for each in range(number):
        memory.store.memories.add_memory(sanitize_draft(Draft(f"zeppelin {each} lands at mast {each * 7}")))
    return [row[0] for row in memory.store.database.fetch_rows("SELECT seq FROM memories ORDER BY seq")]


def noted(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What is read whole from now on."""
    asked: list[list[int]] = []
    many = Memories.get_by_seqs

    def keep(self: Memories, seqs: Sequence[int]) -> dict[int, Memory]:
        asked.append(list(seqs))
        return many(self, seqs)

    monkeypatch.setattr(Memories, "get_by_seqs", keep)
    return asked


def test_a_ranking_is_read_in_portions_and_each_memory_once(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    seqs = filled(memory, 5)
    asked = noted(monkeypatch)
    whole = LazyMemories(memory.store.memories, seqs, 2)
    assert [whole.load_text(seq)[:10] for seq in (*seqs[:3], *seqs[:3])] == [
        "zeppelin 0",
        "zeppelin 1",
        "zeppelin 2",
    ] * 2
    assert asked == [seqs[:2], seqs[2:4]]


def test_what_is_gone_since_it_was_ranked_is_nothing(memory: holloway.Holloway) -> None:
    whole = LazyMemories(memory.store.memories, [404], 2)
    assert whole.load_memory(404) is None
    assert whole.load_text(404) == ""


def test_a_question_reads_little_more_than_it_shows(memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(memory, 40)
    asked = noted(monkeypatch)
    found = recall_memories(memory.store, parse_query("zeppelin mast"), Filter(), 3)
    assert len(found) == 3
    assert sum(map(len, asked)) < 10
