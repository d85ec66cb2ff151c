"""Whether a memory or a recipe concerns a piece of work."""

from __future__ import annotations

import pytest

from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import DeadEnd
from holloway.injection.relevance import (
    count_completed,
    describe_work,
    extract_keywords,
    fits_task,
    parse_steps,
    render_next_step,
)
from tests.domain.made import a_memory

WORK = describe_work(["src/a.py"], ["auth", ""], "Rotate the refresh tokens")
STEPS = [("Write it", "src/provider.py"), ("Think", ""), ("Run `pytest tests/billing`", ""), ("Say so", "README.md")]


def test_a_memory_concerns_the_work_by_a_file_a_module_or_two_keywords() -> None:
    assert WORK.concerns(a_memory(files=("src/a.py", "b.py")))
    assert WORK.concerns(a_memory(modules=("auth",)))
    assert WORK.concerns(a_memory(content="refresh_token is burnt"))
    assert not WORK.concerns(a_memory(files=("src/b.py",), modules=("billing", ""), content="refresh the page"))


def test_keywords_in_the_details_of_a_memory_count() -> None:
    dead_end = DeadEnd("refresh in a thread", "the token is burnt twice")
    assert WORK.concerns(a_memory(MemoryType.DEAD_END, details=dead_end))
    assert WORK.concerns_text({"steps": [{"description": "refresh"}, ["tokens"]]}, 3, None)
    assert not WORK.concerns_text({"steps": ["refresh"]})


def test_keywords_are_parts_of_identifiers_without_plural_and_stop_words() -> None:
    assert extract_keywords("the refreshTokens of an ox") == {"refreshtoken", "refresh", "token"}


def test_a_recipe_fits_a_task_that_has_most_of_its_words() -> None:
    assert fits_task("add a payment provider", "Add a second provider for payments")
    assert not fits_task("add a payment provider", "Remove the provider")
    assert not fits_task("", "Add a provider")


def test_the_steps_of_a_recipe_are_read_from_its_details() -> None:
    details = {"task": "add it", "steps": [{"description": "Write", "file": "a.py"}, {"description": "Run"}, "junk"]}
    assert parse_steps(details) == ("add it", [("Write", "a.py"), ("Run", "")])
    assert parse_steps({"approach": "x"}) == ("", [])


@pytest.mark.parametrize(
    ("edited", "commands", "completed"),
    [
        (set(), [], 0),
        ({"src/provider.py"}, [], 1),
        ({"other.py"}, ["ls"], 0),
        (set(), ["pytest tests/billing -q"], 3),
        ({"src/provider.py", "README.md"}, [], 4),
    ],
)
def test_steps_are_complete_up_to_the_last_whose_file_changed_or_command_ran(
    edited: set[str], commands: list[str], completed: int
) -> None:
    assert count_completed(STEPS, edited, commands) == completed


def test_the_next_step_is_announced_with_its_number_and_file() -> None:
    assert render_next_step("add it", STEPS, 4, "[hw:abcdef]") == (
        'holloway: of the recipe "add it", step 4 of 4 comes next: Say so (README.md) [hw:abcdef]'
    )
    assert render_next_step("add it", STEPS, 2, "[hw:abcdef]").endswith("comes next: Think [hw:abcdef]")
