"""Details of a memory add a reason, an alternative or a fix to its line."""

import pytest

from holloway.domain.memory_details import (
    Calibration,
    CausalDependency,
    DeadEnd,
    Decision,
    ErrorFix,
    Prefetch,
    WorkState,
    details_summary,
    without_quotes,
)


@pytest.mark.parametrize(
    ("details", "summary"),
    [
        (DeadEnd("Redis", "not in CI"), "not in CI"),
        (DeadEnd("Redis", "not in CI", "SQLite"), "not in CI; instead: SQLite"),
        (ErrorFix("refused", "set REDIS_URL"), "fix: set REDIS_URL"),
        (Decision("apps use it"), "apps use it"),
        (CausalDependency("a.py", "b.py", "generated"), "generated"),
        (Prefetch("auth"), ""),
        (None, ""),
    ],
)
def test_details_are_summed_up_in_a_few_words(details: object, summary: str) -> None:
    assert details_summary(details) == summary


def test_steps_are_compared_with_the_plan_if_there_was_one() -> None:
    assert Calibration("auth", 6.0, 4.0, 3).ratio == 1.5
    assert Calibration("auth", 6.0, 0.0, 3).ratio == 1.0


def test_unfinished_work_without_quotes_keeps_only_what_the_project_knows() -> None:
    state = WorkState("fix it", ("a",), ("b",), ("c.py",), "boom", "retry")
    assert without_quotes(state) == WorkState("fix it", uncommitted=("c.py",))
