"""A long text is never cut inside of a token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.sanitize import one_line
from holloway.text.truncation import cut_end, cut_start

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("limit", range(1, 60))
def test_a_token_is_whole_or_gone(limit: int) -> None:
    text = f"words {TOKEN} more"
    for part in (cut_start(text, limit), cut_end(text, limit)):
        assert len(part) <= limit
        assert TOKEN in part or TOKEN[:4] not in part
        assert TOKEN in part or TOKEN[-4:] not in part


def test_text_without_spaces_is_cut_anywhere_and_a_token_in_it_is_not() -> None:
    assert cut_start("\u672c\u756a\u74b0\u5883", 2) == "\u672c\u756a"
    assert cut_end("\u672c\u756a\u74b0\u5883", 2) == "\u74b0\u5883"
    assert cut_start(f"\u672c\u756a{TOKEN}", 10) == "\u672c\u756a"


def test_a_line_is_not_cut_inside_of_a_token_either() -> None:
    assert one_line(f"Rotate {TOKEN}", 30) == "Rotate\u2026"
    assert one_line(TOKEN, 30) == "\u2026"


@given(st.text(max_size=50), st.integers(0, 60))
def test_a_part_is_a_part_and_not_too_long(text: str, limit: int) -> None:
    assert text.startswith(cut_start(text, limit))
    assert text.endswith(cut_end(text, limit))
    assert max(len(cut_start(text, limit)), len(cut_end(text, limit))) <= max(limit, 0)
