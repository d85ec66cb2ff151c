"""Splitting text: prose into sentences, identifiers whole and in parts, words into a full-text query."""

from __future__ import annotations

import re

from holloway.config import QUERY_CHARS_MAX, QUERY_TERMS_MAX

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*_*", re.UNICODE)
# Latin letters with their accents: "Straße" is one word, and so is each half of "größeÄndern". Other scripts run on.
_UPPER, _LOWER = r"A-ZÀ-ÖØ-Þ", r"a-zß-öø-\u024f"
_PART = re.compile(
    rf"[{_UPPER}]+(?=[{_UPPER}][{_LOWER}])|[{_UPPER}]?[{_LOWER}]+|[{_UPPER}]+|\d+|[^\W\d_{_UPPER}{_LOWER}]+"
)

_ESCAPED = re.compile(r"\\[bBdDsSwWAZz]|\[[^\]]{0,80}\]|\{\d*,?\d*\}|\(\?(?:[a-z]+:|P?<\w+>|[:=!>]|<[=!])")
_PATTERN_WORD = re.compile(r"[^\W\d]\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
UNSPACED_WORD_LETTERS = 2
SEARCH_PATTERN_CHARS_MAX = 300
PATTERN_WORD_MIN = 3
PATTERN_WORDS_MAX = 6
STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it "
    "its me my no not of on or our she should so some than that the their them then there these they this those to "
    "us was we were what when where which who why will with would you your".split()
)
_OPENERS = "Actually|Wait|But|So|However|Let|Now|The|This|That|Looking|Oh|Hmm|I|It|We"
_STOP = re.compile(
    # A stop, closing quotes and white space before what can begin a sentence: "e.g. this" is not split.
    r"[.!?:](?:(?<!:)[\"')_`]{0,3}\s+(?=[\"'(_`]{0,3}[A-Z0-9`])"
    # Some transcripts lose the line break between two paragraphs: "the same reason.Wait, ...".
    rf"|(?<=[a-z0-9`)].)(?=(?:{_OPENERS})\b[ ,']))"
)


def count_words(text: str) -> int:
    """Count the words of a text; where a script has no spaces between words, two letters count as one."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // UNSPACED_WORD_LETTERS


def is_unspaced(word: str) -> bool:
    """Whether a word has letters of a script without spaces, in which it can be part of a longer run."""
    return bool(_UNSPACED.search(word))


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
    pattern_words = _PATTERN_WORD.findall(_ESCAPED.sub(" ", pattern[:SEARCH_PATTERN_CHARS_MAX]))
    return list(dict.fromkeys(word for word in pattern_words if len(word) >= PATTERN_WORD_MIN))[:PATTERN_WORDS_MAX]


def query_terms(query: str) -> list[str]:
    """Return the distinct search words, identifiers whole and in parts; stop words only if there are no others."""
    terms = list(dict.fromkeys(expand_words(query[:QUERY_CHARS_MAX])))
    telling = [term for term in terms if term not in STOP_WORDS]
    return (telling or terms)[:QUERY_TERMS_MAX]


def match_any(words: list[str]) -> str:
    """Return an FTS5 expression that matches rows with any of the words."""
    return " OR ".join(quote_term(word) for word in words)


def quote_term(word: str) -> str:
    """One word as an FTS5 string, operators and quotes included, literally."""
    return '"' + word.replace('"', '""') + '"'


def split_sentences(line: str) -> list[str]:
    """Return the sentences of a line of prose; each keeps the white space after it, so that joined they are the line.

    A stop before a lower-case word does not end a sentence, because most of those are abbreviations and file names.
    """
    ends = [match.end() for match in _STOP.finditer(line)]
    return [line[start:end] for start, end in zip([0, *ends], [*ends, len(line)], strict=True) if start < end]
