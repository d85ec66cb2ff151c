"""Where the work stands when a session ends."""

from holloway.domain.event import SubtaskDone
from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import WorkState, WorkUnitOutcome
from holloway.domain.work import SessionSummary, WorkUnit
from holloway.observer.activity import SessionActivity
from holloway.observer.outcome import classify_session
from holloway.promotion.work_state import close_committed_work, draft_unit_outcomes, draft_work_state
from holloway.service.holloway import Holloway
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
