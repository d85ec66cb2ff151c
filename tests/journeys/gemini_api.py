"""Turns in the Gemini API: what Gemini CLI sends, and the message that answers it."""

import json
from collections.abc import Iterator, Mapping, Sequence

PATHS = (":generateContent", ":streamGenerateContent")
"""Ends of the paths; the name of the model is before them."""
STREAMED = PATHS[1]


def texts(body: Mapping[str, object]) -> Iterator[str]:
    """Yield all text the model would read: its instructions, messages and tool results, not its own tool calls."""
    yield from _part_texts(body.get("systemInstruction"))
    contents = body.get("contents")
    for content in contents if isinstance(contents, list) else ():
        yield from _part_texts(content)


def _part_texts(content: object) -> Iterator[str]:
    parts = content.get("parts") if isinstance(content, dict) else ()
    for part in parts or ():
        if isinstance(part.get("text"), str):
            yield part["text"]
        response = part.get("functionResponse")
        if isinstance(response, dict):
            yield from (text for text in response.get("response", {}).values() if isinstance(text, str))


def completion(name: str, blocks: Sequence[Mapping[str, object]], tokens: tuple[int, int]) -> dict[str, object]:
    """Return a turn, given as the blocks of a message, as one message."""
    parts: list[dict[str, object]] = []
    for number, block in enumerate(blocks):
        if block["type"] == "tool_use":
            call = {"id": f"call_{name}_{number}", "name": block["name"], "args": block["input"]}
            parts.append({"functionCall": call})
        else:
            parts.append({"text": block["text"]})
    read, written = tokens
    counts = {"promptTokenCount": read, "candidatesTokenCount": written, "totalTokenCount": read + written}
    content = {"role": "model", "parts": parts}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": counts}


def chunks(completed: Mapping[str, object]) -> Iterator[bytes]:
    """Yield a message as server-sent events: one has all of it."""
    yield f"data: {json.dumps(completed)}\n\n".encode()
