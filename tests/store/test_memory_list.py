"""Pages of a list and its counts: complete, in order, and without a scan of the rows."""

from itertools import product

import pytest

from holloway.domain.memory import Draft, MemoryType, Source, State
from holloway.errors import InvalidInput
from holloway.service.holloway import Holloway
from holloway.store import memory_list
from holloway.store.filter import EVERYTHING, Filter
from holloway.store.write_gate import sanitize_draft


def add(memory: Holloway, content: str, **fields: object) -> str:
    stored = memory.store.memories.add_memory(sanitize_draft(Draft(content, **fields))).memory  # type: ignore[arg-type]
    assert stored is not None
    return stored.id


def walk(memory: Holloway, order: str, limit: int, chosen: Filter | None = None) -> list[str]:
    """The contents of all pages."""
    contents: list[str] = []
    key = ""
    while True:
        page = memory_list.list_page(memory.store, chosen or Filter(), order, key, limit)
        assert len(page.memories) <= limit
        contents += [listed.content for listed in page.memories]
        key = page.next_key
        if not key:
            return contents


@pytest.mark.parametrize(("order", "limit"), [*product(memory_list.LIST_ORDERS, (1, 3, 7, 50))])
def test_pages_have_every_memory_once(memory: Holloway, order: str, limit: int) -> None:
    for number in range(7):
        add(memory, f"memory number {number}")
    assert walk(memory, order, limit) == [f"memory number {number}" for number in reversed(range(7))]


def test_a_page_goes_on_where_the_last_one_ended_when_memories_come_and_go(memory: Holloway) -> None:
    ids = [add(memory, f"memory number {number}") for number in range(6)]
    first = memory_list.list_page(memory.store, Filter(), "newest", "", 2)
    add(memory, "a new one")
    memory.forget([ids[4], ids[3]])
    second = memory_list.list_page(memory.store, Filter(), "newest", first.next_key, 2)
    assert [listed.content for listed in second.memories] == ["memory number 2", "memory number 1"]


def test_the_orders_are_by_creation_change_and_use(memory: Holloway) -> None:
    ids = [add(memory, f"memory number {number}") for number in range(3)]
    database = memory.store.database
    database.execute("UPDATE memories SET updated_at = '2027-01-01T00:00:00.000Z' WHERE id = ?", (ids[0],))
    database.execute("UPDATE memories SET use_count = 11 WHERE id = ?", (ids[1],))
    database.execute("UPDATE memories SET use_count = 9 WHERE id = ?", (ids[0],))
    assert walk(memory, "changed", 1)[0] == "memory number 0"
    assert walk(memory, "used", 1) == ["memory number 1", "memory number 0", "memory number 2"]


@pytest.mark.parametrize(
    "key", ["x", "~", "~1", "2026~", "2026~x", "a~-1", "2026~1~2~" + "9" * 40, "\0~1", "x" * 90 + "~1", "12~3"]
)
def test_a_key_that_no_page_had_is_refused(memory: Holloway, key: str) -> None:
    with pytest.raises(InvalidInput, match="not the key of a page"):
        memory_list.list_page(memory.store, Filter(), "newest", key, 5)


def test_a_key_of_another_order_is_refused(memory: Holloway) -> None:
    with pytest.raises(InvalidInput, match="not the key of a page"):
        memory_list.list_page(memory.store, Filter(), "used", "2026-01-05T09:00:00.000Z~3", 5)
    with pytest.raises(InvalidInput, match="cannot be ordered by 'content'"):
        memory_list.list_page(memory.store, Filter(), "content", "", 5)


def test_the_counts_of_a_facet_leave_out_its_own_choice(memory: Holloway) -> None:
    add(memory, "one", type=MemoryType.GOTCHA, agent="claude-code", branch="main")
    add(memory, "two", type=MemoryType.DECISION, agent="claude-code", branch="main")
    add(memory, "three", type=MemoryType.DECISION, agent="codex", branch="topic", source=Source.FOREIGN_FILE)
    counts = memory_list.count_facets(memory.store.database, Filter())
    assert counts["types"] == {"decision": 2, "gotcha": 1}
    assert counts["agents"] == {"claude-code": 2, "codex": 1}
    assert counts["learned_on"] == {"main": 2, "topic": 1}
    assert counts["states"] == {"confirmed": 2, "quarantined": 1}
    chosen = Filter(types=(MemoryType.DECISION,))
    counts = memory_list.count_facets(memory.store.database, chosen)
    assert counts["types"] == {"decision": 2, "gotcha": 1}
    assert counts["agents"] == {"claude-code": 1, "codex": 1}
    counts = memory_list.count_facets(memory.store.database, Filter(types=chosen.types, states=(State.CONFIRMED,)))
    assert (counts["types"], counts["states"]) == ({"decision": 1, "gotcha": 1}, {"confirmed": 1, "quarantined": 1})
    assert counts["agents"] == {"claude-code": 1}


def test_files_and_modules_are_counted_most_first(memory: Holloway) -> None:
    add(memory, "one", files=("a.py", "b.py"), modules=("auth",))
    add(memory, "two", files=("b.py",), modules=("auth", "shop"))
    database = memory.store.database
    assert memory_list.count_names(database, Filter(), "memory_files", "path") == {"b.py": 2, "a.py": 1}
    assert memory_list.count_names(database, Filter(), "memory_modules", "module") == {"auth": 2, "shop": 1}
    assert memory_list.count_names(database, Filter(files=("a.py",)), "memory_modules", "module") == {"auth": 1}


def test_ids_come_oldest_first_up_to_a_limit(memory: Holloway) -> None:
    ids = [add(memory, f"memory number {number}") for number in range(3)]
    assert memory_list.list_ids(memory.store.database, EVERYTHING, 2) == ids[:2]


@pytest.mark.parametrize(
    "chosen", [Filter(), Filter(types=(MemoryType.GOTCHA,)), Filter(unused=True, fades_by="2026-03-01T00:00:00.000Z")]
)
def test_lists_and_counts_are_read_from_one_index_alone(memory: Holloway, chosen: Filter) -> None:
    database, statements = memory.store.database, list[str]()
    database.connection.set_trace_callback(statements.append)
    memory_list.list_page(memory.store, chosen, "newest", "", 5)
    memory_list.count_facets(database, chosen)
    memory_list.count_selected(database, chosen)
    database.connection.set_trace_callback(None)
    plans = [
        " ".join(row[3] for row in database.fetch_rows(f"EXPLAIN QUERY PLAN {statement}"))
        for statement in statements
        if "FROM memories m" in statement and "m.seq IN" not in statement
    ]
    assert len(plans) == 3
    assert all("USING COVERING INDEX" in plan for plan in plans), plans
