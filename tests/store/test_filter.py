"""Each field of a filter restricts the memories that a query selects."""

from typing import Any

import pytest

import holloway
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State, Visibility
from holloway.store.filter import EVERYTHING, Filter
from holloway.store.write_gate import sanitize_draft

FIRST = Draft(
    "the first memory",
    type=MemoryType.GOTCHA,
    source=Source.ERROR_FIX,
    state=State.UNCONFIRMED,
    files=("src/shop/a.py",),
    modules=("shop",),
    tags=("red",),
    session="s1",
    origin="observer:first",
    confidence=0.9,
    review=ReviewReason.RULE,
)
SECOND = Draft(
    "another note",
    type=MemoryType.DECISION,
    source=Source.USER_TAUGHT,
    state=State.QUARANTINED,
    files=("src/shopping.py",),
    modules=("cart",),
    tags=("blue",),
    visibility=Visibility.TEAM,
    session="s2",
    confidence=0.4,
    pinned=True,
)


@pytest.fixture
def both(memory: holloway.Holloway) -> holloway.Holloway:
    for draft in (FIRST, SECOND):
        assert memory.store.memories.add_memory(sanitize_draft(draft)).memory is not None
    return memory


def select(memory: holloway.Holloway, chosen: Filter) -> list[str]:
    return sorted(found.content for found in memory.store.memories.find_memories(chosen))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("types", (MemoryType.GOTCHA, MemoryType.PATTERN)),
        ("states", (State.UNCONFIRMED,)),
        ("sources", (Source.ERROR_FIX,)),
        ("visibility", (FIRST.visibility,)),
        ("files", ("src/shop",)),
        ("files", ("src/shop/a.py", "gone")),
        ("modules", ("shop", "other")),
        ("tags", ("red", "green")),
        ("session", "s1"),
        ("origin", "observer:first"),
        ("min_confidence", 0.5),
        ("to_review", True),
        ("quarantined", False),
    ],
)
def test_a_field_selects_the_memories_that_have_it(both: holloway.Holloway, field: str, value: Any) -> None:
    assert select(both, Filter(**{field: value})) == ["the first memory"]


def test_without_fields_all_living_memories_are_selected(both: holloway.Holloway) -> None:
    assert select(both, Filter()) == ["another note", "the first memory"]
    assert select(both, Filter(pinned=True)) == ["another note"]
    assert select(both, Filter(files=("src/sho",))) == []
    assert select(both, Filter(session="s1", tags=("blue",))) == []


def test_branches_dates_and_deaths_restrict_too(both: holloway.Holloway) -> None:
    def change(name: str, value: str) -> None:
        with both.store.database.write_transaction():
            sql = f"UPDATE memories SET {name} = ? WHERE content = 'another note'"  # noqa: S608
            both.store.database.execute(sql, (value,))

    change("branch_only", "side")
    assert select(both, Filter(branch="main")) == ["the first memory"]
    assert select(both, Filter(branch="side")) == select(both, Filter(branch=None))
    change("review_after", "2026-02-01")
    assert "another note" not in select(both, Filter(due="2026-01-31"))
    assert "another note" in select(both, Filter(due="2026-02-01"))
    change("superseded_by", "x")
    assert select(both, Filter()) == ["the first memory"]
    assert len(select(both, EVERYTHING)) == 2
    change("deleted_at", "2026-01-05")
    assert select(both, EVERYTHING) == ["the first memory"]
    assert select(both, Filter(deleted=True, superseded=True)) == ["another note"]


def test_a_folder_selects_what_is_in_it_and_no_file_whose_name_begins_like_it(memory: holloway.Holloway) -> None:
    for path in ("src/shop", "src/shop/a.py", "src/shop-old.py", "src/shop.py", "src/shop0", "src/shopping/a.py"):
        memory.store.memories.add_memory(sanitize_draft(Draft(path, files=(path,))))
    assert select(memory, Filter(files=("src/shop",))) == ["src/shop", "src/shop/a.py"]
