"""The reason in a commit message."""

from __future__ import annotations

import re

from holloway.observer.words.sentences import clause, prose, sentences

_REASONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bbecause\b",
        r"\b(?:instead of|rather than|in favou?r of|as opposed to)\b",
        r"\b(?:so that|in order to|to avoid|to prevent|to make sure|otherwise)\b",
        r"\b(?:due to|caused by|the reason|which is why|that is why|this is why)\b",
    )
)
"""From the plainest word for a reason to the least plain."""
_TRAILER = re.compile(r"^[A-Z][\w-]{2,40}: \S|^(?:🤖|Generated with|#)")
_ITEM = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s")
_KIND = re.compile(r"^\w+(?:\([^)\n]{0,60}\))?!?: (?=\S)")
"""The kind of change that some projects put before a commit's subject."""
_REFERENCE = re.compile(r"\s*\(#\d{1,9}\)\.?$")
_NOT_OURS = ("Merge ", 'Revert "', "Bump ", "fixup! ", "squash! ")
_AFTERTHOUGHT = re.compile(
    r"\b(?:feedback|review comments?|pr comments?|code review|nolint|typos?|lint(?:er)? (?:error|warning|issue)s?)\b",
    re.IGNORECASE,
)
"""Subjects of commits that tidy up: what they do instead of something else was nobody's decision."""
WORDS_MIN = 4


def reason_in(commit_message: str) -> str:
    """The sentence of a commit message that gives a reason, or nothing."""
    if commit_message.lstrip().startswith(_NOT_OURS) or _AFTERTHOUGHT.search(commit_message.lstrip().split("\n")[0]):
        return ""
    said = [one for one in sentences(_unwrapped(commit_message)) if len(one.split()) >= WORDS_MIN]
    for pattern in _REASONS:
        for sentence in said:
            if pattern.search(sentence):
                return clause(_REFERENCE.sub("", without_kind(sentence)))
    return ""


def without_kind(subject: str) -> str:
    """A commit's subject without the word before it that says what kind of change it is."""
    return _KIND.sub("", subject)


def _unwrapped(message: str) -> str:
    """Each paragraph and list item on one line, trailers left out."""
    lines: list[str] = []
    begins = True
    for at, line in enumerate(prose(message).split("\n")):
        stripped = line.strip()
        if at and _TRAILER.match(stripped) and not _KIND.match(stripped):
            continue
        if begins or not stripped or _ITEM.match(line):
            lines.append(stripped)
        else:
            lines[-1] += f" {stripped}"
        begins = not stripped or at == 0
    return "\n".join(lines)
