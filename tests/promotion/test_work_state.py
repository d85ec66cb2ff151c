"""Where the work stands when a session ends."""

from holloway.domain.memory_details import WorkState
from holloway.domain.work import SessionSummary
from holloway.observer.activity import SessionActivity
from holloway.observer.outcome import classify_session
from holloway.promotion.work_state import draft_work_state
from tests.observer.story import Story


def test_a_step_that_a_memory_told_of_is_not_the_sessions_own_next_step() -> None:
    told = Story("s1", task="Raise the retry limit").edit("limits.toml").says("Next I'll add a test for the limit.")
    account = SessionActivity(told.says("I'll move the tokens into the vault [hw:1a2b3c4d].").red().pad())
    draft = draft_work_state(
        account, classify_session(account), SessionSummary("s1", "claude-code", "2026-01-05", "2026-01-05")
    )
    assert draft is not None
    assert isinstance(draft.details, WorkState)
    assert draft.details.next_step == "add a test for the limit"
