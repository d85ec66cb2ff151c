"""Where the work stands when a session ends."""

import pytest

from holloway.domain.event import SubtaskDone
from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import WorkState, WorkUnitOutcome
from holloway.domain.work import SessionSummary, WorkUnit
from holloway.observer.activity import SessionActivity
from holloway.observer.outcome import classify_session
from holloway.promotion.work_state import (
    CONSOLIDATED_FROM,
    close_committed_work,
    draft_unit_outcomes,
    draft_work_state,
    save_work,
)
from holloway.service.holloway import Holloway
from holloway.store.filter import Filter
from holloway.store.lookup import work_state_origin
from tests.conftest import Repository
from tests.observer.story import Story
from tests.service.learned import contents, learn


def test_a_step_that_a_memory_told_of_is_not_the_sessions_own_next_step() -> None:
    told = Story("s1", task="Raise the retry limit").edit("limits.toml").says("Next I'll add a test for the limit.")
    account = SessionActivity(told.says("I'll move the tokens into the vault [hw:1a2b3c4d].").red().pad())
    draft = draft_work_state(
        account, classify_session(account), SessionSummary("s1", "claude-code", "2026-01-05", "2026-01-05")
    )
    assert draft is not None
    assert isinstance(draft.details, WorkState)
    assert draft.details.next_step == "add a test for the limit"


def test_uncommitted_files_of_a_session_that_failed_are_open_work() -> None:
    story = Story("s1", task="Raise the retry limit").edit("limits.toml").red()
    activity = SessionActivity(story.pad())
    summary = SessionSummary("s1", "claude-code", "2026-01-05", "2026-01-05", branch="main", commit="abc")
    draft = draft_work_state(activity, classify_session(activity), summary)
    assert draft is not None
    assert draft.content == "Unfinished: Raise the retry limit; not committed: limits.toml"
    assert (draft.files, draft.branch_only, draft.commit) == (("limits.toml",), "main", "abc")
    assert isinstance(draft.details, WorkState)
    assert draft.details.uncommitted == ("limits.toml",)
    assert draft.details.last_failure


def test_a_session_without_a_work_unit_has_no_outcome_and_one_with_it_says_how_it_ended() -> None:
    story = Story("s1", task="Raise the retry limit").edit("limits.toml").red()
    activity = SessionActivity(story.pad())
    classification = classify_session(activity)
    free = SessionSummary("s1", "claude-code", "2026-01-05", "2026-01-05")
    assert draft_unit_outcomes(activity, classification, free) == []
    unit = WorkUnit("native", ("042", "3"))
    summary = SessionSummary("s1", "claude-code", "2026-01-05", "2026-01-05", work_unit=unit)
    (outcome,) = draft_unit_outcomes(activity, classification, summary)
    assert outcome.content.startswith(f"042/3 did not succeed in {activity.pad.step} steps")
    assert isinstance(outcome.details, WorkUnitOutcome)
    assert not outcome.details.succeeded
    assert outcome.details.files == ("limits.toml",)
    assert outcome.details.retries == 1
    assert outcome.origin.endswith("work_unit:s1:042/3")


def test_a_subtask_has_its_own_steps_files_failures_and_decisions() -> None:
    story = Story("s1").edit("a.py").red().green()
    story.event(SubtaskDone(story._tick(), "first", validated=False)).edit("b.py").commit(
        "Cache tokens\n\nThe limits are read once because the file is on a slow network share."
    )
    story.event(SubtaskDone(story._tick(), "second", validated=True)).edit("c.py")
    activity = SessionActivity(story.pad())
    summary = SessionSummary("s1", "claude-code", "2026-01-05", "2026-01-05", work_unit=WorkUnit("native", ("u",), "U"))
    drafts = draft_unit_outcomes(activity, classify_session(activity), summary)
    whole, first, second = (draft.details for draft in drafts)
    assert isinstance(whole, WorkUnitOutcome)
    assert isinstance(first, WorkUnitOutcome)
    assert isinstance(second, WorkUnitOutcome)
    assert (first.files, first.steps, first.retries, first.decisions) == (("a.py",), 3, 1, ())
    assert (second.files, second.steps, second.retries, second.failure) == (("b.py",), 2, 0, "")
    assert second.decisions == ("The limits are read once because the file is on a slow network share",)
    assert (whole.steps, len(whole.files)) == (6, 3)


def test_unfinished_work_ends_when_its_files_are_committed_on_any_branch(
    memory: Holloway, repository: Repository
) -> None:
    learn(memory, Story("s1", task="Raise the retry limit").edit("limits.toml").edit("src/b.py").red())
    repository.git("checkout", "-q", "-b", "elsewhere")
    repository.commit("limits.toml", "x = 1\n")
    assert close_committed_work(memory.store) == []
    repository.commit("src/b.py", "x = 1\n")
    (repository.root / "src/b.py").write_text("x = 2\n")
    assert close_committed_work(memory.store) == [], "it was changed again"
    repository.git("checkout", "-q", "src/b.py")
    (closed,) = close_committed_work(memory.store)
    assert closed.deleted_reason == "its files were committed"
    assert contents(memory, MemoryType.WORK_STATE) == []


def summarize(session: str = "s1", *, unit: WorkUnit | None = None) -> SessionSummary:
    return SessionSummary(session, "claude-code", "2026-01-05", "2026-01-05", branch="main", work_unit=unit)


def save(memory: Holloway, story: Story, session: str = "s1", *, unit: WorkUnit | None = None) -> None:
    activity = SessionActivity(story.pad())
    save_work(memory.store, activity, classify_session(activity), summarize(session, unit=unit))


def with_subtasks(count: int, validated: int) -> Story:
    story = Story("s1", task="Raise the retry limit").edit("limits.toml")
    for number in range(count):
        story.event(SubtaskDone(2_000.0, f"part {number}", number < validated))
    return story.green()


def test_a_session_that_succeeded_leaves_no_open_work_unless_its_plan_has_open_steps() -> None:
    activity = SessionActivity(Story("s1", task="Raise it").edit("limits.toml").green().pad())
    assert draft_work_state(activity, classify_session(activity), summarize()) is None
    planned = Story("s1", task="Raise it").plan("Edit it", "Test it", "Ship it", done=1).edit("limits.toml").green()
    activity = SessionActivity(planned.pad())
    draft = draft_work_state(activity, classify_session(activity), summarize())
    assert draft is not None
    assert isinstance(draft.details, WorkState)
    assert (draft.details.done, draft.details.open) == (("Edit it",), ("Test it", "Ship it"))
    assert "; 1 of 3 steps done; not committed: limits.toml" in draft.content
    assert draft.details.last_failure == ""


def test_a_committed_file_is_no_open_work_and_one_edited_again_is() -> None:
    story = Story("s1", task="Raise it").edit("limits.toml").edit("old.toml").commit().edit("limits.toml").red()
    activity = SessionActivity(story.pad())
    draft = draft_work_state(activity, classify_session(activity), summarize())
    assert draft is not None
    assert draft.files == ("limits.toml",)


def test_open_work_is_replaced_by_a_later_session_and_removed_by_the_one_that_finishes_it(
    memory: Holloway,
) -> None:
    def open_work() -> list[str]:
        stored = memory.store.memories.find_memories(Filter(types=(MemoryType.WORK_STATE,)), limit=-1)
        return [each.content for each in stored]

    save(memory, Story("s1", task="Raise it").edit("limits.toml").red())
    first = memory.store.memories.find_by_origin(work_state_origin("main"))
    assert first is not None
    save(memory, Story("s1", task="Raise it").edit("limits.toml").red())
    assert open_work() == ["Unfinished: Raise it; not committed: limits.toml"]
    assert memory.get(first.id).is_alive
    save(memory, Story("s2", task="Lower it").edit("limits.toml").red(), "s2")
    assert open_work() == ["Unfinished: Lower it; not committed: limits.toml"]
    assert not memory.get(first.id).is_alive
    save(memory, Story("s3").edit("other.toml").green(), "s3")
    assert len(open_work()) == 1
    second = memory.store.memories.find_by_origin(work_state_origin("main"))
    assert second is not None
    save(memory, Story("s4").edit("limits.toml").green(), "s4")
    assert open_work() == []
    assert memory.get(second.id).deleted_reason == "done in s4"


@pytest.mark.parametrize(
    ("count", "validated", "labels"),
    [
        (2, 1, ["Spec 42 succeeded", "part 0 succeeded", "part 1 did not succeed"]),
        (CONSOLIDATED_FROM, CONSOLIDATED_FROM, ["Spec 42 succeeded", "10 subtasks of Spec 42, 10 validated succeeded"]),
        (CONSOLIDATED_FROM, 4, ["Spec 42 succeeded", "10 subtasks of Spec 42, 4 validated did not succeed"]),
    ],
)
def test_subtasks_have_outcomes_and_many_of_them_share_one(count: int, validated: int, labels: list[str]) -> None:
    activity = SessionActivity(with_subtasks(count, validated).pad())
    summary = summarize(unit=WorkUnit("native", ("42",), "Spec 42"))
    drafts = draft_unit_outcomes(activity, classify_session(activity), summary)
    assert [draft.content.partition(" in ")[0] for draft in drafts] == labels
    assert len({draft.origin for draft in drafts}) == len(labels)


def test_the_outcome_of_a_work_unit_is_stored_once(memory: Holloway) -> None:
    unit = WorkUnit("native", ("42",), "Spec 42")
    for _ in range(2):
        save(memory, with_subtasks(1, 1), unit=unit)
    stored = memory.store.memories.find_memories(Filter(types=(MemoryType.WORK_UNIT_OUTCOME,)), limit=-1)
    assert sorted(each.content.partition(" in ")[0] for each in stored) == ["Spec 42 succeeded", "part 0 succeeded"]
