"""Sharing as a person controls it: groups, states and what a dry run shows."""

import pytest

import holloway
from holloway.domain.memory import Source
from tests.sharing.team import Team, exchange, open_team

__all__ = ["team"]


@pytest.fixture
def team(tmp_path):  # type: ignore[no-untyped-def]
    """A hub that nobody has joined yet."""
    with open_team(tmp_path / "team") as opened:
        yield opened


def test_unchosen_memories_are_grouped_by_who_said_them(memory: holloway.Holloway) -> None:
    memory.remember("taught one")
    memory.remember("recorded by an agent", source=Source.AGENT_EXPLICIT)
    memory.remember("chosen", visibility="team")
    groups = memory.sharing().group_unchosen()
    assert {name: [card.content for card in cards] for name, cards in groups.items()} == {
        "taught": ["taught one"],
        "learned": ["recorded by an agent"],
    }


@pytest.mark.parametrize(
    ("address", "looks"),
    [
        ("git@example.com:acme-client/shop.git", True),
        ("https://example.com/contractors/shop", True),
        ("git@example.com:ada/shop.git", False),
        ("https://nda:token@example.com/shop", False),
        ("git@example.com:ada/clientele.git", False),
    ],
)
def test_client_work_is_recognised_by_its_remote(memory: holloway.Holloway, address: str, looks: bool) -> None:
    assert memory.sharing().looks_like_client_work(address) is looks


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
