"""The table from kinds of statements to memory types."""

import time

import pytest

from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import DeadEnd
from holloway.errors import InvalidInput
from holloway.promotion.memory_kinds import (
    MEMORY_TYPES,
    choose_memory_type,
    choose_rule_type,
    parse_dead_end,
    parse_statement_details,
)

TRIED = "We tried Redis for the test sessions, but it did not work in CI; we use fakeredis instead."


@pytest.mark.parametrize(
    ("kind", "memory_type"),
    [
        ("convention", "pattern"),
        ("location", "module_insight"),
        ("workflow", "workflow_recipe"),
        ("coupling", "causal_dependency"),
        ("error_fix", "error_pattern"),
        ("dead_end", "dead_end"),
        ("gotcha", "gotcha"),
        ("decision", "decision"),
        ("task_calibration", "task_calibration"),
    ],
)
def test_each_kind_has_its_type(kind: str, memory_type: str) -> None:
    assert choose_memory_type(kind, "tokens live in src/auth") == memory_type


@pytest.mark.parametrize(
    ("rule", "memory_type"),
    [
        ("Never commit to main", "requirement"),
        ("Commits must name their ticket", "requirement"),
        ("Les commits doivent nommer leur ticket", "requirement"),
        ("I prefer pnpm over npm", "preference"),
        ("I always prefer small commits", "preference"),
        ("Small commits, please, in this project", "preference"),
    ],
)
def test_a_rule_that_obliges_is_a_requirement_and_a_taste_is_a_preference(rule: str, memory_type: str) -> None:
    assert choose_rule_type(rule) == choose_memory_type("user_rule", rule) == memory_type


def test_an_attempt_that_was_given_up_is_a_dead_end_whatever_its_kind() -> None:
    for kind in MEMORY_TYPES:
        assert choose_memory_type(kind, TRIED) is MemoryType.DEAD_END
    dead_end = DeadEnd("Redis for the test sessions", "did not work in CI", "fakeredis")
    assert parse_dead_end(TRIED) == dead_end
    assert parse_statement_details(MemoryType.DEAD_END, TRIED) == dead_end
    assert parse_statement_details(MemoryType.GOTCHA, TRIED) is None


@pytest.mark.parametrize(
    "text",
    ["I tried the tests and they pass.", "We use fakeredis instead of Redis.", "Try pnpm instead.", "It did not work."],
)
def test_a_sentence_without_attempt_reason_and_alternative_is_no_dead_end(text: str) -> None:
    assert parse_dead_end(text) is None


def test_an_unknown_kind_is_named_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="'feeling'") as caught:
        choose_memory_type("feeling")
    assert "user_rule" in caught.value.hint


def test_a_long_text_is_read_in_a_moment() -> None:
    started = time.monotonic()
    for text in ("tried to it " * 4_000, "tried x but it failed because " * 1_500, "a" * 50_000):
        parse_dead_end(text)
    assert time.monotonic() - started < 3
