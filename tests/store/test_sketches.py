"""What ranking reads of memories."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from holloway.domain.memory import Draft, MemoryType
from holloway.domain.ranking_fields import Sketch
from holloway.store.database import Damaged
from holloway.store.write_gate import admit

if TYPE_CHECKING:
    import holloway


def seq_of(memory: holloway.Holloway, draft: Draft) -> int:
    memory.store.memories.add(admit(draft))
    return int(memory.store.database.value("SELECT max(seq) FROM memories"))


def test_a_sketch_says_what_its_memory_says(memory: holloway.Holloway) -> None:
    draft = Draft("tokens expire", MemoryType.DECISION, files=("b.py", "a.py"), commit="c0ffee", pinned=True)
    seqs = [seq_of(memory, draft), seq_of(memory, Draft("money is cents"))]
    whole, sketches = memory.store.memories.many(seqs), memory.store.memories.sketches(seqs)
    assert list(sketches) == seqs
    for seq in seqs:
        known = {field.name: getattr(whole[seq], field.name) for field in fields(whole[seq])}
        known["files"] = tuple(sorted(known["files"]))
        assert sketches[seq]._replace(files=tuple(sorted(sketches[seq].files))) == Sketch(
            **{name: known[name] for name in Sketch._fields}
        )


def test_a_sketch_of_what_is_gone_is_left_out(memory: holloway.Holloway) -> None:
    assert memory.store.memories.sketches([404]) == {}


@pytest.mark.parametrize("column", ["type", "source", "state", "last_used_at", "updated_at"])
def test_a_row_that_cannot_be_understood_is_named_as_damage(memory: holloway.Holloway, column: str) -> None:
    seq = seq_of(memory, Draft("tokens expire"))
    with memory.store.database.write():
        memory.store.database.run(f"UPDATE memories SET {column} = substr({column}, 1, 4) || char(0)")  # noqa: S608
    with pytest.raises(Damaged, match="cannot be read"):
        memory.store.memories.sketches([seq])
