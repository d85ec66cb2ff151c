"""Ordinary English words are told from names of a project."""

import pytest

from holloway.embeddings.vocabulary import is_ordinary_word


@pytest.mark.parametrize(
    "word",
    ["table", "tables", "caching", "stopped", "user-defined", "it's", "x", "ab", "quick_fix", "brooder", "beatingly"],
)
def test_a_word_its_forms_and_its_compounds_are_ordinary(word: str) -> None:
    assert is_ordinary_word(word)


@pytest.mark.parametrize("word", ["zorbleflux", "zorbleflux-table", "qqxzs", "xyzzying", "aaaing", "aacly"])
def test_a_word_that_nobody_uses_is_not_ordinary(word: str) -> None:
    assert not is_ordinary_word(word)
