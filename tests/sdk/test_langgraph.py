import asyncio

import pytest
from langgraph.store.base import BaseStore

from holloway.errors import InvalidInput
from holloway.sdk.langgraph import MemoryStore
from holloway.service.holloway import Holloway
from holloway.service.project_finder import pause
from tests.conftest import Repository

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; call it once"


@pytest.fixture
def store(memory: Holloway, repository: Repository) -> BaseStore:
    return MemoryStore(repository.root)


def test_a_value_comes_back_as_it_was_put(store: BaseStore) -> None:
    store.put(("users", "ada"), "taste", {"content": "likes tabs"})
    store.put(("users", "ada"), "facts", {"age": 36, "langs": ["de", "en"]})
    item = store.get(("users", "ada"), "taste")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (("users", "ada"), "taste", {"content": "likes tabs"})
    other = store.get(("users", "ada"), "facts")
    assert other is not None
    assert other.value == {"age": 36, "langs": ["de", "en"]}
    assert store.get(("users", "bob"), "taste") is None


def test_a_value_is_replaced_and_deleted(store: BaseStore) -> None:
    store.put(("a",), "k", {"content": "first"})
    store.put(("a",), "k", {"content": "second"})
    assert [item.value for item in store.search(("a",))] == [{"content": "second"}]
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None
    store.put(("a",), "k", {"content": "first"})
    assert store.get(("a",), "k") is not None


def test_two_names_may_hold_the_same_value(store: BaseStore) -> None:
    store.put(("a",), "one", {"content": "same words"})
    store.put(("b/c#d",), "two%", {"content": "same words"})
    store.delete(("a",), "one")
    assert store.get(("a",), "one") is None
    item = store.get(("b/c#d",), "two%")
    assert item is not None
    assert item.value == {"content": "same words"}


def test_what_a_person_taught_stays_when_a_program_lets_go_of_the_same_words(
    store: BaseStore, memory: Holloway
) -> None:
    told = memory.remember("same words").memory
    assert told is not None
    store.put(("a",), "one", {"content": "same words"})
    store.delete(("a",), "one")
    assert store.get(("a",), "one") is None
    assert memory.get(told.id).is_alive
    assert memory.get(told.id).tags == ()


def test_what_was_learned_on_another_branch_is_not_there(
    store: BaseStore, memory: Holloway, repository: Repository
) -> None:
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit("gate.py", "half\n")
    memory.remember("the gate is half open", type="gotcha")
    assert [item.value["content"] for item in store.search(("holloway",))] == ["the gate is half open"]
    repository.git("checkout", "-q", "main")
    assert store.search(("holloway",)) == []


def test_search_goes_by_words_below_a_namespace(store: BaseStore) -> None:
    store.put(("notes", "x"), "1", {"content": "the cache is cleared at midnight"})
    store.put(("notes", "y"), "2", {"content": "invoices are numbered by year"})
    store.put(("other",), "3", {"content": "the cache of the other one"})
    found = store.search(("notes",), query="when is the cache cleared")
    assert found[0].key == "1"
    assert found[0].score is not None
    assert "3" not in {item.key for item in found}


def test_filters_limits_and_namespaces(store: BaseStore) -> None:
    for number in range(5):
        store.put(("n", str(number % 2)), f"k{number}", {"number": number})
    assert {item.key for item in store.search(("n",), filter={"number": {"$gte": 3}})} == {"k3", "k4"}
    assert {item.key for item in store.search(("n",), filter={"number": 2})} == {"k2"}
    pages = [item.key for start in (0, 2, 4) for item in store.search(("n",), limit=2, offset=start)]
    assert sorted(pages) == ["k0", "k1", "k2", "k3", "k4"]
    assert store.list_namespaces(prefix=("n",)) == [("n", "0"), ("n", "1")]
    assert store.list_namespaces(max_depth=1, prefix=("n",)) == [("n",)]


def test_the_projects_own_memories_are_found_but_not_written(store: BaseStore, memory: Holloway) -> None:
    told = memory.remember(TRAP, files=[FILE], type="gotcha").memory
    assert told is not None
    item = store.get(("holloway",), told.id)
    assert item is not None
    assert item.value == {"content": TRAP, "type": "gotcha", "files": [FILE]}
    assert [found.key for found in store.search(("holloway",), query="refresh token")] == [told.id]
    with pytest.raises(InvalidInput, match="the project's own memory"):
        store.put(("holloway",), "x", {"content": "y"})


def test_it_works_without_blocking_a_loop(store: BaseStore) -> None:
    async def both() -> object:
        await store.aput(("a",), "k", {"content": "v"})
        item = await store.aget(("a",), "k")
        return item and item.value

    assert asyncio.run(both()) == {"content": "v"}


def test_a_value_that_is_refused_leaves_the_one_before_it(store: BaseStore) -> None:
    store.put(("a",), "k", {"content": "first"})
    with pytest.raises(InvalidInput):
        store.put(("a",), "k", {"content": "x" * 5_000})
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"content": "first"}


@pytest.mark.promise("pause")
def test_while_injection_is_paused_the_projects_memories_are_not_found_and_the_programs_own_are(
    store: BaseStore, memory: Holloway, repository: Repository
) -> None:
    known = memory.remember(TRAP, files=[FILE]).memory
    assert known is not None
    store.put(("users", "ada"), "taste", {"content": "likes tabs"})
    assert store.get(("holloway",), known.id) is not None
    pause(str(repository.root), "injection")
    assert store.get(("holloway",), known.id) is None
    assert store.search(("holloway",), query="refresh token") == []
    assert store.get(("users", "ada"), "taste") is not None
