"""A prompt in two readings: the whole of it, which says what the task is, and what of it the user said themselves.

Pasted documents, traces and code tell where a task happens. They are not the user's words, so nothing is learned from
them as if the user had said it.
"""

from __future__ import annotations

import re
from itertools import islice

from holloway.observer.words.sentences import bounded, prose

PROMPT_CHARS_MAX = 20_000
"""A longer prompt is read at its beginning and its end."""
LINE_CHARS_MAX = 600
"""A longer line was pasted."""
TAGS_MAX = 100
_INTERRUPTED = "[Request interrupted by user"
_HOST_OPENINGS = (
    "This session is being continued from a previous conversation",
    "Base directory for this skill:",
    "Caveat: The messages below",
    "Operation stopped by hook",
    "Stop hook feedback:",
    "Please continue the conversation from where we left it off",
)
"""How prompts begin that the host wrote."""
_SAID_IN = frozenset({"command-args", "user_query", "user-query"})
"""Tags whose content is what the user typed."""
_HOST_TAGS = (
    *("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "hook_context"),
    *("command-name", "command-message", "command-contents", "local-command-stdout", "local-command-stderr"),
)
"""Tags whose content the host added to a prompt."""
_TAG = re.compile(r"<([a-zA-Z][\w-]{1,40})(?:\s[^<>]{0,200})?>")
_CLOSING_TAG = re.compile(r"</[a-zA-Z][\w-]{1,40}>")
_BRACKETED = re.compile(r"\[(?:Request interrupted|Image|Pasted text)[^\]\n]{0,80}\]")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_PASTED_LINE = re.compile(
    r"\s{4,}|\t|[+@$%|{}<>]|(?:---|===|\*\*\*)|\d{2,4}[-:/]\d{2}[-:/T ]|\[\d|at \w+[.(]|(?:Error|Traceback"
    r"|panic|FAIL|ok|PASS)\b"
    r"|[\w./-]+:\d+(?::\d+)?:|(?:import|func|def|class|const|return|package|var|let) \w+.*[({=;:]$"
)


def whole(prompt: str) -> str:
    """The prompt without what the host added to it; empty where the host wrote all of it."""
    text = prompt.strip()
    if len(text) > PROMPT_CHARS_MAX:
        half = (PROMPT_CHARS_MAX - 1) // 2
        text = f"{text[:half]}\n{text[-half:]}"
    if text.startswith(_HOST_OPENINGS):
        return ""
    for tag in _HOST_TAGS:
        text = _without_tag(text, tag)
    for tag in _SAID_IN:
        text = text.replace(f"<{tag}>", " ").replace(f"</{tag}>", " ")
    return _BRACKETED.sub(" ", text).strip()


def _without_tag(text: str, tag: str) -> str:
    """The text without a tag and what stands in it; one that is not closed is the user's own word."""
    opening, closing = f"<{tag}", f"</{tag}>"
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        inside = start + len(opening)
        if text[inside : inside + 1] not in (">", " ", "\n"):
            kept.append(text[at:inside])
            at = inside
            continue
        end = text.find(closing, inside)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(closing)
    return "".join(kept) + text[at:]


def spoken(prompt: str) -> str:
    """The prompt without what others than the user wrote; empty if nothing is left."""
    opening = prompt.lstrip()[:200]
    if opening.startswith(_HOST_OPENINGS):
        return ""
    text = _BRACKETED.sub(" ", _without_tags(bounded(prompt)))
    heading = _HEADING.search(text)  # A document was pasted; what the user says of it stands before.
    lines = prose(text[: heading.start()] if heading else text).split("\n")
    return "\n".join(line.strip() for line in lines if _is_said(line)).strip()


def interrupted(prompt: str) -> bool:
    """Whether the host tells with this prompt that the user stopped the agent."""
    return prompt.lstrip()[: len(_INTERRUPTED)] == _INTERRUPTED


def _is_said(line: str) -> bool:
    return bool(line.strip()) and len(line) <= LINE_CHARS_MAX and not _PASTED_LINE.match(line)


def _without_tags(text: str) -> str:
    """The text outside of paired tags, and inside of those that hold what the user typed."""
    kept: list[str] = []
    at = 0
    for match in islice(_TAG.finditer(text), TAGS_MAX):
        if match.start() < at:
            continue
        name = match[1]
        end = text.find(f"</{name}>", match.end())
        if end < 0 and (name in _SAID_IN or not _is_of_host(match)):
            continue  # No tag of the host: people write `<branch>` for what is to be filled in.
        kept.append(text[at : match.start()])
        if end < 0:  # A long prompt is cut, and the end of what the host put into it is lost.
            return "".join(kept)
        if name in _SAID_IN:
            kept.append(f"\n{text[match.end() : end]}\n")
        at = end + len(name) + 3
    return _CLOSING_TAG.sub(" ", "".join([*kept, text[at:]]))


def _is_of_host(tag: re.Match[str]) -> bool:
    """Whether a tag has a name of several words and its line for itself, as hosts write those that hold much."""
    before, after = tag.string[: tag.start()], tag.string[tag.end() :]
    named = "-" in tag[1] or "_" in tag[1]
    return named and not before.rpartition("\n")[2].strip() and not after.partition("\n")[0].strip()
