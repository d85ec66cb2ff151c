"""Turns in the Chat Completions API: what Copilot CLI sends, and the chunks or the message that answer it."""

import json
from collections.abc import Iterator, Mapping, Sequence

PATH = "/v1/chat/completions"


def texts(body: Mapping[str, object]) -> Iterator[str]:
    """Yield all text the model would read: the content of every message, not its own tool calls."""
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content")
        for part in [content] if isinstance(content, str) else content or ():
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str):
                yield text


def completion(
    name: str, model: object, blocks: Sequence[Mapping[str, object]], tokens: tuple[int, int]
) -> dict[str, object]:
    """Return a turn, given as the blocks of a message, as one completion."""
    calls = _tool_calls(name, blocks)
    said = "".join(str(block["text"]) for block in blocks if block["type"] == "text")
    message: dict[str, object] = {"role": "assistant", "content": said or None}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    if calls:
        message["tool_calls"] = calls
    return {**_about(name, model), "object": "chat.completion", "choices": [choice], "usage": _usage(tokens)}


def chunks(completed: Mapping[str, object]) -> Iterator[bytes]:
    """Yield a completion as server-sent events: one with all that is said, one with the reason why it ends."""
    choices, usage = completed["choices"], completed["usage"]
    assert isinstance(choices, list)
    message, reason = choices[0]["message"], choices[0]["finish_reason"]
    numbered = [{"index": number, **call} for number, call in enumerate(message.get("tool_calls", ()))]
    delta = {**message, "tool_calls": numbered} if numbered else message
    about = {"id": completed["id"], "created": completed["created"], "model": completed["model"]}
    for choice, more in (
        ({"index": 0, "delta": delta, "finish_reason": None}, {}),
        ({"index": 0, "delta": {}, "finish_reason": reason}, {"usage": usage}),
    ):
        chunk = {**about, "object": "chat.completion.chunk", "choices": [choice], **more}
        yield f"data: {json.dumps(chunk)}\n\n".encode()
    yield b"data: [DONE]\n\n"


def _about(name: str, model: object) -> dict[str, object]:
    return {"id": f"chatcmpl_{name}", "created": 1, "model": model}


def _tool_calls(name: str, blocks: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    return [
        {
            "id": f"call_{name}_{number}",
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for number, block in enumerate(blocks)
        if block["type"] == "tool_use"
    ]


def _usage(tokens: tuple[int, int]) -> dict[str, int]:
    read, written = tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
