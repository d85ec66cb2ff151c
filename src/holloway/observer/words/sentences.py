"""Prose in sentences: code, quotes and markup are out, and everything is bounded."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import re2

from holloway.text.sentences import split_sentences

TEXT_CHARS_MAX = 12_000
"""A longer text is read at its beginning and its end; what an agent says is far shorter."""
SENTENCES_MAX = 120
TEXTS_KEPT = 1_024
SENTENCE_CHARS_MAX = 400
CLAUSE_CHARS_MAX = 300

_FENCE = "```"
_LIST_MARK = re.compile(r"^(?:[-*•+]|\d{1,2}[.)]|#{1,6})\s+")
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_QUOTES = (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'))
_EDGES = " \t,;:.!?-–—("


# Several detectors go through the same words of a session, one after the other.
@lru_cache(maxsize=TEXTS_KEPT)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in order, each on one line; fenced code, quoted lines and tables are left out."""
    found: list[str] = []
    for line in prose(text).split("\n"):
        if kept := _LIST_MARK.sub("", line.strip()):
            found += [part[:SENTENCE_CHARS_MAX].strip() for part in split_sentences(kept)]
            if len(found) >= SENTENCES_MAX:
                break
    return tuple(sentence for sentence in found[:SENTENCES_MAX] if sentence)


def prose(text: str) -> str:
    """The lines of a text that are neither code nor quotation nor table."""
    spoken = "\n".join(bounded(text).split(_FENCE)[::2])
    return "\n".join(line for line in spoken.split("\n") if not line.lstrip().startswith((">", "|")))


def bounded(text: str) -> str:
    """A text of a size that is safe to read, with plain quotes and no emphasis."""
    if len(text) > TEXT_CHARS_MAX:
        half = (TEXT_CHARS_MAX - 1) // 2
        text = f"{text[:half]}\n{text[-half:]}"
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
        for curly, plain in _QUOTES:
            text = text.replace(curly, plain)
    return _BLANK_LINES.sub("\n\n", text.replace("*", ""))


@cache
def linear(pattern: str) -> re2._Regexp:
    """A pattern in any case whose time follows the length of the sentence, whatever is repeated in it."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return re2.compile(pattern, options)


def clause(text: str) -> str:
    """A stretch of a sentence, cleaned at both ends and cut at a word."""
    flat = " ".join(text.split()).strip(_EDGES)
    if flat.count("`") % 2:
        flat = flat.replace("`", "")
    if len(flat) <= CLAUSE_CHARS_MAX:
        return flat
    cut = flat[: CLAUSE_CHARS_MAX - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > 0 else cut).rstrip(_EDGES) + "…"
