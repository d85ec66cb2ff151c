import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.identifiers import expanded, parts, search_text, words


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
    assert parts(identifier) == expected


def test_both_spellings_of_an_identifier_give_the_same_words() -> None:
    assert expanded("parseHTTPResponse") == expanded("parse_http_response")


def test_paths_and_dotted_names_fall_into_words() -> None:
    assert expanded("src/auth/tokens.py") == ["src", "auth", "tokens", "py"]
    assert words("os.path.join") == ["os", "path", "join"]


@given(st.text(max_size=200))
def test_any_text_gives_words_without_white_space(text: str) -> None:
    assert all(word == "".join(word.split()) for word in expanded(text))
    assert isinstance(search_text(text), str)
