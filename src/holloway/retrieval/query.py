"""What a question is after, told by its words: a name, a meaning, or what hangs together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from holloway.config import QUERY_CHARS_MAX


class QueryKind(StrEnum):
    """Which kind of evidence a question trusts most."""

    IDENTIFIER = "identifier"
    SEMANTIC = "semantic"
    STRUCTURAL = "structural"


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the files that it is asked about."""

    text: str
    kind: QueryKind
    files: tuple[str, ...] = ()


_NAME = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]|\w/\w|\w\.\w{2,}|\w::\w|\w\(\)|`\w")
_STRUCTURE = re.compile(
    r"\b(depend(s|ents?|encies)?|call(s|ers?|ed)|imports?|used by|uses|impact|affects?|breaks?|coupl(ed|ing))\b",
    re.IGNORECASE,
)


def understand(text: str, *, files: tuple[str, ...] = ()) -> Query:
    """Take a question apart. What hangs together can only be told from a file to start with."""
    bounded = " ".join(text[:QUERY_CHARS_MAX].split())
    if files and _STRUCTURE.search(bounded):
        kind = QueryKind.STRUCTURAL
    elif _NAME.search(bounded):
        kind = QueryKind.IDENTIFIER
    else:
        kind = QueryKind.SEMANTIC
    return Query(bounded, kind, files)
