"""What comes between two steps: gotchas that did not fit, notes, answers, the next step of a recipe, or nothing."""

from collections.abc import Mapping, Sequence

import pytest

from holloway.config import (
    STEP_FILES_MAX,
    STEP_MEMORIES_MAX,
    STEP_SEARCHES_MAX,
    STEP_TOKENS_MAX,
    STEP_TOKENS_PER_SESSION_MAX,
    STEPS_WITHOUT_WORD,
)
from holloway.injection import session_state, step
from holloway.injection.step import StepActivity
from holloway.service.holloway import Holloway
from holloway.service.session_context import SessionReader
from holloway.store import registry
from holloway.store.pause_state import pause_folder
from tests.service.test_session_context import INVOICE, RECIPE
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; call it once"
Use = tuple[str, Mapping[str, object]]
"""A tool and its arguments."""


class Stepping:
    """One session of an agent that is past its quiet steps."""

    def __init__(self, memory: Holloway) -> None:
        self.reader = SessionReader(memory.opened, "s1", "coder")
        self.state = session_state.new_state({"step": STEPS_WITHOUT_WORD})

    def activity(self, *calls: Use) -> StepActivity:
        activity = StepActivity(self.reader.root)
        for tool, arguments in calls:
            activity.add_call({"tool_name": tool, "tool_input": arguments})
        return activity

    def __call__(self, *calls: Use, notes: Sequence[str] = (), cited: Sequence[str] = ()) -> str:
        return step.inject(self.reader, self.state, self.activity(*calls), notes=notes, cited=cited)


@pytest.fixture
def stepping(memory: Holloway) -> Stepping:
    return Stepping(memory)


def read(path: str = TOKENS) -> Use:
    return "Read", {"file_path": path}


def ran(command: str) -> Use:
    return "Bash", {"command": command}


def searched(pattern: str) -> Use:
    return "Grep", {"pattern": pattern}


def test_the_calls_of_a_step_tell_files_searches_edits_and_commands(stepping: Stepping) -> None:
    edit = ("Edit", {"file_path": INVOICE, "old_string": "a", "new_string": "b"})
    activity = stepping.activity(read(), edit, searched("refresh"), read())
    assert (list(activity.files), activity.edited, activity.searches) == ([TOKENS, INVOICE], {INVOICE}, ["refresh"])
    assert not activity.has_commands()
    activity.add_call({"tool_name": "Bash", "tool_input": {"command": "make"}})
    failed: dict[str, object] = {
        "tool_name": "Bash",
        "tool_input": {"command": "make it"},
        "hook_event_name": "PostToolUseFailure",
    }
    activity.add_call(failed)
    assert activity.has_commands()
    assert activity.successful_commands() == ["make"]


def test_calls_above_the_limit_are_ignored(stepping: Stepping) -> None:
    activity = stepping.activity(*(read(f"src/{number}.py") for number in range(step.CALLS_MAX)), searched("refresh"))
    assert (len(activity.files), activity.searches) == (step.CALLS_MAX, [])


def test_a_trap_of_an_opened_file_comes_once_and_is_paid_for(memory: Holloway, stepping: Stepping) -> None:
    trap = taught(memory, TRAP, files=[TOKENS])
    said = stepping(read())
    assert said.startswith(f"holloway on {TOKENS}: {TRAP} [hw:{trap.id}")
    assert stepping.state["spent"] == int(step.count_tokens(said)) + 1
    assert stepping(read()) == ""
    assert (stepping.state["step"], memory.times_shown(trap.id)) == (STEPS_WITHOUT_WORD + 2, 1)


def test_a_trap_that_the_agent_read_elsewhere_is_not_repeated(memory: Holloway, stepping: Stepping) -> None:
    trap = taught(memory, TRAP, files=[TOKENS])
    assert stepping(read(), cited=[trap.id]) == ""


def test_the_first_steps_only_bring_dead_ends(memory: Holloway, stepping: Stepping) -> None:
    taught(memory, TRAP, files=[TOKENS])
    dead_end = taught(memory, "Redis for sessions: CI has none", type="dead_end", files=[TOKENS])
    stepping.state["step"] = STEPS_WITHOUT_WORD - 1
    said = stepping(read(), notes=["a note"])
    assert f"hw:{dead_end.id}" in said
    assert TRAP not in said
    assert stepping.state["notes"] == 0
    assert TRAP in stepping(read())


@pytest.mark.parametrize("spent", [STEP_TOKENS_PER_SESSION_MAX, STEP_TOKENS_PER_SESSION_MAX - 10])
def test_after_the_budget_only_dead_ends_come(memory: Holloway, stepping: Stepping, spent: int) -> None:
    taught(memory, TRAP, files=[TOKENS])
    stepping.state["spent"] = spent
    assert stepping(read(), notes=["a note that is longer than what is left of the budget of it all"]) == ""
    taught(memory, "Redis for sessions: CI has none", type="dead_end", files=[TOKENS])
    said = stepping(read())
    assert "Redis for sessions" in said
    assert TRAP not in said


def test_memories_of_a_step_are_bounded_and_those_of_the_last_files_count(memory: Holloway, stepping: Stepping) -> None:
    for number in range(STEP_MEMORIES_MAX + 1):
        taught(memory, f"trap number {number} of the tokens", files=[TOKENS])
    others = [read(f"src/{number}.py") for number in range(STEP_FILES_MAX)]
    assert stepping(read(), *others) == ""
    assert stepping(read(), *others[1:]).count("[hw:") == STEP_MEMORIES_MAX


def test_new_notes_of_the_agent_come_once(stepping: Stepping) -> None:
    said = stepping(notes=["Dates are UTC", "Cents are integers"])
    assert said == "holloway: noted in this session:\n- Dates are UTC\n- Cents are integers"
    assert stepping(notes=["Dates are UTC", "Cents are integers"]) == ""
    assert stepping(notes=["Dates are UTC", "Cents are integers", "No Redis"]).endswith("session:\n- No Redis")


def test_notes_that_do_not_all_fit_are_the_latest() -> None:
    assert step.render_notes([], STEP_TOKENS_MAX) == ""
    assert step.render_notes(["a long story " * 500, "No Redis"], STEP_TOKENS_MAX).split("\n")[1:] == ["- No Redis"]
    assert step.render_notes(["a long story " * 500], STEP_TOKENS_MAX) == ""


def test_a_trap_comes_before_a_note_and_a_note_before_an_answer(memory: Holloway, stepping: Stepping) -> None:
    taught(memory, TRAP, files=[TOKENS])
    taught(memory, "def total(items) rounds at the end", files=[INVOICE])
    calls = (read(), searched("total"))
    assert TRAP in stepping(*calls, notes=["a note"])
    assert "a note" in stepping(*calls, notes=["a note"])
    assert "rounds at the end" in stepping(*calls, notes=["a note"])
    assert stepping(*calls, notes=["a note"]) == ""


def test_the_last_searches_are_answered(memory: Holloway, stepping: Stepping) -> None:
    known = taught(memory, "def total(items) rounds at the end", files=[INVOICE])
    others = [searched(f"word{number}") for number in range(STEP_SEARCHES_MAX)]
    assert stepping(searched("total"), *others) == ""
    assert stepping(searched("total"), cited=[known.id]) == ""
    said = stepping(searched("total"), *others[1:])
    assert said.startswith('holloway: known about "total": ')
    assert f"hw:{known.id}" in said


def test_the_next_step_of_a_recipe_comes_when_the_one_before_is_done(memory: Holloway, stepping: Stepping) -> None:
    recipe = taught(memory, "Adding a payment provider", type="workflow_recipe", details=RECIPE)
    session_state.follow_recipe(stepping.state, recipe.id)
    assert stepping(ran("echo")) == ""
    wrote = ("Write", {"file_path": "src/shop/billing/provider.py", "content": "x"})
    assert "step 2 of 4 comes next: Register it" in stepping(wrote)
    assert (stepping.state["reached"], stepping.state["told"]) == (1, 2)
    assert stepping(ran("echo")) == ""
    assert "step 4 of 4 comes next" in stepping(ran("pytest tests/billing -q"))
    assert stepping(("Edit", {"file_path": "README.md", "old_string": "a", "new_string": "b"})) == ""
    assert (stepping.state["reached"], stepping.state["told"]) == (4, 5)


def test_a_step_that_was_done_in_the_quiet_time_is_followed_by_the_next_one_later(
    memory: Holloway, stepping: Stepping
) -> None:
    recipe = taught(memory, "Adding a payment provider", type="workflow_recipe", details=RECIPE)
    session_state.follow_recipe(stepping.state, recipe.id)
    stepping.state["step"] = STEPS_WITHOUT_WORD - 1
    assert stepping(("Write", {"file_path": "src/shop/billing/provider.py", "content": "x"})) == ""
    assert stepping.state["reached"] == 1
    assert "step 2 of 4 comes next" in stepping()


def test_a_recipe_that_is_gone_or_does_not_fit_the_budget_is_silent(memory: Holloway, stepping: Stepping) -> None:
    recipe = taught(memory, "Adding a payment provider", type="workflow_recipe", details=RECIPE)
    session_state.follow_recipe(stepping.state, recipe.id)
    wrote = ("Write", {"file_path": "src/shop/billing/provider.py", "content": "x"})
    stepping.state["spent"] = STEP_TOKENS_PER_SESSION_MAX - 5
    assert stepping(wrote) == ""
    assert stepping.state["told"] == 0
    stepping.state["spent"] = 0
    memory.wrong(recipe.id, "outdated")
    assert stepping(wrote) == ""


def test_a_step_without_anything_to_say_does_not_open_the_store(
    memory: Holloway, stepping: Stepping, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SessionReader, "open", lambda *given: pytest.fail("it was opened"))
    assert stepping(ran("echo")) == ""
    stepping.state["step"] = 0
    assert stepping(searched("total"), notes=["a note"]) == ""


def test_nothing_comes_while_injection_is_paused(memory: Holloway, stepping: Stepping) -> None:
    taught(memory, TRAP, files=[TOKENS])
    pause_folder(memory.project.folder, "injection")
    assert registry.read_paused_mode(str(memory.project.folder)) == "injection"
    assert stepping(read()) == ""
