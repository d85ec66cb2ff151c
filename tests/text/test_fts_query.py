import sqlite3
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holloway.config import QUERY_TERMS_MAX
from holloway.text.fts_query import match_any, query_terms, quote_term

HOSTILE = st.text(
    st.sampled_from(list('"*():^-+{}<>=AND OR NOT NEAR \x00\n\t\\;%_') + list(string.ascii_letters)), max_size=60
)
DATABASE = sqlite3.connect(":memory:", check_same_thread=False)
DATABASE.execute("CREATE VIRTUAL TABLE IF NOT EXISTS t USING fts5(x)")
ROW = {"and", "or", "not", "near", "auth", "token"}
DATABASE.execute("INSERT INTO t VALUES (?)", (" ".join(sorted(ROW)),))


def matches(expression: str) -> bool:
    return bool(DATABASE.execute("SELECT 1 FROM t WHERE t MATCH ?", (expression,)).fetchall())


@settings(max_examples=2_000)
@given(HOSTILE | st.text(max_size=80))
@example('"; DROP TABLE t; --')
@example("NEAR(a b, 2)")
@example("x AND")
def test_whatever_is_asked_finds_the_row_that_has_one_of_its_words(query: str) -> None:
    found = query_terms(query)
    if set(found) & ROW:
        assert matches(match_any(found))
    elif found and query.isascii():
        assert not matches(match_any(found))


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20))
def test_any_word_is_a_literal_beside_one_that_matches(word: str) -> None:
    assert matches(f'{quote_term(word)} OR "auth"')


@pytest.mark.promise("query-is-data")
def test_operators_are_words_like_others() -> None:
    assert match_any(query_terms("auth NEAR token")) == '"auth" OR "near" OR "token"'


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert query_terms("where is the token") == ["token"]
    assert query_terms("what is it") == ["what", "is", "it"]


def test_a_query_of_any_length_is_bounded() -> None:
    assert len(query_terms(" ".join(f"word{number}" for number in range(10_000)))) <= QUERY_TERMS_MAX
