import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.identifiers import expand_words, search_text, split_identifier, split_words


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
    assert split_words("os.path.join") == ["os", "path", "join"]


@given(st.text(max_size=200))
def test_any_text_gives_words_without_white_space(text: str) -> None:
    assert all(word == "".join(word.split()) for word in expand_words(text))
    assert isinstance(search_text(text), str)
