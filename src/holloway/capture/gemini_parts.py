"""Messages in the format of the Gemini API, as Gemini CLI and its fork Qwen Code record them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holloway.capture.host_text import find_tagged, remove_tag
from holloway.capture.json_lines import as_count, as_items, as_mapping, as_text, join_result_texts
from holloway.text import edit_lines

HOOK_TAGS = ("hook_context", "qwen:user-prompt-submit-context")
"""Tags around the text that hooks add to a prompt or to a tool's result."""
SNAPSHOT = "<state_snapshot>"
"""Beginning of the summary of a compaction."""

_REFERENCES = "--- Content from referenced files ---"
"""Line below which the host puts the files that a prompt mentions."""
_REPLIES = ("output", "content", "error")


class ToolResponse(NamedTuple):
    """The result of a tool call, as the model gets it."""

    call_id: str
    text: str
    has_error: bool


class UserText(NamedTuple):
    """The text of a user message: the words of the person, and the text that the host or its hooks added."""

    typed: str
    added: str


def list_parts(content: object) -> list[Mapping[str, object]]:
    """Return the parts of a message's content: a list, one part, or plain text."""
    if isinstance(content, str):
        return [{"text": content}]
    items = as_items(content) if isinstance(content, list) else [content]
    return [as_mapping(item) if not isinstance(item, str) else {"text": item} for item in items]


def join_texts(content: object) -> str:
    """Return all text of a message's content."""
    return as_text("\n".join(text for part in list_parts(content) if (text := as_text(part.get("text")))))


def split_user_text(content: object) -> UserText:
    """Separate the words of the person from the text that the host and its hooks added to them."""
    words, _, references = join_texts(content).partition(_REFERENCES)
    typed, hook_text = split_hook_text(words)
    return UserText(typed.strip(), "\n".join(filter(None, (hook_text, references.strip()))))


def split_hook_text(text: str) -> tuple[str, str]:
    """Separate a text from what hooks added to it."""
    added_texts = [added for tag in HOOK_TAGS for added in find_tagged(text, tag)]
    if added_texts:
        for tag in HOOK_TAGS:
            text = remove_tag(text, tag)
    return text, "\n".join(added_texts)


def list_responses(content: object) -> Iterator[ToolResponse]:
    """Yield the results of tool calls in a message's content."""
    for part in list_parts(content):
        response = as_mapping(part.get("functionResponse"))
        if response:
            reply = as_mapping(response.get("response"))
            text = next((text for name in _REPLIES if (text := join_result_texts(reply.get(name)))), "")
            yield ToolResponse(as_text(response.get("id")), text, bool(reply.get("error")))


def list_applied_lines(display: object) -> tuple[str, ...] | None:
    """Return the lines that an edit wrote after the person had changed the proposal; None without such a change."""
    facts = as_mapping(display)
    counts = as_mapping(facts.get("diffStat"))
    if not as_count(counts.get("user_added_lines")) + as_count(counts.get("user_removed_lines")):
        return None
    return tuple(edit_lines.parse_diff("", "edit", as_text(facts.get("fileDiff"))).added)
