from hypothesis import given
from hypothesis import strategies as st

from holloway.text.tokens import estimate


def test_prose_costs_about_a_token_a_word() -> None:
    assert 9 <= estimate("The quick brown fox jumps over the lazy dog today") <= 13


def test_nothing_costs_nothing() -> None:
    assert estimate("") == 0


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_costs_less(one: str, other: str) -> None:
    assert estimate(one + "\n" + other) >= max(estimate(one), estimate(other)) - 1
