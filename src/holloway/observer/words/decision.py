"""Intentions: the next step that a text announces, and commit subjects without their type."""

from __future__ import annotations

import re

from holloway.observer.words.sentences import clean_clause, split_prose

_COMMIT_TYPE = re.compile(r"^\w+(?:\([^)\n]{0,60}\))?!?: (?=\S)")
"""Prefix of a conventional commit ("fix(parser): ")."""
DECISION_CLAUSE_CHARS_MIN = 8
_STATED = re.compile(
    r"^(?:the )?(?:next(?: steps?| up)?|remaining(?: work| steps?| tasks?)?|todos?|to[- ]do|still (?:to do"
    r"|open|missing|left)|what's left"
    r"|left to do|not yet done|outstanding|follow-?ups?)\s?(?:is|are)?\s?(?::|—|–| -)\s?(?:to )?(?P<what>.*)$",
    re.IGNORECASE,
)
_INTENDED = re.compile(
    r"(?:^|[,;.—–-] )(?:and |so |then |ok,? |okay,? )?(?:next,? |now,? |then,? |after that,? |finally,? )?"
    r"(?:I'll|I will|I'm going to|I am going to|I still (?:need|have) to|I need to|let me|let's"
    r"|we still need to|the next step is to"
    r"|what remains is to) (?:now |next |then |also |first )?(?P<what>.+)$",
    re.IGNORECASE,
)
_ASKS_USER = re.compile(r"\b(?:let me know|I'll wait|let me explain|I'll be happy)\b", re.IGNORECASE)


def strip_commit_type(subject: str) -> str:
    """Return a commit subject without its conventional-commit prefix."""
    return _COMMIT_TYPE.sub("", subject)


def find_next_step(text: str) -> str:
    """Return the last next step that a text states, or an empty string."""
    texts = split_prose(text)
    for index in range(len(texts) - 1, -1, -1):
        if step := _parse_step(texts, index):
            return step
    return ""


def _parse_step(texts: tuple[str, ...], index: int) -> str:
    sentence = texts[index]
    if stated := _STATED.match(sentence):
        step = clean_clause(stated["what"]) or (clean_clause(texts[index + 1]) if index + 1 < len(texts) else "")
    elif (intended := _INTENDED.search(sentence)) and not _ASKS_USER.search(sentence) and not sentence.endswith("?"):
        step = clean_clause(intended["what"])
    else:
        return ""
    return step if len(step) >= DECISION_CLAUSE_CHARS_MIN else ""
