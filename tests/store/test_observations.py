"""What sessions did: which of them showed the same."""

import json

import pytest

import holloway
from holloway.store import lookup, observations
from holloway.store.observations import ErrorSighting, SessionObservations, SignalSighting

AT = "2026-01-05T12:00:00.000Z"


@pytest.fixture
def seen(memory: holloway.Holloway) -> holloway.Holloway:
    """Three sessions, the last of which began first: two showed the same, two changed the same two files."""
    pairs = {"one": (("a.py", "b.py", True),), "two": (("a.py", "b.py", True), ("a.py", "c.py", False)), "three": ()}
    shown = {"one": ("slow",), "two": ("other",), "three": ("slow", "other")}
    with memory.store.database.write_transaction():
        for hour, name in zip((11, 12, 10), pairs, strict=True):
            lookup.touch_session(memory.store.database.connection, name, "coder", f"2026-01-05T{hour}:00:00.000Z")
            sightings = tuple(SignalSighting("dead_end", key) for key in shown[name])
            observations.save_observations(
                memory.store.database, SessionObservations(name, AT, pairs=pairs[name], sightings=sightings)
            )
    return memory


def test_for_each_signal_the_other_sessions_that_showed_it_are_named_the_oldest_first(seen: holloway.Holloway) -> None:
    asked = [("dead_end", "slow"), ("dead_end", "never"), ("backtrack", "slow"), ("dead_end", "other")]
    found = observations.list_sessions_with_signals(seen.store.database, asked, "now")
    assert found == [["three", "one"], [], [], ["three", "two"]]
    assert observations.list_sessions_with_signals(seen.store.database, asked[:1], "one") == [["three"]]
    assert observations.list_sessions_with_signals(seen.store.database, [], "now") == []


def test_the_key_of_a_signal_may_be_any_text(seen: holloway.Holloway) -> None:
    odd = "quotes ' \" and \\ backslash, ünïcode 🦉\nand lines"
    with seen.store.database.write_transaction():
        observations.save_observations(
            seen.store.database, SessionObservations("one", AT, sightings=(SignalSighting("dead_end", odd),))
        )
    assert observations.list_sessions_with_signals(seen.store.database, [("dead_end", odd)], "now") == [["one"]]


def test_the_facts_of_a_signal_come_back(seen: holloway.Holloway) -> None:
    database = seen.store.database
    for name, facts in (("one", {"turns": 3}), ("two", {"turns": 5})):
        sighting = SignalSighting("backtrack", "slow", facts)
        observations.save_observations(database, SessionObservations(name, AT, sightings=(sighting,)))
    assert observations.list_signal_facts(database, "backtrack", "slow") == [{"turns": 3}, {"turns": 5}]
    assert observations.list_signal_facts(database, "backtrack", "fast") == []
    assert observations.list_signal_facts(database, "explanation", "slow") == []


def test_learning_a_session_again_replaces_what_was_stored_of_it(seen: holloway.Holloway) -> None:
    database = seen.store.database
    observations.save_observations(database, SessionObservations("one", AT, files=(("x.py", 1),), modules=("shop",)))
    observations.save_observations(database, SessionObservations("one", AT, files=(("y.py", 3), ("a.py", 1))))
    assert observations.list_session_files(database, ["one", "nobody"]) == {
        "one": [("y.py", 3), ("a.py", 1)],
        "nobody": [],
    }
    assert observations.count_module_sessions(database) == {}
    assert [pair[:2] for pair in observations.list_co_changed_pairs(database, 1)] == [("a.py", "b.py")]


def test_pairs_of_files_are_listed_by_how_many_sessions_changed_both(seen: holloway.Holloway) -> None:
    database = seen.store.database
    pairs = (("a.py", "c.py", True), ("z.py", "y.py", True))
    observations.save_observations(database, SessionObservations("three", AT, pairs=pairs))
    assert observations.list_co_changed_pairs(database, 1) == [("a.py", "b.py", 2), ("a.py", "c.py", 1)]
    assert observations.list_co_changed_pairs(database, 2) == [("a.py", "b.py", 2)]


def test_a_session_stores_a_limited_number_of_pairs(seen: holloway.Holloway) -> None:
    many = tuple((f"a{number}.py", f"b{number}.py", True) for number in range(observations.PAIRS_KEPT + 5))
    observations.save_observations(seen.store.database, SessionObservations("three", AT, pairs=many))
    count = "SELECT count(*) FROM co_access WHERE session = 'three'"
    assert seen.store.database.fetch_value(count) == observations.PAIRS_KEPT


def test_files_and_modules_are_counted_by_session(seen: holloway.Holloway) -> None:
    database = seen.store.database
    for name, weight in (("one", 1), ("two", 3), ("three", 2)):
        observed = SessionObservations(name, AT, files=(("x.py", weight), ("y.py", 1)), modules=("shop", f"of-{name}"))
        observations.save_observations(database, observed)
    assert observations.count_file_sessions(database, ["x.py", "z.py"]) == {"x.py": (3, 2)}
    assert observations.list_module_sessions(database, "shop") == ["three", "one", "two"]
    assert observations.count_module_sessions(database) == {"of-one": 1, "of-three": 1, "of-two": 1, "shop": 3}


def test_past_sessions_come_with_task_files_and_branch_oldest_first(seen: holloway.Holloway) -> None:
    database = seen.store.database
    for name in ("one", "three"):
        database.execute("UPDATE sessions SET task = ?, branch = 'main' WHERE id = ?", (f"task {name}", name))
        observations.save_observations(database, SessionObservations(name, AT, files=((f"{name}.py", 2), ("a.py", 1))))
    first, second = (("three.py", 2), ("a.py", 1)), (("one.py", 2), ("a.py", 1))
    past = [("task three", first, "main"), ("task one", second, "main")]
    assert observations.list_past_sessions(database.connection, 5) == past
    assert observations.list_past_sessions(database.connection, 1) == past[1:]


def test_an_error_counts_as_solved_where_another_session_resolved_it(seen: holloway.Holloway) -> None:
    database = seen.store.database
    errors = (ErrorSighting("e1", "Bash", "refused", "make db", 2), ErrorSighting("e2", "Bash", "again", "", 1))
    observations.save_observations(database, SessionObservations("one", AT, errors=errors))
    assert observations.list_solved_errors(database, "two") == ["e1"]
    assert observations.list_solved_errors(database, "one") == []


def test_the_cost_of_searching_is_a_mean_over_earlier_sessions_that_read_a_file(seen: holloway.Holloway) -> None:
    database = seen.store.database
    assert observations.mean_search_tokens(database, AT) == 0.0
    for name, tokens, reads in (("three", 300, 2), ("one", 100, 3), ("two", 9_999, 1)):
        record = json.dumps({"search_tokens": tokens, "first_reads": reads})
        database.execute("UPDATE sessions SET record = ? WHERE id = ?", (record, name))
    assert observations.mean_search_tokens(database, AT) == 80.0


def test_a_later_success_is_a_session_that_changed_one_of_the_files(seen: holloway.Holloway) -> None:
    database = seen.store.database
    for name, weight in (("one", 3), ("two", 1), ("three", 3)):
        database.execute("UPDATE sessions SET outcome = 'success' WHERE id = ?", (name,))
        observations.save_observations(database, SessionObservations(name, AT, files=(("x.py", weight),)))
    began = "2026-01-05T10:00:00.000Z"
    assert observations.find_later_success(database, "three", began, ["y.py", "x.py"]) == "one"
    assert observations.find_later_success(database, "one", began, ["x.py"]) == ""
    assert observations.find_later_success(database, "three", began, ["y.py"]) == ""


def test_a_module_is_synthesised_once_for_each_threshold(seen: holloway.Holloway) -> None:
    database = seen.store.database
    observations.record_synthesis(database, "shop", 5, AT, 2)
    assert observations.is_synthesised(database, "shop", 5) is True
    assert observations.is_synthesised(database, "shop", 10) is False
    assert observations.is_synthesised(database, "other", 5) is False
