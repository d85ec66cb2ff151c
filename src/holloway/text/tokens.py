"""Tokens: what a text costs, estimated without a tokenizer; lines that fit a budget, and their citations. Light.

A text is cut where o200k cuts it before it looks anything up: words at their humps with the sign before them, digits by
three, runs of signs, runs of white space. Most such pieces are one token; what some cost on top was fitted to code,
prose and JSON of three repositories. On four others the estimate of a passage is off by 3 % on code and JSON and 5 % on
prose, and by at most 9, 6 and 13 % for nineteen passages of twenty (`python -m benchmarks --only b4_tokens`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from holloway.config import READER_ORIGIN

MARGIN = 1.2
"""Safety margin of budgets, for estimation errors and for models with a finer tokenizer than o200k."""

_WORD_COST = 0.03
_LETTERS_FREE, _LETTER_COST = 7, 0.05
"""Cost of each letter of a word beyond the free ones."""
_LETTERS_KNOWN, _LETTER_UNKNOWN = 13, 0.5
"""Longer runs of letters are not dictionary words."""
_AFTER_SIGN, _AFTER_SEPARATOR, _LETTER_AFTER_SIGN = 0.12, 0.4, 0.12
"""A word with a sign before it, with a slash or a dash, and each letter beyond the free ones there."""
_CAPITALS, _CAPITAL_IN_MIXED = 0.15, 0.25
_SIGNS_FREE, _SIGN_COST = 3, 0.35
"""Cost of each sign of a run beyond the free ones; a repeated sign counts once."""
_ASTRAL_LETTER, _EASTERN_LETTER, _FOREIGN_LETTER = 3.0, 0.8, 0.5
_ASTRAL_SIGN, _FOREIGN_SIGN = 2.0, 0.5
"""Costs by Unicode range: scripts and signs that are rare in the vocabulary are encoded byte by byte."""

_WORDS_KEPT = 8_192

_BEFORE = r"(?P<before>[^\w\r\n]|_)?"
_PIECE = re.compile(
    rf"{_BEFORE}(?:(?P<word>[A-Z]*[a-z]+|[A-Z]+)(?![^\W\d_A-Za-z])|(?P<other>[^\W\d_]+))"
    r"|\d{1,3}|(?P<signs> ?(?:[^\s\w]|_)+[\r\n/]*)|\s*[\r\n]+|\s+(?!\S)|\s+|.",
    re.DOTALL,
)
_REPEATED = re.compile(r"(.)\1*", re.DOTALL)
_CITED = re.compile(r"\bhw:([0-9a-f]{6,32})\b")
_PERSON = re.compile(r"[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*){0,2}")
"""The name of a person as an agent may read it: three words at most, so that no sentence poses as one."""
PERSON_CHARS_MAX = 40
PERSON_SOURCE = "user_correction"
_DOUBTS = {"unconfirmed": "unconfirmed", "stale": "possibly out of date"}
_SPEAKERS = {
    PERSON_SOURCE: "you said",
    "agent_concluded": "the agent concluded",
    "agent_note": "an agent noted",
    "commit_auto": "a commit says",
    "colleague": "a colleague says",
}
"""Caveat of an unconfirmed memory, by its source."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text."""
    total = 0.0
    for before, word, other, signs in _PIECE.findall(text):
        total += 1.0
        if word:
            total += _word_cost(word, before)
        elif other:
            total += sum(map(_letter_cost, other)) - _FOREIGN_LETTER
        elif signs:
            total += _sign_cost(signs)
    return int(total + 0.5)


@lru_cache(maxsize=_WORDS_KEPT)
def _word_cost(word: str, before: str) -> float:
    """Return the cost of a word beyond its first token."""
    more = max(0, len(word) - _LETTERS_FREE)
    cost = _WORD_COST + _LETTER_COST * more + _LETTER_UNKNOWN * max(0, len(word) - _LETTERS_KNOWN)
    if before and before != " ":
        cost += (_AFTER_SEPARATOR if before in "/-" else _AFTER_SIGN) + _LETTER_AFTER_SIGN * more
    if word[1:2].isupper():
        cost += _CAPITALS if word.isupper() else _CAPITAL_IN_MIXED * len(word)
    return cost


def _letter_cost(char: str) -> float:
    return _FOREIGN_LETTER if char < "\u2e80" else _EASTERN_LETTER if char < "\U00010000" else _ASTRAL_LETTER


def _sign_cost(signs: str) -> float:
    """Return the cost of a run of signs beyond its first token."""
    cost = _SIGN_COST * max(0, len(_REPEATED.findall(signs)) - _SIGNS_FREE)
    if not signs.isascii():
        cost += sum(_FOREIGN_SIGN if char < "\U00010000" else _ASTRAL_SIGN for char in signs if char > "\x7f")
    return cost


def render_citation(memory_id: str, updated_at: str = "", sessions: int = 0, *, taught: bool = False) -> str:
    """Render a citation such as `[hw:7f3a2c, 3 sessions, last 12 Oct]`, which `holloway show` accepts."""
    parts = [f"hw:{memory_id}"]
    if taught:
        parts.append("taught")
    elif sessions:
        parts.append(f"{sessions} session{'s' if sessions > 1 else ''}")
    if updated_at:
        parts.append(("last " if sessions > 1 else "") + format_day(updated_at))
    return f"[{', '.join(parts)}]"


def doubt_note(
    state: str, source: str = "", stated_at: str = "", origin: str = "", author: str = "", confirmations: int = 0
) -> str:
    """Return the caveat for a memory in this state: who says it, if that is known; empty if it is confirmed.

    What the person said in a session has its day, also once it is confirmed. A reader puts it into other words. A
    memory that somebody shared names its author and how many others confirmed it.
    """
    doubt = _DOUBTS.get(state, "")
    if source == "colleague" and state != "stale" and _PERSON.fullmatch(author) and len(author) <= PERSON_CHARS_MAX:
        return f"from {author}" + (f", confirmed by {confirmations}" if confirmations else "")
    if source == PERSON_SOURCE and stated_at and state != "stale":
        speaker = "from your prompt" if origin.startswith(READER_ORIGIN) else _SPEAKERS[source]
        return f"{speaker} on {format_day(stated_at)}"
    return _SPEAKERS.get(source, doubt) if state == "unconfirmed" else doubt


def cited_in(text: str) -> list[str]:
    """Return the ids of the memories that a text cites."""
    return _CITED.findall(text) if "hw:" in text else []


def format_day(stamp: str) -> str:
    """Format the day of a timestamp: `12 Oct`."""
    return f"{int(stamp[8:10])} {_MONTHS[int(stamp[5:7]) - 1]}"


def fits_budget(lines: list[str], tokens: int) -> bool:
    """Whether these lines fit a budget, with the estimator's margin."""
    return estimate_tokens("\n".join(lines)) * MARGIN <= tokens
