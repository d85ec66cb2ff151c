"""Conflicts: both texts are shown with who and when; a person decides, and everybody follows."""

import pytest

from holloway.errors import InvalidInput
from holloway.sharing.conflicts import list_conflicts, resolve_conflict
from tests.sharing.team import Device, Team, exchange


@pytest.fixture
def pair(team: Team) -> tuple[Device, Device]:
    """Two people who edited the same memory without seeing each other's edit, and exchanged."""
    ada, bob = team.join("Ada", shares=("tests need Redis",)), team.join("Bob")
    team.accept_all(bob)
    ada.sync()
    team.accept_all(ada)
    card = ada.memory.memories()[0]
    ada.memory.edit(card.id, content="tests need Redis 6")
    team.clock.advance(hours=1)
    bob.memory.edit(card.id, content="tests need Redis 7")
    exchange(ada, bob)
    return ada, bob


def test_each_person_keeps_their_text_and_sees_both(pair: tuple[Device, Device]) -> None:
    ada, bob = pair
    assert (ada.texts(), bob.texts()) == (["tests need Redis 6"], ["tests need Redis 7"])
    assert ada.digest() == bob.digest()
    [conflict] = list_conflicts(ada.memory.store)
    assert [(side.letter, side.text, side.author, side.is_mine) for side in conflict.sides] == [
        ("a", "tests need Redis 6", "Ada (laptop)", True),
        ("b", "tests need Redis 7", "Bob (laptop)", False),
    ]
    assert ada.sharing.describe_state().word == "conflict"
    assert [device.memory.memories()[0].summary for device in pair] == ["tests need Redis 6", "tests need Redis 7"]


@pytest.mark.promise("shared-conflicts")
@pytest.mark.parametrize(
    ("letter", "text", "outcome"),
    [("a", "", "tests need Redis 6"), ("b", "", "tests need Redis 7"), ("", "Redis 6 or 7", "Redis 6 or 7")],
)
def test_a_decision_holds_for_everybody(pair: tuple[Device, Device], letter: str, text: str, outcome: str) -> None:
    ada, bob = pair
    memory_id = list_conflicts(ada.memory.store)[0].memory
    assert resolve_conflict(ada.memory.store, memory_id, letter=letter, text=text).content == outcome
    exchange(ada, bob)
    assert ada.texts() == bob.texts() == [outcome]
    assert [device.memory.memories()[0].summary for device in pair] == [outcome, outcome]
    assert list_conflicts(ada.memory.store) == list_conflicts(bob.memory.store) == []
    assert ada.digest() == bob.digest()


def test_an_edit_during_a_conflict_replaces_only_the_version_that_was_seen(pair: tuple[Device, Device]) -> None:
    ada, bob = pair
    ada.memory.edit(ada.memory.memories()[0].id, content="tests need Redis 6.2")
    exchange(ada, bob)
    assert [side.text for side in list_conflicts(bob.memory.store)[0].sides] == [
        "tests need Redis 7",
        "tests need Redis 6.2",
    ]


def test_a_letter_or_memory_that_is_not_in_conflict_is_an_error(pair: tuple[Device, Device]) -> None:
    ada, _ = pair
    memory_id = list_conflicts(ada.memory.store)[0].memory
    with pytest.raises(InvalidInput, match="no version 'z'"):
        resolve_conflict(ada.memory.store, memory_id, letter="z")
    other = ada.remember("something else")
    with pytest.raises(InvalidInput, match="not in conflict"):
        resolve_conflict(ada.memory.store, other.id, letter="a")


def test_a_summary_that_a_person_wrote_stays_with_their_version(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("tests need Redis",)), team.join("Bob")
    team.accept_all(bob)
    ada.sync()
    team.accept_all(ada)
    card = ada.memory.memories()[0]
    ada.memory.edit(card.id, content="tests need Redis 6", summary="Redis 6")
    bob.memory.edit(card.id, content="tests need Redis 7", summary="Redis 7")
    exchange(ada, bob)
    assert [device.memory.memories()[0].summary for device in (ada, bob)] == ["Redis 6", "Redis 7"]
