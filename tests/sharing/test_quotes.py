"""Evidence quotes: they stay here unless the person ticked them, and go with the memory that they belong to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import holloway
from holloway.domain.memory import Memory
from holloway.errors import InvalidInput
from holloway.sharing import quotes
from holloway.sharing.quotes import SharedQuote
from holloway.store.candidates import StoredCandidate, insert_candidate
from tests.sharing.team import Device, Team, exchange, find_files, open_team

WORDS = "no, the fixture needs Redis 7, not 6"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """A hub that nobody has joined yet."""
    with open_team(tmp_path / "team") as opened:
        yield opened


def add_quotes(memory: holloway.Holloway, card: Memory, *texts: str) -> None:
    """Give a memory evidence as a session leaves it."""
    draft: dict[str, object] = {"quotes": [{"voice": "person", "text": text} for text in texts]}
    candidate = StoredCandidate(
        "s1", 1, "user_correction", "", 3, "promoted", "", card.id, draft, "2026-01-05T09:00:00.000Z"
    )
    with memory.store.database.write_transaction():
        insert_candidate(memory.store.database, candidate)


def share_with_quotes(team: Team) -> tuple[Device, Device, Memory]:
    ada, bob = team.join("Ada"), team.join("Bob")
    card = ada.remember("tests need Redis 7")
    add_quotes(ada.memory, card, WORDS)
    exchange(ada, bob)
    team.accept_all(ada, bob)
    return ada, bob, card


def test_quotes_stay_on_this_machine(team: Team) -> None:
    ada, bob, _ = share_with_quotes(team)
    exchange(ada, bob)
    assert find_files(bob.home, WORDS.encode()) == []
    assert find_files(team.hub, WORDS.encode()) == []


def test_ticked_quotes_leave_with_their_memory_and_can_be_taken_back(team: Team) -> None:
    ada, bob, card = share_with_quotes(team)
    ada.sharing.tick_quotes([card.id], is_on=True)
    assert WORDS in str(ada.sharing.preview(card))
    exchange(ada, bob)
    assert bob.sharing.list_shared_quotes(bob.memory.memories()[0]) == [SharedQuote("person", WORDS)]
    ada.sharing.tick_quotes([card.id], is_on=False)
    exchange(ada, bob)
    assert bob.sharing.list_shared_quotes(bob.memory.memories()[0]) == []
    team.git("gc", "-q", "--prune=now")
    assert find_files(team.hub, WORDS.encode()) == []


def test_nobody_shares_the_quotes_of_somebody_else(team: Team) -> None:
    _, bob, _ = share_with_quotes(team)
    with pytest.raises(InvalidInput, match="no quotes of yours"):
        bob.sharing.tick_quotes([bob.memory.memories()[0].id], is_on=True)


def test_a_quote_with_a_secret_never_leaves(memory: holloway.Holloway) -> None:
    card = memory.remember("deploys need a token", visibility="project").memory
    assert card is not None
    add_quotes(memory, card, "an honest quote")
    quotes.tick_quotes(memory.store, card, is_on=True)
    assert quotes.list_quotes(memory.store, card) == [SharedQuote("person", "an honest quote")]
    shared = f'[{{"voice": "person", "text": "the token is {TOKEN}"}}, {{"voice": "person", "text": "fine"}}]'
    assert quotes.parse_shared_quotes(shared) == [SharedQuote("person", "fine")]


@pytest.mark.parametrize("value", [None, 7, "", "[", '"text"', '[1, {"text": 2}, {"text": " "}]', "[" * 100_000])
def test_quotes_that_cannot_be_read_are_left_out(value: object) -> None:
    assert quotes.parse_shared_quotes(value) == []
