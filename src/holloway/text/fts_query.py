"""Full-text queries from the words of a person or agent. The words are data: nothing in them is an operator."""

from __future__ import annotations

from holloway.config import QUERY_CHARS_MAX, QUERY_TERMS_MAX
from holloway.text.identifiers import expand_words

STOP_WORDS = frozenset(
    "a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it "
    "its me my no not of on or our she should so some than that the their them then there these they this those to "
    "us was we were what when where which who why will with would you your".split()
)


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
