import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.errors import InvalidInput
from holloway.text.sanitize import bounded_text, clean_text, one_line, strip_invisible, summarise_text

HIDDEN = {
    "bidi override": "safe\u202etxet\u202c",
    "zero width space": "pass\u200bword",
    "tag characters": "a\U000e0041\U000e0042b",
    "escape sequence": "\x1b[31mred\x1b[0m",
    "null": "a\x00b",
    "byte order mark": "\ufeffa",
    "private use": "a\ue000b",
    "soft hyphen": "so\u00adft",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_hidden_characters_are_dropped(text: str) -> None:
    assert all(char in "\n\t" or unicodedata.category(char)[0] != "C" for char in clean_text(text))


@pytest.mark.parametrize(
    "text", ["naïve café", "日本語のテスト", "👩‍💻 works", "नमस्ते क्‍ष", "tab\there", "two\nlines", "a → b"]
)
def test_ordinary_text_of_any_script_stays_as_it_is(text: str) -> None:
    assert clean_text(text) == text


def test_line_ends_of_every_kind_become_one() -> None:
    assert clean_text("a\r\nb\rc") == "a\nb\nc"


TROUBLE = st.text(st.sampled_from("ae\u0301\u0316\u200d\u200c\u200b\u212aé\n"), max_size=80)


@given(st.text(max_size=300) | TROUBLE)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


def test_a_letter_carries_no_more_marks_than_a_script_has_use_for() -> None:
    marks = "\u0316\u0301"
    assert clean_text("a" + marks * 4) == unicodedata.normalize("NFC", "a" + marks * 4)
    assert clean_text("a" + marks * 50_000) == clean_text("a" + marks * 15)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("\u200b", "is empty"),
        ("x" * 11, "11 characters"),
        ("é" * 9, "18 bytes"),
    ],
)
def test_empty_and_overlong_texts_are_refused_with_a_figure(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        bounded_text(text, 10, "The memory")
    assert said in caught.value.message
    assert caught.value.hint


def test_bytes_that_are_not_utf8_are_named() -> None:
    with pytest.raises(InvalidInput, match="not UTF-8"):
        bounded_text("a\udcffb", 10, "The memory")


def test_a_long_line_is_cut_at_a_word() -> None:
    assert one_line("one two three four five", 15) == "one two three…"
    assert one_line("short", 15) == "short"


def test_a_summary_is_as_many_whole_sentences_as_fit() -> None:
    text = "tests/auth hangs without REDIS_URL set. Nobody knows why, but it has been so since March."
    assert summarise_text(text, 160) == text.rstrip(".")
    assert summarise_text(text, 60) == "tests/auth hangs without REDIS_URL set"
    assert summarise_text("one two three four five six", 15) == "one two three…"


def test_a_summary_does_not_end_at_an_abbreviation() -> None:
    text = "Pass a lock to the writer, e.g. the one of the project. Otherwise two writers corrupt the index file."
    assert summarise_text(text, 80) == "Pass a lock to the writer, e.g. the one of the project"
    assert summarise_text(text, 45) == "Pass a lock to the writer, e.g. the one of…"


@given(st.text(min_size=1, max_size=600), st.integers(20, 200))
def test_a_summary_is_one_line_within_its_limit(text: str, limit: int) -> None:
    made = summarise_text(text, limit)
    assert len(made) <= limit
    assert "\n" not in made


def test_invisible_characters_are_removed_and_indentation_stays() -> None:
    assert strip_invisible("\x1b[31m  a\tb\n\u202ec\x00\ud800d") == "[31m  a\tb\ncd"
