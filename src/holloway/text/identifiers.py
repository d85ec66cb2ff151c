"""Splitting text into words: identifiers whole and in parts, so that a search for either finds the other."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*_*", re.UNICODE)
# Latin letters with their accents: "Straße" is one word, and so is each half of "größeÄndern". Other scripts run on.
_UPPER, _LOWER = r"A-ZÀ-ÖØ-Þ", r"a-zß-öø-\u024f"
_PART = re.compile(
    rf"[{_UPPER}]+(?=[{_UPPER}][{_LOWER}])|[{_UPPER}]?[{_LOWER}]+|[{_UPPER}]+|\d+|[^\W\d_{_UPPER}{_LOWER}]+"
)

_ESCAPED = re.compile(r"\\[bBdDsSwWAZz]|\[[^\]]{0,80}\]|\{\d*,?\d*\}|\(\?(?:[a-z]+:|P?<\w+>|[:=!>]|<[=!])")
_PATTERN_WORD = re.compile(r"[^\W\d]\w+")
PATTERN_CHARS_MAX = 300
PATTERN_WORD_MIN = 3
PATTERN_WORDS_MAX = 6


def split_words(text: str) -> list[str]:
    """The words of a text in order, identifiers in one piece, lower-cased."""
    return [match.group().strip("_").casefold() for match in _WORD.finditer(text)]


def split_identifier(word: str) -> list[str]:
    """`parseHTTPResponse` and `parse_http_response` alike give parse, http, response."""
    return [piece.casefold() for piece in _PART.findall(word)]


def expand_words(text: str) -> list[str]:
    """Return the words of a text, each compound word followed by its parts."""
    words: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group().strip("_")
        pieces = split_identifier(word)
        words.append(word.replace("_", "").casefold())
        if len(pieces) > 1:
            words.extend(pieces)
    return words


def search_text(*texts: str) -> str:
    """Return the words that the text index stores for these texts."""
    return " ".join(word for text in texts for word in expand_words(text))


def in_pattern(pattern: str) -> list[str]:
    """Return the literal words of a grep pattern, without operators and wildcards."""
    pattern_words = _PATTERN_WORD.findall(_ESCAPED.sub(" ", pattern[:PATTERN_CHARS_MAX]))
    return list(dict.fromkeys(word for word in pattern_words if len(word) >= PATTERN_WORD_MIN))[:PATTERN_WORDS_MAX]
