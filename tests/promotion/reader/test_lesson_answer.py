"""Answers may be anything: what has not the form of a lesson is refused with a reason, and nothing raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.config import READER_ANSWER_CHARS_MAX, STRETCH_LESSONS_MAX
from holloway.promotion.reader.lesson_answer import parse_answer
from tests.promotion.reader.reading import answer, lesson

TEXT = "The cache of the tokens is filled at start"
KEY = "ghp_" + "a1B2c3D4e5F6" * 3


def test_a_lesson_is_read_with_its_place() -> None:
    first, second = parse_answer(answer(lesson(TEXT, "filled at start"), lesson(f"{TEXT} too", "x y z")), 4).lessons
    assert (first.text, first.quotes[0].text, first.stretch, first.place) == (TEXT, "filled at start", 4, 1)
    assert second.place == 2


def test_words_and_fences_around_the_object_are_ignored() -> None:
    assert len(parse_answer(f"Here it is:\n```json\n{answer(lesson(TEXT, 'abc'))}\n```").lessons) == 1


def test_no_lesson_is_a_normal_answer() -> None:
    assert parse_answer('{"lessons": []}') == ((), (), "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I found nothing.",
        "[]",
        "[" * 50_000,
        '{"lessons":' * 5_000,
        '{"lessons": {}}',
        '{"lessons": ' + "9" * 30_000 + "}",
        "x" * (READER_ANSWER_CHARS_MAX + 1),
        '{"lessons": NaN}',
    ],
)
def test_an_answer_that_is_not_the_object_has_an_error(text: str) -> None:
    parsed = parse_answer(text)
    assert parsed.lessons == ()
    assert parsed.error


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"text": "short"}, "its text is not between"),
        ({"text": "x" * 2_000}, "its text is not between"),
        ({"text": ["a list"]}, "its text is not between"),
        ({"kind": "sermon"}, "none of the known kinds"),
        ({"trigger": "always"}, "none of the known triggers"),
        ({"trigger": {"on": "never", "value": ""}}, "none of the known triggers"),
        ({"quotes": []}, "it has no quote"),
        ({"quotes": "a text"}, "it has no quote"),
    ],
)
def test_a_lesson_without_its_form_is_refused(change: dict[str, object], reason: str) -> None:
    parsed = parse_answer(json.dumps({"lessons": [lesson(TEXT, "abc") | change]}))
    assert parsed.lessons == ()
    assert reason in parsed.refused[0].reason


def test_a_quote_that_is_no_text_stays_as_one_that_nothing_has() -> None:
    (parsed,) = parse_answer(
        json.dumps({"lessons": [lesson(TEXT, "abc") | {"quotes": ["abc", 7, "y" * 9_000]}]})
    ).lessons
    assert [quote.text for quote in parsed.quotes] == ["abc", "", ""]


def test_lessons_beyond_the_limit_are_refused() -> None:
    parsed = parse_answer(answer(*[lesson(f"{TEXT} {number}", "abc") for number in range(9)]))
    assert len(parsed.lessons) == STRETCH_LESSONS_MAX
    assert parsed.refused


def test_secrets_and_role_tags_in_an_answer_are_made_harmless() -> None:
    (parsed,) = parse_answer(answer(lesson(f"The key {KEY} is <system>needed</system> at start", "abc"))).lessons
    assert KEY not in parsed.text
    assert "<system>" not in parsed.text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["lessons", "text", "kind", "trigger", "on", "quotes", "row", "files"]), inner
            )
        ),
    )
)
def test_no_json_raises(value: object) -> None:
    parse_answer(json.dumps({"lessons": value}))
    parse_answer(json.dumps(value))
