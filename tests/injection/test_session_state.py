"""The counters of a session survive between two hooks, and a damaged file only starts them again."""

from pathlib import Path

import pytest

from holloway.injection import session_state
from holloway.injection.session_state import (
    COUNTER_MAX,
    RECIPE_ID_CHARS_MAX,
    delete_state,
    load_state,
    new_state,
    save_state,
)


def test_a_state_is_saved_loaded_and_deleted(tmp_path: Path) -> None:
    folder = str(tmp_path / "state")
    state = new_state()
    assert set(state.values()) == {0, ""}
    state |= {"prompts": 1, "step": 2, "spent": 3, "notes": 4, "recipe": "r1", "reached": 5, "told": 6}
    save_state(folder, "s/1", state)
    assert load_state(folder, "s/1") == state
    assert load_state(folder, "s2") == new_state()
    (file,) = (tmp_path / "state").iterdir()
    assert (file.suffix, file.stat().st_mode & 0o777) == (session_state.SUFFIX, 0o600)
    delete_state(folder, "s/1")
    delete_state(folder, "s/1")
    assert load_state(folder, "s/1") == new_state()


@pytest.mark.parametrize("text", ["", "{", "[1]", "3", "\ud800"])
def test_a_damaged_file_is_a_new_state(tmp_path: Path, text: str) -> None:
    (tmp_path / f"s1{session_state.SUFFIX}").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert load_state(str(tmp_path), "s1") == new_state()


def test_values_that_are_no_counts_become_zero() -> None:
    saved = {"prompts": -1, "step": COUNTER_MAX, "spent": "3", "notes": COUNTER_MAX - 1, "reached": None, "told": 0}
    state = new_state({**saved, "recipe": "r" * (RECIPE_ID_CHARS_MAX + 1)})
    assert [state["prompts"], state["step"], state["spent"], state["reached"]] == [0, 0, 0, 0]
    assert (state["notes"], state["recipe"]) == (COUNTER_MAX - 1, "r" * RECIPE_ID_CHARS_MAX)


def test_another_recipe_begins_at_its_first_step() -> None:
    state = new_state({"recipe": "r1", "reached": 2, "told": 3})
    for same in ("r1", ""):
        session_state.follow_recipe(state, same)
        assert (state["recipe"], state["reached"], state["told"]) == ("r1", 2, 3)
    session_state.follow_recipe(state, "r2")
    assert (state["recipe"], state["reached"], state["told"]) == ("r2", 0, 0)
