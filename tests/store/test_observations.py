"""What sessions did: which of them showed the same."""

import pytest

import holloway
from holloway.store import lookup, observations
from holloway.store.observations import SessionObservations, SignalSighting

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


def test_files_count_as_changed_together_where_a_session_changed_both(seen: holloway.Holloway) -> None:
    asked = [("a.py", "c.py"), ("a.py", "b.py")]
    assert observations.list_sessions_editing_both(seen.store.database, asked, "now") == [[], ["one", "two"]]
    assert observations.list_sessions_editing_both(seen.store.database, asked, "two") == [[], ["one"]]


def test_the_key_of_a_signal_may_be_any_text(seen: holloway.Holloway) -> None:
    odd = "quotes ' \" and \\ backslash, ünïcode 🦉\nand lines"
    with seen.store.database.write_transaction():
        observations.save_observations(
            seen.store.database, SessionObservations("one", AT, sightings=(SignalSighting("dead_end", odd),))
        )
    assert observations.list_sessions_with_signals(seen.store.database, [("dead_end", odd)], "now") == [["one"]]
