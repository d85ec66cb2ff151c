"""Taking part: starting, pausing, leaving, and whom a person accepts."""

import threading
from pathlib import Path

import pytest
from filelock import FileLock

import holloway
from holloway.errors import HollowayError, InvalidInput
from holloway.sharing.membership import LOCK_NAME, REPLICA_KEY_NAME, REPOSITORY_NAME, Membership, SyncBusy
from holloway.store import operation_log
from tests.conftest import make_repository
from tests.sharing.team import Team, exchange


def test_a_survey_sorts_memories_by_whether_they_may_leave(memory: holloway.Holloway) -> None:
    memory.remember("chosen", visibility="team")
    memory.remember("not chosen")
    memory.remember("mine", visibility="personal")
    survey = Membership(memory.store).survey()
    assert [card.content for card in survey.ready] == ["chosen"]
    assert [card.content for card in survey.unchosen] == ["not chosen"]
    assert [(card.content, reason) for card, reason in survey.refused] == [("mine", "it is personal")]


def test_a_remote_is_found_by_name_or_taken_as_an_address(memory: holloway.Holloway) -> None:
    membership = Membership(memory.store)
    assert membership.find_address("git@example.com:ada/shop.git") == "git@example.com:ada/shop.git"
    with pytest.raises(InvalidInput, match="no remote 'upstream'"):
        membership.find_address("upstream")


def test_pausing_records_and_sends_when_it_goes_on(team: Team) -> None:
    ada, bob = team.join("Ada"), team.join("Bob")
    ada.sharing.membership.set_paused(is_paused=True)
    ada.remember("while paused")
    assert ada.sharing.describe_state().word == "paused"
    assert not ada.sharing.membership.is_due(0)
    ada.sharing.membership.set_paused(is_paused=False)
    assert ada.sharing.membership.is_due(0)
    exchange(ada, bob)
    team.accept_all(bob)
    assert bob.texts() == ["while paused"]


def test_leaving_takes_our_ref_off_the_remote_and_keeps_the_memories(team: Team) -> None:
    ada = team.join("Ada", shares=("first",))
    assert team.refs() == [f"refs/holloway/{ada.replica}"]
    folder = ada.memory.project.folder
    ada.sharing.membership.leave()
    assert team.refs() == []
    assert ada.texts() == ["first"]
    assert not (folder / REPOSITORY_NAME).exists()
    assert not (folder / REPLICA_KEY_NAME).exists()
    assert ada.sharing.describe_state().word == "off"
    assert operation_log.list_all_memories(ada.memory.store.database) == []


def test_a_refused_author_is_set_aside_and_read_no_more(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("first",)), team.join("Bob")
    bob.sharing.membership.refuse("Ada")
    assert bob.texts() == []
    ada.remember("second")
    exchange(ada, bob)
    assert bob.texts() == []


def test_nobody_of_that_name_is_an_error_that_names_who_was_seen(team: Team) -> None:
    team.join("Ada", shares=("first",))
    bob = team.join("Bob")
    with pytest.raises(InvalidInput) as unknown:
        bob.sharing.membership.accept("Eve")
    assert "Ada" in unknown.value.hint


def test_without_its_key_a_replica_does_not_go_on(team: Team) -> None:
    ada = team.join("Ada", shares=("first",))
    (ada.memory.project.folder / REPLICA_KEY_NAME).unlink()
    with pytest.raises(HollowayError, match="key of this replica"):
        ada.sync()


def test_two_processes_do_not_exchange_at_once(team: Team) -> None:
    ada = team.join("Ada")
    ready, done = threading.Event(), threading.Event()

    def hold() -> None:
        with FileLock(str(ada.memory.project.folder / LOCK_NAME)):
            ready.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    ready.wait()
    try:
        with pytest.raises(SyncBusy):
            ada.sharing.membership.synchronize(wait_s=0)
    finally:
        done.set()
        thread.join()


def test_an_exchange_is_due_once_a_minute(team: Team) -> None:
    ada = team.join("Ada")
    assert not ada.sharing.membership.is_due(60)
    team.clock.advance(seconds=61)
    assert ada.sharing.membership.is_due(60)
    team.clock.advance(days=-30)
    assert ada.sharing.membership.is_due(60), "a time that is still to come is from a wrong clock"


def test_a_project_without_a_first_commit_cannot_be_shared(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    with holloway.open(plain) as memory, pytest.raises(InvalidInput, match="first commit"):
        memory.sharing().membership.start(str(tmp_path / "hub.git"), ())


def test_clones_of_one_repository_are_one_space_and_another_repository_is_not(team: Team, tmp_path: Path) -> None:
    ada = team.join("Ada", shares=("first",))
    other = make_repository(tmp_path / "other", {"a.txt": "another project\n"})
    stranger = team.join("Bob", root=other.root)
    assert stranger.texts() == []
    assert any("another project" in line for line in stranger.sync().refused or stranger.sharing.status()["refused"])
    assert ada.texts() == ["first"]


def test_memories_of_others_are_not_offered_again(team: Team) -> None:
    ada, bob = team.join("Ada", shares=("from Ada",)), team.join("Bob", shares=("from Bob",))
    exchange(ada, bob)
    bob.sharing.accept("Ada")
    assert [card.content for card in bob.sharing.membership.survey().ready] == ["from Bob"]
