"""Query intent: classifies a query as an identifier search or a semantic one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from holloway.config import QUERY_CHARS_MAX
from holloway.text.fts_query import STOP_WORDS

NAMES_SHARE = 0.5
"""Share of identifiers among the content words from which a query counts as an identifier search."""


class QueryKind(StrEnum):
    """The kind of evidence that a query trusts most."""

    IDENTIFIER = "identifier"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query, and the files that it concerns."""

    text: str
    kind: QueryKind
    files: tuple[str, ...] = ()


_NAME = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]|\w/\w|\w\.\w{2,}|\w::\w|\w\(\)|`\w")


def parse_query(text: str, *, files: tuple[str, ...] = ()) -> Query:
    """Parse a query. A sentence that mentions an identifier is still semantic."""
    bounded = " ".join(text[:QUERY_CHARS_MAX].split())
    content_words = [word for word in bounded.split() if word.casefold() not in STOP_WORDS]
    names = sum(bool(_NAME.search(word)) for word in content_words)
    is_name = names > 0 and names >= NAMES_SHARE * len(content_words)
    return Query(bounded, QueryKind.IDENTIFIER if is_name else QueryKind.SEMANTIC, files)
