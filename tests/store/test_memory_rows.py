"""A memory survives its row, whatever its fields."""

from dataclasses import replace

import pytest

import holloway
from holloway.domain.memory import Draft, Memory, MemoryType, Relation, RelationType, ReviewReason, Visibility
from holloway.domain.memory_details import DeadEnd
from holloway.domain.work import WorkUnit
from holloway.store.memory_rows import SELECT, SELECT_SKETCH, parse_work_unit, serialize_work_unit, to_memory, to_sketch
from holloway.store.write_gate import sanitize_draft


@pytest.fixture
def full(memory: holloway.Holloway) -> Memory:
    other = memory.store.memories.add_memory(sanitize_draft(Draft("another"))).memory
    assert other is not None
    draft = Draft(
        "Redis for sessions, grün",
        type=MemoryType.DEAD_END,
        details=DeadEnd("Redis", "not in CI", "SQLite"),
        files=("b.py", "a.py"),
        modules=("z", "auth"),
        tags=("t2", "t1"),
        relations=(Relation(RelationType.CONFLICTS_WITH, memory=other.id, confidence=0.5, automatic=True),),
        session="s1",
        commit="c0ffee12",
        work_unit=WorkUnit("native", ("spec", "part"), "label"),
        review=ReviewReason.RULE,
        visibility=Visibility.TEAM,
        pinned=True,
    )
    stored = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert stored is not None
    return stored


def test_a_memory_is_read_as_it_was_stored(memory: holloway.Holloway, full: Memory) -> None:
    row = memory.store.database.fetch_row(SELECT + " WHERE m.id = ?", (full.id,))
    assert row is not None
    assert to_memory(row) == full
    assert to_memory(dict(zip(row.keys(), row, strict=True))) == full
    assert (full.files, full.modules, full.tags) == (("b.py", "a.py"), ("z", "auth"), ("t2", "t1"))
    assert (full.pinned, full.review, full.commit) == (True, ReviewReason.RULE, "c0ffee12")
    assert full.details == DeadEnd("Redis", "not in CI", "SQLite")
    assert full.relations[0].automatic is True


def test_a_sketch_has_what_ranking_needs(memory: holloway.Holloway, full: Memory) -> None:
    (row,) = memory.store.database.fetch_rows(SELECT_SKETCH, ("[2]",))
    sketch = to_sketch(row)
    assert (sketch.id, sketch.type, sketch.state, sketch.pinned) == (full.id, full.type, full.state, True)
    assert (set(sketch.files), sketch.commit, sketch.confidence) == (set(full.files), full.commit, full.confidence)
    assert (sketch.last_used_at, sketch.updated_at) == (full.last_used_at, full.updated_at)


@pytest.mark.parametrize(
    ("field", "value"), [("created_at", "yesterday"), ("type", "nonsense"), ("tags", "{"), ("review", "nonsense")]
)
def test_a_value_that_cannot_be_parsed_is_an_error(
    memory: holloway.Holloway, full: Memory, field: str, value: str
) -> None:
    row = memory.store.database.fetch_row(SELECT + " WHERE m.id = ?", (full.id,))
    assert row is not None
    damaged = {**dict(zip(row.keys(), row, strict=True)), field: value}
    with pytest.raises(ValueError):
        to_memory(damaged)


def test_a_work_unit_survives_its_column() -> None:
    unit = WorkUnit("native", ("spec", "part"), "grün")
    assert parse_work_unit(serialize_work_unit(unit)) == unit
    assert serialize_work_unit(None) is None
    assert parse_work_unit(None) is parse_work_unit("") is None


def test_all_texts_of_a_memory_are_searched(memory: holloway.Holloway, full: Memory) -> None:
    found = replace(full)  # as stored
    for word in ("redis", "auth", "t1", "sqlite"):
        assert found.id in {result.memory.id for result in memory.recall(word)}
