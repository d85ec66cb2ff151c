"""Figures of the work in a session."""

from typing import Any

import pytest

from holloway.domain.event import SubtaskDone
from holloway.proof.record_fields import EARLY_STEPS
from holloway.proof.session_facts import InjectedMemory, SessionFacts
from holloway.proof.work_metrics import measure_work, search_tokens
from holloway.text.failures import fingerprint_failure, list_errors
from holloway.text.tokens import estimate_tokens
from tests.observer.story import Story

FOUND = "src/app.py: def total(items):\n" * 40


def measure(story: Story, **before: Any) -> dict[str, Any]:
    return measure_work(story.account(), SessionFacts(**before))


def test_what_a_command_printed_counts_once_though_it_listed_and_searched() -> None:
    account = Story().shell("ls src && grep -rn total src", FOUND).account()

    assert len(account.filter_kinds("search", "list")) == 2
    assert search_tokens(account) == estimate_tokens(FOUND)


def test_the_results_of_two_searches_add_up() -> None:
    account = Story().shell("grep -rn total src", FOUND).shell("grep -rn total src", FOUND).account()

    assert search_tokens(account) == 2 * estimate_tokens(FOUND)


@pytest.mark.promise("session-record")
def test_the_record_tells_what_the_session_did_beside_what_was_known_before() -> None:
    story = Story().read("src/app.py", "src/cart.py").edit("src/app.py").red().green()
    dead_ends = frozenset({"src/app.py", "src/cart.py"})
    figures = measure(story, files=frozenset({"src/app.py"}), dead_end_files=dead_ends)
    assert (figures["tool_calls"], figures["errors"], figures["steps_to_first_edit"]) == (5, 1, 3)
    assert (figures["first_reads"], figures["known_files_read_again"], figures["files_edited"]) == (2, 1, 1)
    assert figures["dead_ends_entered"] == 1, "a file that was only read is not entered"


def test_discovery_is_counted_in_the_first_steps_and_in_all() -> None:
    story = Story().search("total", "a.py").list("*.py", "a.py").read("src/a.py", "src/a.py")
    for _ in range(EARLY_STEPS - 5):
        story.shell("make lint")
    story.read("src/last_early.py").read("src/late.py").search("late")

    figures = measure(story)

    assert (figures["discovery_calls"], figures["discovery_calls_early"]) == (6, 4)


def test_each_read_of_a_known_file_is_counted_apart_from_the_files() -> None:
    story = Story().read("src/a.py", "src/b.py", "src/a.py").edit("src/c.py").read("src/c.py")
    figures = measure(story, files=frozenset({"src/a.py", "src/c.py"}))
    assert (figures["first_reads"], figures["known_files_read_again"], figures["known_file_reads"]) == (2, 1, 3)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("mcp__holloway__search_memory", 1),
        ("mcp__plugin_holloway-mcp_holloway__locate", 1),
        ("mcp__holloway__record_memory", 0),
        ("mcp__other__search_memory", 0),
    ],
)
def test_questions_to_our_own_tools_are_explicit_searches(tool: str, expected: int) -> None:
    assert measure(Story().tool(tool))["explicit_searches"] == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd shop && holloway recall 'refund ledger' | head", 1),
        ("uv run holloway locate 'fix the login' --json", 1),
        ("python -m holloway ask 'why two clients'", 1),
        ("holloway status", 0),
        ("grep -rn 'holloway recall' docs", 0),
        ("holloway", 0),
        ("notes recall holloway", 0),
    ],
)
def test_questions_on_the_command_line_are_explicit_searches(command: str, expected: int) -> None:
    assert measure(Story().shell(command))["explicit_searches"] == expected


def test_what_did_not_happen_or_was_not_told_is_unknown_and_not_zero() -> None:
    figures = measure(Story().read("src/app.py"))
    unknown = {name for name, value in figures.items() if value is None}
    assert unknown == {
        "steps_to_first_edit",
        "resumed",
        "steps_to_orientation",
        "planned_steps",
        "planned_subtasks",
        "actual_subtasks",
        "plan_accuracy",
        "qa_first_pass",
        "qa_fix_cycles",
        "tokens_in",
        "tokens_out",
        "context_peak",
    }
    assert measure(Story().uses(900))["tokens_in"] == 900


def test_counts_of_what_a_full_scratchpad_let_go_of_are_unknown() -> None:
    account = Story().read("src/app.py").search("total").edit("src/app.py").account()
    account.pad.evicted = ("file_access",)

    figures = measure_work(account, SessionFacts())

    assert [figures[name] for name in ("first_reads", "discovery_calls", "search_tokens")] == [None] * 3
    assert (figures["tool_calls"], figures["files_edited"]) == (3, 1)


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (Story().read("a.py", "b.py").edit("a.py").green(), 3),
        (Story().read("a.py").green().edit("a.py"), 2),
        (Story().shell("sleep 1").shell("# nothing").edit("a.py"), 3),
        (Story().read("a.py").edit("a.py", ok=False).read("b.py").edit("a.py"), 4),
        (Story().read("a.py"), None),
    ],
)
def test_a_resumed_session_is_oriented_at_its_first_edit_or_test_run(story: Story, expected: int | None) -> None:
    assert measure(story, resumed=True)["steps_to_orientation"] == expected
    assert measure(story, resumed=False)["steps_to_orientation"] is None


def test_orientation_is_counted_from_where_the_session_was_resumed() -> None:
    story = Story().read("a.py").edit("a.py").green()
    resumed_at = story.account().pad.last_at + 1
    story.read("b.py", "c.py").edit("b.py")

    assert measure(story, resumed=True, resumed_at=resumed_at)["steps_to_orientation"] == 3
    assert measure(story, resumed=True)["steps_to_orientation"] == 2
    assert measure(story, resumed=True, resumed_at=resumed_at + 9_999)["steps_to_orientation"] is None


def test_planned_steps_are_compared_with_those_that_were_taken() -> None:
    over = measure(Story(planned_steps=2).read("a.py", "b.py", "c.py", "d.py").plan("one", "two"))
    assert (over["planned_steps"], over["tool_calls"], over["plan_accuracy"]) == (2, 4, 0.5)
    under = measure(Story(planned_steps=8).read("a.py", "b.py"))
    assert under["plan_accuracy"] == 0.25


def test_a_plan_that_grew_is_compared_with_its_first_version() -> None:
    figures = measure(Story().plan("one", "two", "three").read("a.py").plan("one", "two", "three", "four"))
    assert (figures["planned_subtasks"], figures["actual_subtasks"], figures["plan_accuracy"]) == (3, 4, 0.75)
    assert figures["planned_steps"] is None


def test_without_a_plan_finished_subtasks_are_the_actual_ones() -> None:
    story = (
        Story().event(SubtaskDone(1_010.0, "one", validated=True)).event(SubtaskDone(1_020.0, "two", validated=False))
    )
    figures = measure(story)
    assert (figures["planned_subtasks"], figures["actual_subtasks"], figures["plan_accuracy"]) == (None, 2, None)


@pytest.mark.parametrize(
    ("verdicts", "first_pass", "cycles"),
    [([True], True, 0), ([False], False, 0), ([False, False, True], False, 2), ([True, False], True, 0)],
)
def test_the_first_check_and_the_cycles_until_the_last_are_kept(
    verdicts: list[bool], first_pass: bool, cycles: int
) -> None:
    story = Story().edit("a.py")
    for passed in verdicts:
        story.qa(passed=passed)
    figures = measure(story)
    assert (figures["qa_first_pass"], figures["qa_fix_cycles"]) == (first_pass, cycles)


MISSING = "E   ModuleNotFoundError: No module named 'redis'\n1 failed in 0.2s"
UNDEFINED = "src/a.go:3:2: undefined: Foo\nmake: *** [build] Error 1"
REDIS = fingerprint_failure(list_errors(MISSING)[0])


def two_errors() -> Story:
    story = (
        Story().shell("pytest -q", MISSING, ok=False).read("pyproject.toml").shell("pip install redis", "ok").green()
    )
    return story.shell("make build", UNDEFINED, ok=False).read("src/a.go")


def test_each_error_has_the_steps_until_it_was_gone() -> None:
    figures = measure(two_errors())
    assert figures["error_runs"] == [[False, False, 3], [False, False, None]]
    assert (figures["errors"], figures["errors_known"], figures["errors_told"]) == (2, 0, 0)


@pytest.mark.parametrize(("seconds_after", "is_told"), [(0, True), (180, True), (181, False)])
def test_the_fix_of_a_known_error_is_told_only_before_the_error_is_gone(seconds_after: float, is_told: bool) -> None:
    failed_at = two_errors().account().entries[0].action.at
    shown = (InjectedMemory("a1", "tool_result", failed_at + seconds_after, fingerprint=REDIS),)

    figures = measure(two_errors(), errors=frozenset({REDIS}), shown=shown)

    assert figures["error_runs"][0] == [True, is_told, 3]
    assert (figures["errors_known"], figures["errors_told"]) == (1, int(is_told))


def test_a_fix_of_another_error_is_not_the_fix() -> None:
    shown = (InjectedMemory("a1", "tool_result", 0.0, fingerprint="another"), InjectedMemory("b2", "tool_result", 0.0))
    assert measure(two_errors(), errors=frozenset({REDIS}), shown=shown)["errors_told"] == 0


def test_a_fix_that_somebody_taught_is_told_though_no_session_knew_the_error() -> None:
    figures = measure(two_errors(), shown=(InjectedMemory("a1", "prompt", 0.0, fingerprint=REDIS),))
    assert figures["error_runs"][0] == [False, True, 3]
    assert (figures["errors_known"], figures["errors_told"]) == (0, 0)


def test_an_error_that_came_twice_is_one_error() -> None:
    story = two_errors().shell("pytest -q", MISSING, ok=False).green()
    assert measure(story, errors=frozenset({REDIS}))["errors_known"] == 1


def test_two_agents_errors_are_followed_apart() -> None:
    call, result = Story(actor="one").shell("pytest -q", MISSING, ok=False).told[1:]
    story = Story(actor="two").event(call).event(result).green()
    assert measure(story)["error_runs"] == [[False, False, None]], "the other agent's green run is not the fix"
