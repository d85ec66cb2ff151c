"""Host text in entries of Claude Code's transcripts: what the host, not the person, put into the user's name.

The agent reads it like a prompt: skills and slash commands, mentioned files, selected lines, output of commands that
the user ran, notifications. Only what the person typed counts as theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holloway.capture.json_lines import BLOCKS_MAX, as_items, as_mapping, as_text, join_result_texts, join_text_blocks

DEPTH_MAX = 8
"""Levels of an attachment whose texts are read."""

_INSERTED_TAGS = ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "user-prompt-submit-hook")
"""Tags with which the host inserts text into a prompt."""
_OUTPUT_TAGS = ("bash-stdout", "bash-stderr", "local-command-stdout", "local-command-stderr")
_OTHER_BLOCKS = ("text", "image", "tool_result")
"""Blocks of an entry that are no document."""
_REPORT_TAG = "<task-notification"
_HOST_TAGS = (
    *("local-command", "bash-", "task-notification", "teammate-message"),
    *("system-reminder", "ide_", "user-memory", "tick"),
)
_HOST_WORDS = ("This session is being continued from a previous conversation", "Caveat: The messages below")
_COMMAND = re.compile(r"<command-name>\s*/?([^<]{1,100})</command-name>")
_ARGUMENTS = re.compile(r"<command-args>([^<]{1,10000})")
_COMMAND_CHARS = 2_000
"""Length of the beginning of an entry that is searched for a slash command."""
_HOUSEKEEPING = frozenset(
    "clear compact model config exit quit login logout help status cost context resume mcp hooks agents memory doctor "
    "permissions terminal-setup usage plugin fast vim theme effort rename add-dir export".split()
)
"""Host commands that are unrelated to the work."""
_SELECTION = re.compile(r"<ide_selection>The user selected the lines? [\d to]{1,40} from ([^\n]{1,1000}?):?\n")
_SKILL = re.compile(r"Base directory for this skill: ([^\n]{1,1000})\n")
_SYSTEM_ATTACHMENTS = frozenset({"prompt_snapshot", "environment", "model", "date"})
"""Attachments that are the same in every session: the system prompt of the host and its description of the machine."""
_PATH_NAMES = ("filename", "filePath", "file_path", "path")


class HostText(NamedTuple):
    """A text that the host delivered, with the file that has it, and whether it is the report of something running."""

    text: str
    path: str = ""
    report: bool = False


def extract_user_text(text: str) -> str:
    """Return the part of a user entry that the user typed; empty for text that the host inserted."""
    text = text.strip()
    if command := _COMMAND.search(text[:_COMMAND_CHARS]):
        name = command[1].strip()
        arguments = _ARGUMENTS.search(text)
        return "" if name in _HOUSEKEEPING else f"/{name} {arguments[1].strip() if arguments else ''}".strip()
    for tag in _INSERTED_TAGS:
        text = remove_tag(text, tag)
    tagged = text.startswith(tuple(f"<{tag}" for tag in _HOST_TAGS))
    return "" if tagged or text.startswith(_HOST_WORDS) else text


def may_be_expanded(text: str) -> bool:
    """Return whether a user entry is a slash command whose text may follow in a separate entry."""
    command = _COMMAND.search(text[:_COMMAND_CHARS])
    return command is not None and command[1].strip() not in _HOUSEKEEPING


def list_inserted_texts(content: object) -> Iterator[HostText]:
    """Yield the texts in a user entry that the host inserted, attached documents included."""
    text = join_text_blocks(content, "text")
    if text.lstrip().startswith(_REPORT_TAG):
        yield HostText(text, report=True)
        return
    selection = _SELECTION.search(text)
    inserted = [part for tag in _INSERTED_TAGS for part in find_tagged(text, tag)]
    yield HostText("\n\n".join(inserted), selection[1] if selection else "")
    yield HostText("\n\n".join(part for tag in _OUTPUT_TAGS for part in find_tagged(text, tag)))
    blocks = map(as_mapping, as_items(content))
    yield HostText(join_result_texts([block for block in blocks if block.get("type") not in _OTHER_BLOCKS]))


def read_host_entry(content: object) -> HostText:
    """Return the text of an entry that the host wrote; that of a skill belongs to its file."""
    text = join_result_texts(content)
    skill = _SKILL.match(text)
    return HostText(text, f"{skill[1].strip()}/SKILL.md" if skill else "", text.lstrip().startswith(_REPORT_TAG))


def read_attachment(attachment: Mapping[str, object]) -> HostText:
    """Return all text of an attachment, with the file that it names; none of the host's own system prompt."""
    if attachment.get("type") in _SYSTEM_ATTACHMENTS:
        return HostText("")
    if attachment.get("type") == "hook_success":  # what the agent reads of its output; the rest is for the host
        attachment = {"content": attachment.get("content")}
    path = next((value for name in _PATH_NAMES if (value := as_text(attachment.get(name)))), "")
    return HostText(_join_strings(attachment), path, attachment.get("commandMode") == "task-notification")


def find_tagged(text: str, tag: str) -> list[str]:
    """List the contents of a tag."""
    parts = text.split(f"<{tag}>")[1:BLOCKS_MAX]
    return [part.partition(f"</{tag}>")[0].strip() for part in parts]


def remove_tag(text: str, tag: str) -> str:
    """Return the text without the tag and its content."""
    while (start := text.find(f"<{tag}>")) >= 0 and (end := text.find(f"</{tag}>", start)) >= 0:
        text = (text[:start] + text[end + len(tag) + 3 :]).strip()
    return text


def _join_strings(value: object, depth: int = DEPTH_MAX) -> str:
    """Return all strings in a value, joined."""
    if isinstance(value, str):
        return as_text(value)
    items = list(value.values())[:BLOCKS_MAX] if isinstance(value, dict) else as_items(value)
    return as_text("\n\n".join(filter(None, (_join_strings(item, depth - 1) for item in items if depth))))
