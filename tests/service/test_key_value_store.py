"""Memories by namespace and key, for programs that store values by name."""

import pytest

from holloway.config import KEY_NAME_CHARS_MAX, MEMORY_TAGS_MAX
from holloway.domain.memory import Draft, Source, State
from holloway.errors import InvalidInput
from holloway.service import agents
from holloway.service.holloway import Holloway
from holloway.service.key_value_store import PROJECT, KeyValueStore
from holloway.service.project_finder import pause
from holloway.store.filter import EVERYTHING
from holloway.store.write_gate import sanitize_draft
from tests.conftest import Repository

ADA = ("users", "ada")


@pytest.fixture
def values(memory: Holloway) -> KeyValueStore:
    return KeyValueStore(memory)


def read(values: KeyValueStore, namespace: tuple[str, ...], key: str) -> dict[str, object] | None:
    entry = values.get(namespace, key)
    assert entry is None or (entry.namespace, entry.key) == (namespace, key)
    return entry.value if entry else None


@pytest.mark.parametrize(
    "value",
    [
        {"content": "likes tabs"},
        {"content": '{"a": 1} is how it looks'},
        {"content": 7},
        {"content": "likes tabs", "since": "2026"},
        {"age": 36, "languages": ["de", "en"]},
        {},
    ],
)
def test_a_value_comes_back_as_it_was_put(values: KeyValueStore, value: dict[str, object]) -> None:
    values.put(ADA, "fact", value)
    assert read(values, ADA, "fact") == value
    assert read(values, ADA, "other") is None
    assert read(values, ("users",), "fact") is None


def test_names_of_two_uuids_and_of_long_paths_work_like_short_ones(values: KeyValueStore, memory: Holloway) -> None:
    user, key = "550e8400-e29b-41d4-a716-446655440000", "f47ac10b-58cc-4372-a567-0e02b2c3d479"
    names = [((user, "memories"), key), (("files",), "/".join(["architecture-decisions"] * 10) + ".md")]
    for namespace, name in names:
        values.put(namespace, name, {"content": f"likes tabs in {name}"})
        values.put(namespace, name, {"content": f"likes spaces in {name}"})
        assert read(values, namespace, name) == {"content": f"likes spaces in {name}"}
        assert [entry.key for entry in values.find(namespace)] == [name]
    values.delete(*names[0])
    assert read(values, *names[0]) is None
    assert read(values, *names[1]) is not None


@pytest.mark.parametrize(
    ("namespace", "key", "problem"),
    [
        (("users",), "k" * KEY_NAME_CHARS_MAX, "has 518 characters in 2 parts"),
        (("n",) * MEMORY_TAGS_MAX, "k", "33 parts"),
        (("users",), "AKIAIOSFODNN7REALKEY", "looks like a secret"),
    ],
)
def test_an_endless_name_and_one_with_a_secret_are_refused(
    values: KeyValueStore, memory: Holloway, namespace: tuple[str, ...], key: str, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        values.put(namespace, key, {"content": "likes tabs"})
    assert memory.memories(EVERYTHING) == []


def test_a_sentence_is_stored_as_people_read_it(values: KeyValueStore, memory: Holloway) -> None:
    values.put(ADA, "taste", {"content": "likes tabs"})
    (stored,) = memory.memories()
    assert (stored.content, stored.source) == ("likes tabs", Source.AGENT_EXPLICIT)


def test_text_that_only_looks_like_json_is_a_sentence(values: KeyValueStore, memory: Holloway) -> None:
    draft = Draft("{braces} come first", tags=("kv:users/ada", "kv:users/ada#odd"), source=Source.AGENT_EXPLICIT)
    memory.store.memories.add_memory(sanitize_draft(draft))
    assert read(values, ADA, "odd") == {"content": "{braces} come first"}


def test_the_same_value_again_changes_nothing_and_another_replaces_it(values: KeyValueStore, memory: Holloway) -> None:
    values.put(ADA, "taste", {"content": "likes tabs"})
    first = values.get(ADA, "taste")
    values.put(ADA, "taste", {"content": "likes tabs"})
    assert values.get(ADA, "taste") == first
    values.put(ADA, "taste", {"content": "likes spaces"})
    assert read(values, ADA, "taste") == {"content": "likes spaces"}
    assert [item.content for item in memory.memories()] == ["likes spaces"]


def test_the_projects_own_namespace_cannot_be_written_or_deleted(values: KeyValueStore, memory: Holloway) -> None:
    told = memory.remember("the gate is half open").memory
    assert told is not None
    for namespace in (PROJECT, ("holloway", "below")):
        with pytest.raises(InvalidInput, match="the project's own memory"):
            values.put(namespace, "x", {"content": "y"})
    values.delete(PROJECT, told.id)
    assert memory.get(told.id).is_alive


def test_the_projects_memories_are_read_by_id_unless_they_are_gone_or_untrusted(
    values: KeyValueStore, memory: Holloway, repository: Repository
) -> None:
    told = memory.remember("the gate is half open", type="gotcha", files=["src/shop/auth/tokens.py"]).memory
    assert told is not None
    content = {"content": "the gate is half open", "type": "gotcha", "files": ["src/shop/auth/tokens.py"]}
    assert read(values, PROJECT, told.id) == content
    assert [(entry.key, entry.score) for entry in values.find(PROJECT)] == [(told.id, None)]
    (result,) = values.find(PROJECT, "is the gate open")
    assert result.key == told.id
    assert result.score is not None
    assert values.get(PROJECT, "f" * 32) is None
    foreign = memory.store.memories.add_memory(sanitize_draft(Draft("from outside", source=Source.FOREIGN_FILE))).memory
    assert foreign is not None
    assert foreign.state is State.QUARANTINED
    assert values.get(PROJECT, foreign.id) is None
    pause(str(repository.root), "injection")
    assert values.get(PROJECT, told.id) is None
    assert list(values.find(PROJECT)) == []


def test_a_name_that_is_deleted_takes_the_memory_along_only_with_its_last_name(
    values: KeyValueStore, memory: Holloway
) -> None:
    values.put(("a",), "one", {"content": "same words"})
    values.put(("b/c#d%",), "two#", {"content": "same words"})
    assert [entry.key for entry in values.find(("a",))] == ["one"]
    values.delete(("a",), "one")
    values.delete(("a",), "never stored")
    assert read(values, ("a",), "one") is None
    assert read(values, ("b/c#d%",), "two#") == {"content": "same words"}
    values.delete(("b/c#d%",), "two#")
    assert memory.memories() == []
    values.put(("a",), "one", {"content": "same words"})
    assert read(values, ("a",), "one") == {"content": "same words"}


@pytest.mark.parametrize("is_confirmed", [True, False], ids=["confirmed", "taught"])
def test_words_that_a_person_wrote_or_confirmed_stay_without_the_programs_name(
    values: KeyValueStore, memory: Holloway, is_confirmed: bool
) -> None:
    if is_confirmed:
        values.put(ADA, "one", {"content": "same words"})
        memory.confirm(memory.memories()[0].id)
    else:
        memory.remember("same words")
        values.put(ADA, "one", {"content": "same words"})
    values.delete(ADA, "one")
    (kept,) = memory.memories()
    assert (kept.content, kept.tags) == ("same words", ())
    assert values.get(ADA, "one") is None


def test_a_value_that_a_person_rejected_is_refused_and_the_old_one_stays(
    values: KeyValueStore, memory: Holloway
) -> None:
    told = memory.remember("rejected words").memory
    assert told is not None
    memory.forget([told])
    values.put(ADA, "one", {"content": "first"})
    with pytest.raises(InvalidInput, match="A person has rejected this before"):
        values.put(ADA, "one", {"content": "rejected words"})
    assert read(values, ADA, "one") == {"content": "first"}
    assert [item.content for item in memory.memories(EVERYTHING)] == ["first"]


def test_values_are_found_below_a_namespace_newest_first_or_by_words(values: KeyValueStore) -> None:
    values.put(("notes", "x"), "1", {"content": "the cache is cleared at midnight"})
    values.put(("notes", "y"), "2", {"content": "invoices are numbered by year"})
    values.put(("other",), "3", {"content": "the cache of the other one"})
    assert [entry.key for entry in values.find(("notes",))] == ["2", "1"]
    assert [entry.key for entry in values.find(("notes", "x"))] == ["1"]
    assert [entry.key for entry in values.find(())] == ["3", "2", "1"]
    assert [entry.key for entry in values.find((), limit=1)] == ["3"]
    best = next(values.find(("notes",), "when is the cache cleared"))
    assert (best.namespace, best.key) == (("notes", "x"), "1")
    assert best.score is not None
    assert list(values.find(("note",))) == []


def test_every_namespace_with_values_is_listed_and_always_the_projects_own(values: KeyValueStore) -> None:
    assert values.namespaces() == [PROJECT]
    values.put(ADA, "taste", {"content": "likes tabs"})
    values.put(("a/b", "c#d"), "k", {"content": "v"})
    assert values.namespaces() == [("a/b", "c#d"), PROJECT, ADA]


@pytest.mark.promise("records-wait")
def test_a_programs_values_are_told_to_no_agent_before_a_person_approves_them(
    values: KeyValueStore, memory: Holloway
) -> None:
    values.put(("team", "habits"), "reviews", {"content": "Zanzibar reviews happen before noon"})
    assert values.get(("team", "habits"), "reviews") is not None
    assert [entry.key for entry in values.find(("team",), "Zanzibar reviews")] == ["reviews"]
    assert values.namespaces() == [("holloway",), ("team", "habits")]
    assert agents.search_memories(memory, "Zanzibar reviews") == []
    assert list(values.find(("holloway",), "Zanzibar reviews")) == []
    (waiting,) = memory.to_review()
    memory.confirm(waiting.id)
    assert len(agents.search_memories(memory, "Zanzibar reviews")) == 1


def test_a_quarantined_import_cannot_take_the_name_of_a_value(values: KeyValueStore, memory: Holloway) -> None:
    values.put(("team",), "habit", {"content": "Reviews happen before noon"})
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE memories SET source = 'foreign_file'")
    assert values.get(("team",), "habit") is None
    assert list(values.find(("team",))) == []
    assert values.namespaces() == [("holloway",)]
