"""Repeated lessons: two parts of a session often show the same lesson, and an agent should be told it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.promotion.reader.lesson_evidence import content_words, count_shared_words, list_searched_names
from holloway.retrieval.duplicate_detection import Verdict, compare_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.promotion.reader.lesson_evidence import Lesson

REPEATED_SHARE_MIN = 0.65
"""Share of the words of the shorter of two lessons that the other has if they say the same."""
REPEATED_NAMES_SHARE_MIN = 0.5
"""The same for the names of code in them."""


def find_repeated(lesson: Lesson, earlier: Sequence[Lesson]) -> Lesson | None:
    """Return the first of some earlier lessons of another part that says the same; None if there is none."""
    other_stretches = (other for other in earlier if other.proposal.stretch != lesson.proposal.stretch)
    return next((other for other in other_stretches if _says_the_same(lesson.text, other.text)), None)


def _says_the_same(text: str, other: str) -> bool:
    """Return whether two texts share most of their words and names, and differ in no number and no negation."""
    if compare_texts(text, other)[0] is Verdict.CONTRADICTS:
        return False
    shorter, longer = sorted((text, other), key=lambda side: len(content_words(side)))
    if count_shared_words(shorter, longer) < REPEATED_SHARE_MIN * len(content_words(shorter)):
        return False
    names, other_names = set(list_searched_names(text)), set(list_searched_names(other))
    return len(names & other_names) >= REPEATED_NAMES_SHARE_MIN * min(len(names), len(other_names))
