from holloway.observer.signals import workflow
from tests.observer.story import Story


def test_a_run_of_canonical_steps_is_a_sequence() -> None:
    told = (
        Story()
        .read("x.go")
        .edit("pkg/a/x.go")
        .edit("pkg/a/y.go")
        .shell("make fmt")
        .shell("make lint")
        .shell("go test ./...")
    )
    keys = [signal.key for signal in workflow.detect_sequence(told.account())]
    assert keys == ["edit pkg/a > run make fmt > run make lint > run go test"]


def test_reading_and_editing_alone_is_no_sequence() -> None:
    told = Story().read("a.py", "b.py", "c.py").edit("a.py").account()
    assert list(workflow.detect_sequence(told)) == []


def test_a_session_has_only_so_many_sequences() -> None:
    told = Story()
    for number in range(400):
        told.edit(f"d{number}/x.py").shell(f"tool{number} run")
    assert len(list(workflow.detect_sequence(told.account()))) <= workflow.SESSION_RECIPES_MAX


def test_whether_tests_came_before_the_code() -> None:
    (before,) = workflow.detect_test_order(Story().read("tests/test_a.py").edit("a.py").green().account())
    assert (before.facts["read_first"], before.facts["run_first"]) == (True, False)
    (after,) = workflow.detect_test_order(Story().edit("a.py").read("tests/test_a.py").account())
    assert after.facts["read_first"] is False


def test_without_tests_there_is_no_order() -> None:
    assert list(workflow.detect_test_order(Story().edit("a.py").account())) == []


def test_more_steps_than_planned_is_an_overrun() -> None:
    told = Story(planned_steps=4).edit("a/x.py").edit("a/x.py").edit("a/x.py").edit("a/x.py").edit("a/x.py")
    (signal,) = workflow.detect_step_overrun(told.account())
    assert (signal.key, signal.facts["planned"], signal.facts["actual"]) == ("a", 4, 5)


def test_as_many_steps_as_planned_is_none() -> None:
    told = (
        Story(planned_steps=5).edit("a/x.py").edit("a/x.py").edit("a/x.py").edit("a/x.py").edit("a/x.py").edit("a/x.py")
    )
    assert list(workflow.detect_step_overrun(told.account())) == []


def test_a_plan_that_grew_is_an_overrun_in_plan_items() -> None:
    told = Story().plan("a", "b", "c").edit("x/y.py").plan("a", "b", "c", "d", "e")
    (signal,) = workflow.detect_step_overrun(told.account())
    assert signal.facts["unit"] == "plan items"


def test_many_tokens_for_few_files_is_a_spike() -> None:
    (signal,) = workflow.detect_context_token_spike(Story().read("big/x.py").uses(90_000).account())
    assert (signal.key, signal.facts["tokens"]) == ("big", 90_000)
    assert list(workflow.detect_context_token_spike(Story().read("a", "b", "c", "d", "e").uses(90_000).account())) == []


def test_a_sequence_begins_with_a_change_and_ends_with_a_command() -> None:
    story = Story().green("make fmt").edit("src/api/schema.py").green("make generate").green("make lint").green()
    signals = list(workflow.detect_sequence(story.edit("src/web/page.py").account()))
    assert [signal.facts["steps"] for signal in signals] == [
        ["edit src/api", "run make generate", "run make lint", "run pytest"]
    ]
    assert signals[0].facts["files"] == ["src/api/schema.py", "", "", ""]
