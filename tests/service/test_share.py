"""Sharing as a person controls it: groups, states and what a dry run shows."""

import pytest

import holloway
from tests.sharing.team import Team, exchange, open_team

__all__ = ["team"]


@pytest.fixture
def team(tmp_path):  # type: ignore[no-untyped-def]
    """A hub that nobody has joined yet."""
    with open_team(tmp_path / "team") as opened:
        yield opened


def test_the_state_is_one_word_for_what_a_person_should_know(team: Team) -> None:
    ada, bob = team.join("Ada"), team.join("Bob")
    assert ada.sharing.describe_state().word == "synced"
    card = ada.remember("first")
    assert ada.sharing.describe_state() == ("pending", "1 to send")
    exchange(ada, bob)
    team.accept_all(ada, bob)
    exchange(ada, bob)
    bob.memory.edit(card.id, content="second")
    ada.memory.edit(card.id, content="third")
    exchange(ada, bob)
    assert ada.sharing.describe_state().word == "conflict"


def test_the_status_names_people_and_hides_credentials(team: Team) -> None:
    team.join("Ada", shares=("first",))
    bob = team.join("Bob")
    status = bob.sharing.status()
    assert [(person["author"], person["standing"]) for person in status["people"]] == [
        ("Bob", "own"),
        ("Ada", "unknown"),
    ]
    assert status["unknown"] == 1
    bob.sharing.membership.change_settings(address="https://bob:token@example.com/shop")
    assert "token" not in str(bob.sharing.status())


def test_without_sharing_nothing_leaves(memory: holloway.Holloway) -> None:
    assert memory.sharing().describe_state() == ("off", "nothing leaves this machine")
