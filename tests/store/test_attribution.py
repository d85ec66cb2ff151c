"""Attribution of shared memories: author, and how many people, not devices, confirmed them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import holloway
from holloway.service.agents import dispute
from holloway.store.attribution import Attribution, find_attributions
from tests.sharing.team import Device, Team, exchange, open_team


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """A hub that nobody has joined yet."""
    with open_team(tmp_path / "team") as opened:
        yield opened


def attribute(device: Device) -> Attribution:
    card = device.memory.memories()[0]
    return device.sharing.find_attributions([card.id])[card.id]


def confirm(device: Device) -> None:
    device.memory.confirm(device.memory.memories()[0].id)


def join_all(team: Team, *names: tuple[str, str]) -> list[Device]:
    ada = team.join("Ada", shares=("tests hang without REDIS_URL",))
    devices = [ada, *(team.join(*name) for name in names)]
    exchange(*devices)
    team.accept_all(*devices)
    exchange(*devices)
    return devices


def test_a_memory_has_its_author_and_the_people_who_confirmed_it(team: Team) -> None:
    ada, bob, cyd = join_all(team, ("Bob", "desk"), ("Cyd", "phone"))
    assert attribute(bob)[:3] == ("Ada", "laptop", ("Ada",))
    confirm(bob)
    assert "Bob" in attribute(bob).confirmed_by
    exchange(bob, ada, cyd)
    for device in (ada, cyd):
        assert attribute(device).author == "Ada"
        assert sorted(attribute(device).confirmed_by) == ["Ada", "Bob"]


def test_two_devices_of_a_person_confirm_once_and_strangers_never(team: Team) -> None:
    ada, laptop, desktop = join_all(team, ("Bob", "laptop"), ("Bob", "desktop"))
    laptop.sharing.membership.accept("desktop", is_mine=True)
    stranger = team.join("Mallory")
    stranger.sharing.membership.accept("all")
    for device in (laptop, desktop, stranger):
        confirm(device)
    exchange(laptop, desktop, stranger, ada)
    assert sorted(attribute(ada).confirmed_by) == ["Ada", "Bob"]


def test_who_takes_a_confirmation_back_is_not_counted(team: Team) -> None:
    ada, bob = join_all(team, ("Bob", "desk"))
    confirm(bob)
    exchange(bob, ada)
    bob.memory.forget([bob.memory.memories()[0].id])
    exchange(bob, ada)
    assert attribute(ada).confirmed_by == ("Ada",)


def test_uses_and_flags_of_all_devices_are_added_up_however_often_they_come(team: Team) -> None:
    ada, bob = join_all(team, ("Bob", "desk"))
    for device, uses in ((ada, 2), (bob, 3)):
        device.memory.store.database.execute("UPDATE memories SET use_count = ?", (uses,))
    dispute(bob.memory, bob.memory.memories()[0].id, "it does not hang here")
    exchange(ada, bob, rounds=3)
    for device in (ada, bob):
        assert (attribute(device).uses, attribute(device).flags) == (5, 1)
    assert ada.sync().sent == bob.sync().sent == 0


def test_a_memory_that_is_not_shared_has_no_attribution(memory: holloway.Holloway) -> None:
    card = memory.remember("nobody else knows").memory
    assert card is not None
    assert find_attributions(memory.store.database, [card.id]) == {}
