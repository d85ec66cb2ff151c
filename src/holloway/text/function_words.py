"""Function words of the language in which a text is written: they tell nothing about its subject."""

from __future__ import annotations

import re
from functools import cache

from holloway.data import load_table
from holloway.text.identifiers import STOP_WORDS

LANGUAGE_WORDS_MIN = 3
"""Distinct function words that a text must have of a language, words of English aside, to be written in it."""
_WORD = re.compile(r"[^\W\d_]+")


def find_function_words(text: str) -> frozenset[str]:
    """Return the function words of English, and of each language in which the text is written, at least in part."""
    words = {word.casefold() for word in _WORD.findall(text)}
    spoken = [language for language in _load_languages() if len(words & language - STOP_WORDS) >= LANGUAGE_WORDS_MIN]
    return STOP_WORDS.union(*spoken)


@cache
def _load_languages() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(words) for words in load_table("function_words").values())
