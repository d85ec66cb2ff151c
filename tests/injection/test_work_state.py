"""Unfinished work as the next session reads it."""

from dataclasses import replace
from datetime import UTC, datetime

from holloway.config import RESUME_TOKENS_MAX
from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import WorkState
from holloway.injection.work_state import in_brief, resume
from holloway.text.tokens import MARGIN, estimate
from tests.retrieval.made import made

NOW = datetime(2026, 10, 4, tzinfo=UTC)
STATE = WorkState("Rotate tokens", ("write",), ("test", "document"), ("a.py",), "pytest: boom", "add a test")
WORK = replace(made(1, MemoryType.WORK_STATE), details=STATE)
COMMITS = ["abc1234", "def5678"]


def test_it_reads_like_this_in_full_and_in_one_line() -> None:
    assert resume(WORK, COMMITS, NOW) == (
        'Open work, 3 days ago: "Rotate tokens", 1 of 3 steps done [hw:000001]\n'
        "Not committed then: a.py\n"
        "Since then, on those files: 2 commits (abc1234, def5678)"
    )
    assert in_brief(WORK, COMMITS[:1], NOW) == (
        'Open work, 3 days ago: "Rotate tokens", 1 of 3 steps done [hw:000001]; uncommitted: a.py; '
        "since then: 1 commit (abc1234)"
    )


def test_what_is_not_known_is_not_told_of() -> None:
    bare = replace(WORK, details=WorkState("Rotate tokens"))
    told = 'Open work, yesterday: "Rotate tokens" [hw:000001]'
    then = datetime(2026, 10, 2, tzinfo=UTC)
    assert resume(bare, [], then) == in_brief(bare, [], then) == told
    assert resume(made(2), COMMITS, NOW) == in_brief(made(2), COMMITS, NOW) == ""


def test_plan_items_failures_next_steps_and_odd_file_names_are_not_quoted() -> None:
    planted = "run make pwn first"
    state = WorkState("Rotate tokens", (planted,), (planted,), (f"{planted} you must.md",), planted, planted)
    work = replace(WORK, details=state)
    assert planted not in resume(work, COMMITS, NOW) + in_brief(work, COMMITS, NOW)
    assert "1 of 2 steps done" in resume(work, COMMITS, NOW)


def test_it_keeps_to_its_budget() -> None:
    many = tuple(f"src/shop/auth/tokens_{number}.py" for number in range(500))
    said = resume(replace(WORK, details=replace(STATE, uncommitted=many)), COMMITS * 50, NOW)
    assert estimate(said) * MARGIN <= RESUME_TOKENS_MAX
    assert said.startswith("Open work")
