"""One exchange after the other: everybody ends with the same state, whatever was interrupted, erased or copied."""

import shutil
import subprocess

import pytest

from holloway.git.transfer import TransferFailed
from holloway.sharing import sync
from holloway.sharing.git_transport import GitTransport
from holloway.sharing.incoming import fold_memories
from holloway.sharing.membership import REPOSITORY_NAME
from holloway.sharing.participants import load_participants
from holloway.store import operation_log
from tests.sharing.team import Team, exchange, find_files, read_everything


def test_what_one_person_shares_reaches_the_other_and_back(team: Team) -> None:
    ada = team.join("Ada", shares=("tests hang without REDIS_URL",))
    bob = team.join("Bob", shares=("the build needs make 4",))
    team.accept_all(bob)
    ada.sync()
    team.accept_all(ada)
    assert ada.texts() == bob.texts() == ["tests hang without REDIS_URL", "the build needs make 4"]
    assert ada.digest() == bob.digest()


def test_a_second_exchange_without_changes_sends_and_changes_nothing(team: Team) -> None:
    ada = team.join("Ada", shares=("tests hang without REDIS_URL",))
    before = team.git("for-each-ref")
    report = ada.sync()
    assert (report.sent, report.received, report.applied.changed) == (0, 0, 0)
    assert team.git("for-each-ref") == before


def test_a_change_after_sharing_was_switched_on_is_sent(team: Team) -> None:
    ada, bob = team.join("Ada"), team.join("Bob")
    exchange(ada, bob)
    team.accept_all(ada, bob)
    card = ada.remember("first text")
    exchange(ada, bob)
    ada.memory.edit(card.id, content="second text", tags=["redis"])
    exchange(ada, bob)
    assert bob.texts() == ["second text"]
    assert bob.memory.memories()[0].tags == ("redis",)


def test_nothing_is_logged_before_sharing_is_switched_on(team: Team) -> None:
    ada = team.join("Ada")
    ada.sharing.membership.leave()
    ada.remember("a private thought")
    assert operation_log.list_all_memories(ada.memory.store.database) == []


@pytest.mark.promise("shared-erased")
def test_an_erased_memory_is_in_no_file_of_any_replica_that_synced(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("the SENTINEL of the vault",)), team.join("Bob")
    exchange(ada, bob)
    team.accept_all(ada, bob)
    bob.memory.edit(bob.memory.memories()[0].id, content="the SENTINEL of the vault moved")
    exchange(bob, ada)
    ada.memory.forget([ada.memory.memories()[0].id], hard=True)
    exchange(ada, bob)
    assert ada.texts() == bob.texts() == []
    assert ada.digest() == bob.digest()
    for device in (ada, bob):
        assert find_files(device.home, b"SENTINEL") == []
    team.git("gc", "-q", "--prune=now")
    assert b"SENTINEL" not in read_everything(team.hub)


def test_a_long_log_is_compacted_and_a_newcomer_gets_the_same_state(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "SEGMENTS_MAX", 3)
    ada, bob = team.join("Ada", shares=("version 0",)), team.join("Bob")
    team.accept_all(bob)
    for number in range(1, 9):
        ada.memory.edit(ada.memory.memories()[0].id, content=f"version {number}")
        exchange(ada, bob, rounds=1)
    ref = f"refs/holloway/{ada.replica}"
    assert len(team.git("ls-tree", "--name-only", ref).split()) <= 4
    newcomer = team.join("Cyd")
    team.accept_all(newcomer)
    assert newcomer.texts() == bob.texts() == ["version 8"]
    ada.sync()
    team.accept_all(ada, bob)
    exchange(ada, bob, newcomer)
    assert newcomer.digest() == bob.digest() == ada.digest()


def test_a_lost_bare_repository_is_made_again(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("tests hang without REDIS_URL",)), team.join("Bob")
    shutil.rmtree(ada.memory.project.folder / REPOSITORY_NAME)
    ada.remember("the build needs make 4")
    exchange(ada, bob)
    team.accept_all(bob)
    assert bob.texts() == ["tests hang without REDIS_URL", "the build needs make 4"]


def test_a_restored_backup_gets_back_what_it_had_sent(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("first",)), team.join("Bob")
    team.accept_all(bob)
    copy = ada.memory.project.folder / "copy.db"
    ada.memory.store.database.backup_to(copy)
    ada.remember("second")
    ada.sync()
    ada.memory.store.database.replace_with(copy)
    copy.unlink()
    ada.remember("third")
    exchange(ada, bob)
    assert ada.texts() == bob.texts() == ["first", "second", "third"]
    assert ada.digest() == bob.digest()


def test_an_exchange_that_fails_loses_nothing(team: Team) -> None:
    ada = team.join("Ada", shares=("first",))
    hub = team.hub.rename(team.hub.with_name("away.git"))
    ada.remember("second")
    with pytest.raises(TransferFailed) as failed:
        ada.sync()
    assert failed.value.is_offline
    assert ada.sharing.describe_state().word == "offline"
    hub.rename(team.hub)
    bob = team.join("Bob")
    exchange(ada, bob)
    team.accept_all(bob)
    assert bob.texts() == ["first", "second"]
    assert ada.sharing.describe_state().word == "synced"


@pytest.mark.promise("shared-fetch-is-bounded")
def test_a_ref_beyond_the_limits_is_named_and_left_alone_for_a_day(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = team.join("Ada", shares=("first",)), team.join("Bob")
    GitTransport(team.hub, str(team.hub), "b" * 32).write_segments([b"x" * 2_000_000], first_number=0, replaces=True)
    ref = f"refs/holloway/{'b' * 32}"
    asked: list[set[str]] = []
    real = GitTransport.fetch

    def fetch(self: GitTransport, excluded: set[str]) -> dict[str, str]:
        asked.append(excluded)
        return real(self, excluded)

    monkeypatch.setattr(GitTransport, "fetch", fetch)
    for hours in (0, 1, 24):
        team.clock.advance(hours=hours)
        report = bob.sync()
        assert any(line.startswith(ref) and "2,000,000 bytes" in line for line in report.refused)
    assert asked == [set(), {ref}, set()]
    assert bob.sharing.status()["refused"]
    assert bob.texts() == ada.texts()


def test_a_refused_device_costs_no_download(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = team.join("Ada", shares=("first",)), team.join("Bob")
    bob.sharing.membership.refuse("Ada")
    bob.sync()
    repository = bob.memory.project.folder / REPOSITORY_NAME
    refs = subprocess.run(
        ["git", "--git-dir", str(repository), "for-each-ref"], capture_output=True, text=True, check=True
    ).stdout
    assert bob.replica in refs
    assert ada.replica not in refs


def test_uses_are_sent_once_per_exchange_and_added_up(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("tests hang without REDIS_URL",)), team.join("Bob")
    team.accept_all(bob)
    ada.sync()
    team.accept_all(ada)
    for device in (ada, bob):
        device.memory.store.database.execute("UPDATE memories SET use_count = use_count + 3")
    exchange(ada, bob)
    exchange(ada, bob)
    for device in (ada, bob):
        store = device.memory.store
        states = fold_memories(store, operation_log.list_all_memories(store.database), load_participants(store))
        assert [state.counts["uses"] for state in states] == [6]
