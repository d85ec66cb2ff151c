"""The log of sharing in the database: what is sent once, applied once and deleted when it is erased."""

import pytest

import holloway
from holloway.store import operation_log
from holloway.store.database import Database
from holloway.store.operation_log import LoggedOperation, Replica, SharedMemory

OWN, OTHER = "a" * 32, "b" * 32


def row(number: int, replica: str = OWN, *, memory: str = "m", erases: bool = False) -> LoggedOperation:
    return LoggedOperation(f"{replica[:12]}.{number:012x}", memory, replica, number, f'{{"text":"{number}"}}', erases)


@pytest.fixture
def database(memory: holloway.Holloway) -> Database:
    operation_log.save_replica(memory.store.database, Replica(OWN, "Ada", "laptop", operation_log.OWN))
    return memory.store.database


def test_an_operation_is_added_once(database: Database) -> None:
    assert operation_log.add_operations(database, [row(1), row(2), row(1)], is_incoming=True) == 2
    assert operation_log.add_operations(database, [row(1)], is_incoming=True) == 0


def test_own_operations_wait_to_be_sent_and_incoming_ones_to_be_applied(database: Database) -> None:
    operation_log.add_operations(database, [row(1)], is_incoming=False)
    operation_log.add_operations(database, [row(2, OTHER, memory="n")], is_incoming=True)
    assert operation_log.list_unsent(database) == [row(1)]
    assert operation_log.list_unapplied(database) == ["n"]
    operation_log.mark_sent(database, [row(1).id])
    operation_log.mark_applied(database, ["n"])
    assert operation_log.list_unsent(database) == []
    assert operation_log.list_unapplied(database) == []


def test_the_clock_never_goes_back(database: Database) -> None:
    assert operation_log.advance_counter(database, 5) == 5
    assert operation_log.advance_counter(database, 3) == 5
    assert operation_log.read_counter(database) == 5


def test_a_replica_that_runs_away_does_not_move_the_clock(database: Database) -> None:
    operation_log.follow_counter(database, 7)
    operation_log.follow_counter(database, 2**50)
    assert operation_log.read_counter(database) == 7


def test_of_an_erased_memory_only_the_erasure_stays(database: Database) -> None:
    rows = [row(1), row(2, OTHER), row(3, erases=True), row(4, memory="n")]
    operation_log.add_operations(database, rows, is_incoming=False)
    assert operation_log.has_own_words(database, ["m"])
    operation_log.delete_operations(database, ["m"])
    assert operation_log.list_operations(database, ["m", "n"]) == [row(3, erases=True), row(4, memory="n")]
    assert not operation_log.has_own_words(database, ["m"])


def test_who_takes_back_their_words_leaves_those_of_others(database: Database) -> None:
    operation_log.add_operations(database, [row(1), row(2, OTHER)], is_incoming=False)
    operation_log.delete_retracted(database, "m", OTHER)
    assert operation_log.list_operations(database, ["m"]) == [row(1)]


def test_a_compacted_log_replaces_the_own_operations_only(database: Database) -> None:
    operation_log.add_operations(database, [row(1), row(2), row(3, OTHER)], is_incoming=True)
    operation_log.replace_log(database, OWN, [row(2)])
    assert operation_log.list_operations(database, ["m"]) == [row(2), row(3, OTHER)]
    assert operation_log.list_unsent(database) == [row(2)]


def test_a_shared_memory_is_found_by_uid_and_by_name(database: Database) -> None:
    shared = SharedMemory("m", "uid", {"local": {"pinned": True}}, "conflict")
    operation_log.save_shared(database, shared)
    assert operation_log.find_shared(database, uid="uid") == operation_log.find_shared(database, memory="m") == shared
    assert operation_log.find_shared(database, uid="other") is None
    assert operation_log.list_shared(database, "conflict") == [shared]
    assert operation_log.count_shared(database, "conflict") == 1


def test_leaving_clears_the_log_and_its_settings(database: Database) -> None:
    operation_log.write_settings(database, {"replica": OWN})
    operation_log.add_operations(database, [row(1)], is_incoming=False)
    operation_log.clear_log(database)
    assert operation_log.read_settings(database) == {}
    assert operation_log.list_replicas(database) == []
    assert operation_log.count_unsent(database) == 0


def test_shared_memories_are_found_by_name(database: Database) -> None:
    shared = SharedMemory("m", "u", {"local": {"pinned": True}}, operation_log.CONFLICT)
    operation_log.save_shared(database, shared)
    assert operation_log.list_shared_by_name(database, ["m", "n"]) == {"m": shared}
