"""What ranking reads of memories."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from holloway.domain.memory import Draft, MemoryType, Sketch
from holloway.store.database import DatabaseDamaged
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    import holloway


def seq_of(memory: holloway.Holloway, draft: Draft) -> int:
    memory.store.memories.add_memory(sanitize_draft(draft))
    return int(memory.store.database.fetch_value("SELECT max(seq) FROM memories"))


def test_a_sketch_says_what_its_memory_says(memory: holloway.Holloway) -> None:
    draft = Draft("tokens expire", MemoryType.DECISION, files=("b.py", "a.py"), commit="c0ffee", pinned=True)
    seqs = [seq_of(memory, draft), seq_of(memory, Draft("money is cents"))]
    whole, sketches = memory.store.memories.get_by_seqs(seqs), memory.store.memories.get_sketches(seqs)
    assert list(sketches) == seqs
    for seq in seqs:
        known = {field.name: getattr(whole[seq], field.name) for field in fields(whole[seq])}
        known["files"] = tuple(sorted(known["files"]))
        assert sketches[seq]._replace(files=tuple(sorted(sketches[seq].files))) == Sketch(
            **{name: known[name] for name in Sketch._fields}
        )


def test_a_sketch_of_what_is_gone_is_left_out(memory: holloway.Holloway) -> None:
    assert memory.store.memories.get_sketches([404]) == {}


@pytest.mark.parametrize("column", ["type", "source", "state", "last_used_at", "updated_at"])
def test_a_row_that_cannot_be_understood_is_named_as_damage(memory: holloway.Holloway, column: str) -> None:
    seq = seq_of(memory, Draft("tokens expire"))
    with memory.store.database.write_transaction():
        memory.store.database.execute(f"UPDATE memories SET {column} = substr({column}, 1, 4) || char(0)")  # noqa: S608
    with pytest.raises(DatabaseDamaged, match="cannot be read"):
        memory.store.memories.get_sketches([seq])
