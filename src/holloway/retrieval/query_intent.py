"""What a question is after, told by its words: a name in the code, or a meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from holloway.config import QUERY_CHARS_MAX
from holloway.text.fts_query import STOP_WORDS

NAMES_SHARE = 0.5
"""Of the telling words of a question, how many must be names for it to be after a name."""


class QueryKind(StrEnum):
    """Which kind of evidence a question trusts most."""

    IDENTIFIER = "identifier"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the files that it is asked about."""

    text: str
    kind: QueryKind
    files: tuple[str, ...] = ()


_NAME = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]|\w/\w|\w\.\w{2,}|\w::\w|\w\(\)|`\w")


def understand(text: str, *, files: tuple[str, ...] = ()) -> Query:
    """Take a question apart. A sentence with a name in it is still a sentence: it is after what it means."""
    bounded = " ".join(text[:QUERY_CHARS_MAX].split())
    telling = [word for word in bounded.split() if word.casefold() not in STOP_WORDS]
    names = sum(bool(_NAME.search(word)) for word in telling)
    is_name = names > 0 and names >= NAMES_SHARE * len(telling)
    return Query(bounded, QueryKind.IDENTIFIER if is_name else QueryKind.SEMANTIC, files)
