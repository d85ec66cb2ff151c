"""A text is new, a duplicate of a stored memory, or a contradiction of one."""

import pytest

import holloway
from holloway.domain.memory import RelationType, Source
from holloway.retrieval.duplicate_detection import Verdict, compare_texts, find_similar_memories
from tests.store.test_memories import taught


@pytest.mark.parametrize(
    ("new", "known", "verdict"),
    [
        ("Tokens live for one hour", "Tokens live one hour", Verdict.SAME),
        ("Run the tests with redis", "Run tests with Redis!", Verdict.SAME),
        ("Tokens live 2 hours", "Tokens live 1 hours", Verdict.CONTRADICTS),
        ("Use the cache in the tests", "Never use the cache in the tests", Verdict.CONTRADICTS),
        ("Don't use the cache in tests", "Use the cache in tests", Verdict.CONTRADICTS),
        ("Python >= 3.11 is needed here", "Python <= 3.11 is needed here", Verdict.CONTRADICTS),
        ("Redis holds sessions", "Money is integer cents", Verdict.NEW),
        ("Tokens are refreshed by the gateway", "Tokens are stored in the database by the api", Verdict.NEW),
        ("", "x", Verdict.NEW),
    ],
)
def test_two_texts_are_compared_by_their_words_and_their_facts(new: str, known: str, verdict: Verdict) -> None:
    assert compare_texts(new, known)[0] is verdict
    assert compare_texts(known, new)[0] is verdict


def test_the_closest_memories_are_found_whoever_may_see_them(memory: holloway.Holloway) -> None:
    hour = taught(memory, "Tokens live 1 hour in the cache")
    taught(memory, "Money is integer cents")
    (close,) = find_similar_memories(memory.store, "Tokens live 2 hour in the cache")
    assert (close.memory.id, close.verdict) == (hour.id, Verdict.CONTRADICTS)
    assert find_similar_memories(memory.store, "zeppelins") == []
    assert find_similar_memories(memory.store, "The cache of pages is warmed at night") == []


@pytest.mark.promise("likeness-destroys-nothing")
def test_what_a_person_says_is_always_kept_and_what_is_close_is_told(memory: holloway.Holloway) -> None:
    known = taught(memory, "Tokens live 1 hour in the cache")
    said = memory.remember("Tokens live 2 hours in the cache", type="gotcha")
    assert said.outcome == "added"
    assert [one.memory.id for one in said.close] == [known.id]
    assert memory.get(known.id).is_alive


@pytest.mark.promise("likeness-destroys-nothing")
def test_what_an_agent_says_again_reinforces_and_its_words_stay_readable(memory: holloway.Holloway) -> None:
    known = taught(memory, "Tokens live one hour in the cache")
    again = memory.remember(
        "Tokens live for one hour in the cache", type="gotcha", source=Source.AGENT_EXPLICIT, session="s2"
    )
    assert again.memory is not None
    assert (again.outcome, again.memory.id) == ("reinforced", known.id)
    assert memory.get(known.id).content == "Tokens live one hour in the cache"
    assert any("for one hour" in detail for _, _, detail in memory.why(known.id).history)
    assert len(memory.memories()) == 1


@pytest.mark.promise("likeness-destroys-nothing")
def test_what_an_agent_says_against_a_memory_is_kept_apart_and_both_name_each_other(
    memory: holloway.Holloway,
) -> None:
    known = taught(memory, "Tokens live 1 hour in the cache")
    other = memory.remember(
        "Tokens live 2 hours in the cache", type="gotcha", source=Source.AGENT_EXPLICIT, session="s2"
    )
    assert other.outcome == "added"
    assert other.memory is not None
    conflict = [one for one in other.memory.relations if one.type is RelationType.CONFLICTS_WITH]
    assert [one.memory for one in conflict] == [known.id]
    assert memory.get(known.id).content == "Tokens live 1 hour in the cache"
