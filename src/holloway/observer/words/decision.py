"""Decisions and intentions: the sentence of a commit message that gives a reason, and the announced next step."""

from __future__ import annotations

import re

from holloway.observer.words.sentences import clean_clause, extract_prose, split_prose

_REASONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bbecause\b",
        r"\b(?:instead of|rather than|in favou?r of|as opposed to)\b",
        r"\b(?:so that|in order to|to avoid|to prevent|to make sure|otherwise)\b",
        r"\b(?:due to|caused by|the reason|which is why|that is why|this is why)\b",
    )
)
"""Cues for a reason, the clearest first."""
_TRAILER = re.compile(r"^[A-Z][\w-]{2,40}: \S|^(?:🤖|Generated with|#)")
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s")
_COMMIT_TYPE = re.compile(r"^\w+(?:\([^)\n]{0,60}\))?!?: (?=\S)")
"""Prefix of a conventional commit ("fix(parser): ")."""
_REFERENCE = re.compile(r"\s*\(#\d{1,9}\)\.?$")
_AUTOMATIC_SUBJECTS = ("Merge ", 'Revert "', "Bump ", "fixup! ", "squash! ")
_CLEANUP = re.compile(
    r"\b(?:feedback|review comments?|pr comments?|code review|nolint|typos?|lint(?:er)? (?:error|warning|issue)s?)\b",
    re.IGNORECASE,
)
"""Subjects of cleanup commits, which record no decision."""
DECISION_WORDS_MIN = 4
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


def extract_reason(commit_message: str) -> str:
    """Return the sentence of a commit message that gives a reason, or an empty string."""
    if commit_message.lstrip().startswith(_AUTOMATIC_SUBJECTS) or _CLEANUP.search(
        commit_message.lstrip().split("\n")[0]
    ):
        return ""
    long_sentences = [
        sentence
        for sentence in split_prose(_unwrap_lines(commit_message))
        if len(sentence.split()) >= DECISION_WORDS_MIN
    ]
    for pattern in _REASONS:
        for sentence in long_sentences:
            if pattern.search(sentence):
                return clean_clause(_REFERENCE.sub("", strip_commit_type(sentence)))
    return ""


def strip_commit_type(subject: str) -> str:
    """Return a commit subject without its conventional-commit prefix."""
    return _COMMIT_TYPE.sub("", subject)


def _unwrap_lines(message: str) -> str:
    """Join each paragraph and list item into one line, without trailers."""
    lines: list[str] = []
    starts_paragraph = True
    for index, line in enumerate(extract_prose(message).split("\n")):
        stripped = line.strip()
        if index and _TRAILER.match(stripped) and not _COMMIT_TYPE.match(stripped):
            continue
        if starts_paragraph or not stripped or _ITEM.match(line):
            lines.append(stripped)
        else:
            lines[-1] += f" {stripped}"
        starts_paragraph = not stripped or index == 0
    return "\n".join(lines)


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
