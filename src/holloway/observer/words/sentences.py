"""Prose sentences: splits a text into bounded sentences, without code, quotations, tables and markup."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import re2

from holloway.text.identifiers import split_sentences

PROSE_CHARS_MAX = 12_000
"""Limit of a text; of a longer one only the beginning and the end are read. Agents' messages are far shorter."""
SENTENCES_MAX = 120
SENTENCES_CACHED_MAX = 1_024
SENTENCE_CHARS_MAX = 400
CLAUSE_CHARS_MAX = 300

_FENCE = "```"
_LIST_MARK = re.compile(r"^(?:[-*•+]|\d{1,2}[.)]|#{1,6})\s+")
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_QUOTES = (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'))
_EDGES = " \t,;:.!?-–—("


# Cached, because several detectors read the same texts of a session one after the other.
@lru_cache(maxsize=SENTENCES_CACHED_MAX)
def split_prose(text: str) -> tuple[str, ...]:
    """Return the sentences of a text in order, each on one line, without fenced code, quoted lines and tables."""
    result: list[str] = []
    for line in extract_prose(text).split("\n"):
        if content := _LIST_MARK.sub("", line.strip()):
            result += [part[:SENTENCE_CHARS_MAX].strip() for part in split_sentences(content)]
            if len(result) >= SENTENCES_MAX:
                break
    return tuple(sentence for sentence in result[:SENTENCES_MAX] if sentence)


def extract_prose(text: str) -> str:
    """Return the lines of a text that are neither code nor quotation nor table."""
    unfenced = "\n".join(bound_text(text).split(_FENCE)[::2])
    return "\n".join(line for line in unfenced.split("\n") if not line.lstrip().startswith((">", "|")))


def bound_text(text: str) -> str:
    """Return a text truncated to a safe size, with plain quotes and without emphasis marks."""
    if len(text) > PROSE_CHARS_MAX:
        half = (PROSE_CHARS_MAX - 1) // 2
        text = f"{text[:half]}\n{text[-half:]}"
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
        for curly, plain in _QUOTES:
            text = text.replace(curly, plain)
    return _BLANK_LINES.sub("\n\n", text.replace("*", ""))


@cache
def compile_linear(pattern: str) -> re2._Regexp:
    """Compile a case-insensitive pattern with RE2, which matches in linear time on any input."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return re2.compile(pattern, options)


def clean_clause(text: str) -> str:
    """Return a part of a sentence, stripped at both ends and truncated at a word."""
    flat = " ".join(text.split()).strip(_EDGES)
    if flat.count("`") % 2:
        flat = flat.replace("`", "")
    if len(flat) <= CLAUSE_CHARS_MAX:
        return flat
    cut = flat[: CLAUSE_CHARS_MAX - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > 0 else cut).rstrip(_EDGES) + "…"
