"""Rows of memories as an agent reads them."""

from __future__ import annotations

import pytest

from holloway.config import TOOL_RESULT_TOKENS_MAX
from holloway.injection.memory_text import render_row, render_rows
from holloway.text.tokens import MARGIN, estimate_tokens
from tests.injection.test_tool_result import ROW


def test_a_memory_about_a_file_names_it_and_one_about_none_the_error() -> None:
    assert render_row(ROW) == (
        "holloway on src/auth/tokens.py: refresh() burns the token [hw:7f3a2c, 3 sessions, last 12 Oct]"
    )
    assert render_row({**ROW, "path": ""}).startswith("holloway on this error: refresh()")
    taught = {**ROW, "source": "user_taught", "sessions": "[]", "state": "stale", "type": "dead_end"}
    assert render_row(taught).endswith(
        ": possibly out of date: dead end: refresh() burns the token [hw:7f3a2c, taught, 12 Oct]"
    )


def test_a_fix_is_told_with_its_error_and_without_one_like_any_memory() -> None:
    details = {"error": "ECONNREFUSED", "fix": "set REDIS_URL"}
    told = render_row({**ROW, "as": "fix", "details": details})
    assert "ECONNREFUSED" in told
    assert "set REDIS_URL" in told
    assert "refresh()" not in told
    for other in ({"as": "fix", "details": {"error": "x"}}, {"as": "fix", "details": None}, {"details": details}):
        assert "refresh()" in render_row({**ROW, **other})
        assert "REDIS_URL" not in render_row({**ROW, **other})


def test_an_answer_repeats_what_was_searched_for() -> None:
    told = render_row({**ROW, "as": "answer", "pattern": "refresh"})
    assert told.startswith('holloway: known about "refresh": refresh() burns the token [hw:')


@pytest.mark.parametrize(
    ("details", "text"),
    [
        ({"reason": "not in CI", "alternative": "SQLite"}, "Redis; not in CI; instead: SQLite"),
        ({"reason": "not in CI"}, "Redis; not in CI"),
        ({"reason": "Redis", "alternative": "Redis"}, "Redis"),
        (None, "Redis"),
    ],
)
def test_a_dead_end_adds_what_its_sentence_does_not_say(details: object, text: str) -> None:
    row = {**ROW, "type": "dead_end", "summary": "Redis", "details": details}
    assert f": dead end: {text} [hw:" in render_row(row)
    assert ": Redis [hw:" in render_row({**row, "type": "gotcha"})


def test_rows_are_shown_up_to_the_first_that_does_not_fit() -> None:
    rows = [{**ROW, "id": f"{number:06x}"} for number in range(40)]
    text, ids = render_rows(rows)
    assert ids == [f"{number:06x}" for number in range(len(ids))]
    assert 1 < len(ids) < 40
    assert text.split("\n") == [render_row(row) for row in rows[: len(ids)]]
    assert estimate_tokens(text) * MARGIN <= TOOL_RESULT_TOKENS_MAX
    one_more = "\n".join([text, render_row(rows[len(ids)])])
    assert estimate_tokens(one_more) * MARGIN > TOOL_RESULT_TOKENS_MAX
    assert render_rows(rows, 3) == ("", [])
