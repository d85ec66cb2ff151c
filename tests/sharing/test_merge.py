"""The fold: the same operations give the same state, and no rule lets a stranger's word win."""

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holloway.sharing.merge import digest_states, fold
from holloway.sharing.operation import Operation, make_id
from tests.conftest import NIGHTLY
from tests.sharing.schedules import (
    MEMORY,
    OWNER,
    REPLICAS,
    SCHEDULES,
    STAMPS,
    SimulatedReplica,
    is_entitled,
    run_schedule,
)

MANY = 100_000 if NIGHTLY else 1_000
OTHER = REPLICAS[2]


def write(replica: str, counter: int, changes: dict[str, Any], number: int = 0) -> Operation:
    return Operation(make_id(replica, f"{number or counter:012x}"), MEMORY, counter, replica, STAMPS[1], changes)


def version(value: object, *seen: Operation) -> dict[str, Any]:
    return {"value": value, "seen": [operation.id for operation in seen]}


@given(SCHEDULES, st.integers())
@settings(max_examples=MANY)
@pytest.mark.promise("shared-converges")
def test_the_same_operations_give_the_same_state_in_any_order_and_however_often_they_come(
    schedule: list[Any], seed: int
) -> None:
    operations = [operation for replica in run_schedule(schedule, compacts=True) for operation in replica.log.values()]
    shuffled = operations * 2
    random.Random(seed).shuffle(shuffled)
    assert digest_states([fold(MEMORY, operations, is_entitled)]) == digest_states(
        [fold(MEMORY, shuffled, is_entitled)]
    )


@given(SCHEDULES)
@settings(max_examples=MANY)
@pytest.mark.promise("shared-converges")
def test_no_version_of_a_text_disappears_unless_somebody_saw_and_replaced_it(schedule: list[Any]) -> None:
    replicas = run_schedule(schedule, compacts=False)
    everything = {id_: operation for replica in replicas for id_, operation in replica.log.items()}
    state = fold(MEMORY, everything.values(), is_entitled)
    takers_back = {operation.replica for operation in everything.values() if operation.is_erasure()}
    standing = [operation for operation in everything.values() if operation.replica not in takers_back]
    written = {operation.id for operation in standing if "content" in operation.changes}
    replaced = {id_ for other in standing for id_ in other.changes.get("content", {}).get("seen", ())}
    if not state.erased:
        assert {head.id for head in state.content} == written - replaced


@given(SCHEDULES)
@settings(max_examples=MANY // 10)
def test_an_erased_memory_has_no_text_in_its_state(schedule: list[Any]) -> None:
    replicas = run_schedule(schedule, compacts=False)
    replicas[0].write({"erase": True}, STAMPS[0])
    state = replicas[0].state
    assert state.erased
    assert not state.content
    assert not state.values


def test_two_texts_that_did_not_see_each_other_are_a_conflict_until_one_replaces_both() -> None:
    first = write(OWNER, 1, {"content": version("old")})
    mine, theirs = (
        write(OWNER, 2, {"content": version("mine", first)}),
        write(OTHER, 2, {"content": version("theirs", first)}),
    )
    state = fold(MEMORY, [first, mine, theirs], is_entitled)
    assert {head.value for head in state.content} == {"mine", "theirs"}
    assert state.has_conflict
    decision = write(OWNER, 3, {"content": version("both", mine, theirs)})
    decided = fold(MEMORY, [first, mine, theirs, decision], is_entitled)
    assert [head.value for head in decided.content] == ["both"]


def test_the_last_writer_of_a_summary_wins_by_counter_and_not_by_clock() -> None:
    early = Operation(make_id(OWNER, "1" * 12), MEMORY, 5, OWNER, STAMPS[0], {"summary": "later by counter"})
    late = Operation(make_id(OTHER, "1" * 12), MEMORY, 4, OTHER, STAMPS[2], {"summary": "later by clock"})
    assert fold(MEMORY, [late, early], is_entitled).values["summary"] == "later by counter"


def test_a_tag_that_was_removed_stays_removed_and_others_stay() -> None:
    operations = [
        write(OWNER, 1, {"tags": {"a": True, "b": True}}),
        write(OTHER, 2, {"tags": {"a": False}}),
        write(OWNER, 3, {"tags": {"c": True}}),
    ]
    assert fold(MEMORY, operations, is_entitled).items["tags"] == ("b", "c")


def test_counts_are_the_highest_of_each_replica_added_up() -> None:
    operations = [write(OWNER, 1, {"uses": 3}), write(OWNER, 2, {"uses": 2}, 9), write(OTHER, 1, {"uses": 4})]
    assert fold(MEMORY, operations, is_entitled).counts == {"uses": 7}


def test_the_more_careful_judgement_wins_unless_the_owner_lifts_what_they_saw() -> None:
    confirmed = write(OWNER, 1, {"judgement": version("confirmed")})
    forgotten = write(REPLICAS[1], 1, {"judgement": version("forgotten")})
    assert fold(MEMORY, [confirmed, forgotten], is_entitled).judgement == "forgotten"
    lifted = write(OWNER, 2, {"judgement": version("", confirmed, forgotten)})
    assert fold(MEMORY, [confirmed, forgotten, lifted], is_entitled).judgement == ""


def test_who_has_no_right_only_proposes() -> None:
    own = write(
        OWNER, 1, {"content": version("text"), "visibility": version("project"), "judgement": version("confirmed")}
    )
    operations = [own, write(OTHER, 2, {"judgement": version("forgotten", own), "visibility": version("team", own)})]
    state = fold(MEMORY, operations, is_entitled)
    assert not state.erased
    assert (state.judgement, state.visibility) == ("confirmed", "project")
    assert state.proposals == ((OTHER, "forgotten"), (OTHER, "widen"))


def test_who_erases_without_the_right_takes_back_only_their_own_words() -> None:
    own = write(OWNER, 1, {"content": version("text")})
    edit = write(OTHER, 2, {"content": version("edited", own)})
    state = fold(MEMORY, [own, edit, write(OTHER, 3, {"erase": True})], is_entitled)
    assert not state.erased
    assert [head.value for head in state.content] == ["text"]
    assert state.proposals == ((OTHER, "erase"),)


def test_visibility_never_widens_by_merge() -> None:
    first = write(OWNER, 1, {"visibility": version("project")})
    narrowed = write(OWNER, 2, {"visibility": version("personal", first)})
    widened = write(REPLICAS[1], 9, {"visibility": version("team", first)})
    assert fold(MEMORY, [first, narrowed, widened], is_entitled).visibility == "personal"


def test_only_the_owner_says_where_a_memory_comes_from() -> None:
    operations = [write(OWNER, 1, {"source": "user_taught"}), write(OTHER, 9, {"source": "commit_auto"})]
    assert fold(MEMORY, operations, is_entitled).values["source"] == "user_taught"


def test_one_id_with_two_texts_gives_one_state() -> None:
    twins = [write(OTHER, 1, {"summary": text, "content": version(text)}) for text in ("x", "y")]
    states = [fold(MEMORY, order, is_entitled) for order in (twins, twins[::-1])]
    assert digest_states(states[:1]) == digest_states(states[1:])
    assert states[0].values["summary"] == states[0].content[0].value == "y"


@given(SCHEDULES, st.integers(0, 7))
@settings(max_examples=MANY)
@example(schedule=[(("content", 0, "red"), STAMPS[0]), (("content", 0, "blue"), STAMPS[0])], number=0)
def test_a_compacted_log_gives_the_state_of_the_whole_one(schedule: list[Any], number: int) -> None:
    replicas = run_schedule(schedule, compacts=False)
    everything = SimulatedReplica(REPLICAS[number])
    for replica in replicas:
        everything.receive(list(replica.log.values()))
    before = digest_states([everything.state])
    everything.compact()
    assert digest_states([everything.state]) == before
