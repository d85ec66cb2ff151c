"""Compaction: what a later operation of the same replica says again goes; nobody else's word is taken for granted."""

from typing import Any

from hypothesis import given, settings

from holloway.sharing.compaction import compact_log
from holloway.sharing.merge import digest_states, fold
from tests.sharing.schedules import MEMORY, REPLICAS, SCHEDULES, STAMPS, SimulatedReplica, is_entitled, run_schedule
from tests.sharing.test_merge import MANY


def test_replaced_texts_go_and_the_last_one_also_replaces_what_they_had_replaced() -> None:
    colleague, own = SimulatedReplica(REPLICAS[2]), SimulatedReplica(REPLICAS[0])
    theirs = colleague.change("content", "theirs", STAMPS[0])
    own.receive([theirs])
    own.change("content", "second", STAMPS[0])
    last = own.change("content", "third", STAMPS[0])
    own.compact()
    assert sorted(own.log) == sorted([theirs.id, last.id])
    assert [head.value for head in own.state.content] == ["third"]


def test_a_colleagues_later_word_does_not_drop_ours() -> None:
    own, colleague = SimulatedReplica(REPLICAS[0]), SimulatedReplica(REPLICAS[2])
    mine = own.write({"summary": "mine"}, STAMPS[0])
    colleague.receive([mine])
    own.receive([colleague.write({"summary": "theirs"}, STAMPS[0])])
    own.compact()
    assert mine.id in own.log


def test_of_an_erased_memory_only_the_erasure_stays() -> None:
    own = SimulatedReplica(REPLICAS[0])
    own.change("content", "secret", STAMPS[0])
    erasure = own.write({"erase": True}, STAMPS[0])
    assert compact_log(own.log.values()) == [erasure]


@given(SCHEDULES)
@settings(max_examples=MANY // 2)
def test_replicas_that_compact_at_any_time_agree_with_a_newcomer(schedule: list[Any]) -> None:
    replicas = run_schedule(schedule, compacts=True)
    veteran = {id_: operation for replica in replicas for id_, operation in replica.log.items()}
    for replica in replicas:
        replica.compact()
    # A newcomer has what the replicas hold of themselves now; a veteran has also what they dropped since.
    own = {
        id_: operation
        for replica in replicas
        for id_, operation in replica.log.items()
        if operation.replica == replica.name
    }
    states = [fold(MEMORY, log, is_entitled) for log in (own.values(), [*veteran.values(), *own.values()])]
    assert digest_states(states[:1]) == digest_states(states[1:])
