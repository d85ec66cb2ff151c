import sqlite3
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holloway.config import QUERY_TERMS_MAX
from holloway.text.identifiers import (
    count_words,
    expand_words,
    is_unspaced,
    match_any,
    query_terms,
    quote_term,
    search_text,
    split_identifier,
    split_sentences,
)

HOSTILE = st.text(
    st.sampled_from(list('"*():^-+{}<>=AND OR NOT NEAR \x00\n\t\\;%_') + list(string.ascii_letters)), max_size=60
)
DATABASE = sqlite3.connect(":memory:", check_same_thread=False)


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("parseHTTPResponse", ["parse", "http", "response"]),
        ("parse_http_response", ["parse", "http", "response"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("__init__", ["init"]),
        ("utf8", ["utf", "8"]),
        ("größeÄndern", ["grösse", "ändern"]),
        ("Straße", ["strasse"]),
        ("zażółć_gęślą", ["zażółć", "gęślą"]),
        ("用户Name", ["用户", "name"]),
    ],
)
def test_an_identifier_falls_into_its_parts(identifier: str, expected: list[str]) -> None:
    assert split_identifier(identifier) == expected


def test_both_spellings_of_an_identifier_give_the_same_words() -> None:
    assert expand_words("parseHTTPResponse") == expand_words("parse_http_response")


def test_paths_and_dotted_names_fall_into_words() -> None:
    assert expand_words("src/auth/tokens.py") == ["src", "auth", "tokens", "py"]
    assert expand_words("os.path.join") == ["os", "path", "join"]


@given(st.text(max_size=200))
def test_any_text_gives_words_without_white_space(text: str) -> None:
    assert all(word == "".join(word.split()) for word in expand_words(text))
    assert isinstance(search_text(text), str)


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


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("Run it. Then stop! Why? 3 reasons.", ["Run it.", "Then stop!", "Why?", "3 reasons."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Use a lock, e.g. the one in store.py. `make test` checks it.", 2),
        ("See config.py and docs/a.md for that.", 1),
        ("It fails for the same reason.Wait, the cache is stale.", 2),
        ("Two kinds: One is fast.", 1),
        ("", 0),
    ],
)
def test_a_line_is_split_where_a_sentence_ends(line: str, sentences: list[str] | int) -> None:
    found = [sentence.rstrip() for sentence in split_sentences(line)]
    assert (len(found) if isinstance(sentences, int) else found) == sentences


@given(st.text(alphabet="ab AB.!?:\"'`)( \t1", max_size=60))
def test_joined_sentences_are_the_line(line: str) -> None:
    sentences = split_sentences(line)
    assert "".join(sentences) == line
    assert all(sentences)


@pytest.mark.parametrize(
    ("text", "count"),
    [("go on", 2), ("", 0), ("исправь отчёт", 2), ("売上レポートを直して", 6), ("修复 cart", 3), ("ไทย", 2)],
)
def test_words_are_counted_in_scripts_without_spaces_too(text: str, count: int) -> None:
    assert count_words(text) == count


def test_only_scripts_without_spaces_run_on() -> None:
    assert [word for word in ("cart", "größe", "продажи", "売上", "한국어") if is_unspaced(word)] == ["売上"]
