"""Prompt cleaning: strips host additions from a prompt, and separates the user's own text from pasted text.

The full prompt, with pasted documents, traces and code, describes the task. Corrections are learned only from the
text that the user wrote.
"""

from __future__ import annotations

import re
from itertools import islice

from holloway.observer.words.sentences import bound_text, extract_prose

PROMPT_CHARS_MAX = 20_000
"""Limit of a prompt; of a longer one only the beginning and the end are read."""
TYPED_LINE_CHARS_MAX = 600
"""Limit of a typed line; a longer one was pasted."""
HOST_TAGS_MAX = 100
_INTERRUPTED = "[Request interrupted by user"
_HOST_OPENINGS = (
    "This session is being continued from a previous conversation",
    "Base directory for this skill:",
    "Caveat: The messages below",
    "Operation stopped by hook",
    "Stop hook feedback:",
    "Please continue the conversation from where we left it off",
)
"""Openings of prompts that the host wrote."""
_TYPED_TAGS = frozenset({"command-args", "user_query", "user-query"})
"""Tags whose content the user typed."""
_HOST_TAGS = (
    *("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "hook_context"),
    *("command-name", "command-message", "command-contents", "local-command-stdout", "local-command-stderr"),
    "local-command-caveat",
)
"""Tags whose content the host added to the prompt."""
_TAG = re.compile(r"<([a-zA-Z][\w-]{1,40})(?:\s[^<>]{0,200})?>")
_CLOSING_TAG = re.compile(r"</[a-zA-Z][\w-]{1,40}>")
_BRACKETED = re.compile(r"\[(?:Request interrupted|Image|Pasted text)[^\]\n]{0,80}\]")
_FENCE = re.compile(r"^\s*(?:```|~~~|-{3,}\s*$|={3,}\s*$).*$", re.MULTILINE)
_MAIL_HEAD = re.compile(
    r"^(?:-{2,}\s*(?:forwarded|original|weitergeleitete|urspr\u00fcngliche)\s[\w ]{4,20}\s*-{2,}"
    r"|on .{8,100} wrote:|am .{8,100} schrieb .{1,80}:"
    r"|(?:from|von|de|da|van|fr\u00e5n|od): \S.*\n(?:[\w-]{2,20}: \S.*\n?)+)",
    re.IGNORECASE | re.MULTILINE,
)
"""The head of a mail that was forwarded or is answered; all below it is pasted."""
_SPEAKER_HEAD = re.compile(
    r"^[A-Z][\w.' -]{0,60} (?:said|says|wrote|writes|replied|answered|commented|schrieb|sagte?|antwortete"
    r"|a \u00e9crit|a dit|escribi\u00f3|dijo|ha scritto|disse|escreveu)\s?:[ \t]*\n",
    re.MULTILINE,
)
"""The line above a message that was copied from a chat or a thread; all below it is pasted."""
_PAGE_LINE = re.compile(r"^(?=[^\n]*\d)[^\n\u00b7]{1,80}(?: \u00b7 [^\n\u00b7]{1,60}){2,}$", re.MULTILINE)
"""A line of a page with its author, date and buttons, separated by dots; all below it is pasted."""
_TERMINAL = re.compile(r"\s*(?:(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+[^\n$#%]{0,80}[$#%] \S|[$%\u276f\u00bb] \S|PS [A-Z]:\\)")
"""The prompt of a shell at the beginning of a block, below which its output stands."""
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?\b")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_PASTED_LINE = re.compile(
    r"\s{4,}|\t|[+@$%|{}<>]|(?:---|===|\*\*\*)|\d{2,4}[-:/]\d{2}[-:/T ]|\[\d|at \w+[.(]|(?:Error|Traceback"
    r"|panic|FAIL|ok|PASS)\b"
    r"|[\w./-]+:\d+(?::\d+)?:|(?:import|func|def|class|const|return|package|var|let) \w+.*[({=;:]$"
)


def strip_host_additions(prompt: str) -> str:
    """Return the prompt without host additions; empty if the host wrote all of it."""
    text = prompt.strip()
    if len(text) > PROMPT_CHARS_MAX:
        half = (PROMPT_CHARS_MAX - 1) // 2
        text = f"{text[:half]}\n{text[-half:]}"
    if text.startswith(_HOST_OPENINGS):
        return ""
    for tag in _HOST_TAGS:
        text = _strip_tag(text, tag)
    for tag in _TYPED_TAGS:
        text = text.replace(f"<{tag}>", " ").replace(f"</{tag}>", " ")
    return _BRACKETED.sub(" ", text).strip()


def _strip_tag(text: str, tag: str) -> str:
    """Return the text without a tag and its content; an unclosed tag is kept as the user's own text."""
    opening, closing = f"<{tag}", f"</{tag}>"
    parts, position = [], 0
    while (start := text.find(opening, position)) >= 0:
        inside = start + len(opening)
        if text[inside : inside + 1] not in (">", " ", "\n"):
            parts.append(text[position:inside])
            position = inside
            continue
        end = text.find(closing, inside)
        if end < 0:
            break
        parts.append(text[position:start])
        position = end + len(closing)
    return "".join(parts) + text[position:]


def extract_user_text(prompt: str) -> str:
    """Return only the user's own text of a prompt, without host additions and pasted text; may be empty."""
    opening = prompt.lstrip()[:200]
    if opening.startswith(_HOST_OPENINGS):
        return ""
    text = _BRACKETED.sub(" ", _strip_tags(bound_text(prompt)))
    heading = _HEADING.search(text)  # A pasted document: the user's own text comes before it.
    lines = extract_prose(text[: heading.start()] if heading else text).split("\n")
    return "\n".join(line.strip() for line in lines if _is_typed_line(line)).strip()


def is_host_text(prompt: str) -> bool:
    """Whether the host wrote the whole prompt, as it does with a summary of an earlier conversation."""
    return prompt.lstrip()[:200].startswith(_HOST_OPENINGS)


def split_pasted_blocks(prompt: str) -> list[tuple[str, bool]]:
    """Split a prompt into blocks, each with whether the user seems to have pasted it instead of typing it.

    Pasted are fenced, quoted and tagged blocks, and below the first block: a document that begins with a heading, long
    lines, lines of a log, a terminal or a chat, and several lines below one that ends with a colon; a mail, a message
    or a page, from its head on. A prompt that is a document from its first line on is the task itself.
    """
    blocks: list[tuple[str, bool]] = []
    in_document = False
    for text, is_fenced in _split_fences(bound_text(prompt)):
        for block in filter(str.strip, re.split(r"\n\s*\n", text)):
            is_task = bool(blocks) and bool(_HEADING.match(blocks[0][0].lstrip()))
            in_document = in_document or (bool(blocks) and not is_task and bool(_HEADING.match(block.lstrip())))
            in_document = in_document or has_message_head(block)
            is_announced = bool(blocks) and blocks[-1][0].rstrip().endswith(":") and "\n" in block.strip()
            is_marked = is_fenced or _is_quoted(block)
            blocks.append((block, is_marked or in_document or is_announced or (bool(blocks) and _looks_pasted(block))))
    return blocks


def has_message_head(block: str) -> bool:
    """Whether a block has the head of a mail, of a message or of an entry on a page, which somebody else wrote."""
    return any(head.search(block) for head in (_MAIL_HEAD, _SPEAKER_HEAD, _PAGE_LINE))


def _split_fences(text: str) -> list[tuple[str, bool]]:
    """Split a text at its fences; an unclosed fence reaches to the end."""
    return [(part, bool(number % 2)) for number, part in enumerate(_FENCE.split(text))]


def _is_quoted(block: str) -> bool:
    lines = filter(str.strip, block.splitlines())
    return all(line.lstrip().startswith(">") for line in lines) or bool(_TAG.match(block.lstrip()))


def _looks_pasted(block: str) -> bool:
    lines = [line for line in block.splitlines() if line.strip()]
    if len(lines) == 1:
        return len(lines[0]) > TYPED_LINE_CHARS_MAX
    if _TERMINAL.match(block):
        return True
    pasted_count = sum(
        len(line) > TYPED_LINE_CHARS_MAX or bool(_PASTED_LINE.match(line) or _CLOCK.search(line)) for line in lines
    )
    return pasted_count * 2 >= len(lines)


def is_interruption(prompt: str) -> bool:
    """Whether this prompt is the host's notice that the user interrupted the agent."""
    return prompt.lstrip()[: len(_INTERRUPTED)] == _INTERRUPTED


def _is_typed_line(line: str) -> bool:
    return bool(line.strip()) and len(line) <= TYPED_LINE_CHARS_MAX and not _PASTED_LINE.match(line)


def _strip_tags(text: str) -> str:
    """Return the text outside of paired tags, and inside of tags that hold typed text."""
    parts: list[str] = []
    position = 0
    for match in islice(_TAG.finditer(text), HOST_TAGS_MAX):
        if match.start() < position:
            continue
        name = match[1]
        end = text.find(f"</{name}>", match.end())
        if end < 0 and (name in _TYPED_TAGS or not _is_host_tag(match)):
            continue  # No host tag: people write placeholders such as `<branch>`.
        parts.append(text[position : match.start()])
        if end < 0:  # A truncated prompt may have lost the closing tag of a host addition.
            return "".join(parts)
        if name in _TYPED_TAGS:
            parts.append(f"\n{text[match.end() : end]}\n")
        position = end + len(name) + 3
    return _CLOSING_TAG.sub(" ", "".join([*parts, text[position:]]))


def _is_host_tag(tag: re.Match[str]) -> bool:
    """Whether a tag has a name of several words and stands alone on its line, as host tags with much content do."""
    before, after = tag.string[: tag.start()], tag.string[tag.end() :]
    named = "-" in tag[1] or "_" in tag[1]
    return named and not before.rpartition("\n")[2].strip() and not after.partition("\n")[0].strip()
