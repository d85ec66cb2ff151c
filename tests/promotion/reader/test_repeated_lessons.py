"""Repeated lessons: the same lesson of two parts of a session is told once."""

import pytest

from holloway.promotion.reader.lesson_checks import Treatment
from holloway.promotion.reader.reader import judge_answers
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from tests.observer.story import Story
from tests.promotion.reader.reading import answer, collect_evidence, lesson

FIRST = "`make warm` must run before the login tests, because the cache of the tokens is empty at start"


def told() -> Story:
    said = (
        "The cache of the tokens is empty at start, so `make warm` must run before the login tests. "
        "It fills 40 of refresh_token and access_token."
    )
    output = "refresh_token and access_token filled"
    return Story("s1").user("Why do the login tests fail?").shell("make warm", output).says(said, thinking=False)


def judge_two(memory: Holloway, first: str, second: str, parts: tuple[int, int] = (1, 2)) -> list[str]:
    """The texts that pass of two lessons, each from a part of one session."""
    quote = "The cache of the tokens is empty at start"
    if parts[0] == parts[1]:
        answers = {parts[0]: answer(lesson(first, quote), lesson(second, quote))}
    else:
        answers = {parts[0]: answer(lesson(first, quote)), parts[1]: answer(lesson(second, quote))}
    judged = judge_answers(answers, collect_evidence(memory, told()), Learning(memory.opened).trust())
    assert {item.finding.check for item in judged if item.is_refused} <= {"repeated"}
    return [item.text for item in judged if item.finding.treatment is not Treatment.REFUSE]


def test_the_same_lesson_of_a_later_part_is_refused(memory: Holloway) -> None:
    again = "The cache of the tokens is empty at start: run `make warm` before the tests of the login"
    assert judge_two(memory, FIRST, again) == [FIRST]


@pytest.mark.parametrize(
    "other",
    [
        "The cache of the tokens is empty at start, so the first request logs a warning",
        "`make warm` must not run before the login tests, because the cache of the tokens is empty at start",
        "The cache of the tokens is empty at start and holds 40 entries; `make warm` must run before login tests",
    ],
)
def test_a_lesson_about_the_same_subject_is_another_one(memory: Holloway, other: str) -> None:
    assert judge_two(memory, FIRST, other) == [FIRST, other]


def test_lessons_about_different_names_are_different(memory: Holloway) -> None:
    first = "The cache of refresh_token is empty at start of the login tests until `make warm` ran"
    other = "The cache of access_token is empty at start of the login tests until `make warm` ran"
    assert judge_two(memory, first, other) == [first, other]


def test_lessons_of_one_part_are_distinct(memory: Holloway) -> None:
    again = "The cache of the tokens is empty at start: run `make warm` before the tests of the login"
    assert judge_two(memory, FIRST, again, (1, 1)) == [FIRST, again]
