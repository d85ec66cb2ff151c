"""Turns as the Responses API streams them: what Codex asks, and the events that it is answered with."""

import json
from collections.abc import Iterator, Mapping, Sequence

PATH = "/v1/responses"
FREEFORM = frozenset({"apply_patch"})
"""Tools whose input is a text of its own and no JSON."""


def texts(body: Mapping[str, object]) -> Iterator[str]:
    """All that the model would read: instructions, messages and the outputs of tools, not its own calls."""
    instructions = body.get("instructions")
    if isinstance(instructions, str):
        yield instructions
    items = body.get("input")
    for item in items if isinstance(items, list) else ():
        for name in ("content", "output"):
            yield from _said(item.get(name))


def _said(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _said(part.get("text") if isinstance(part, dict) else part)


def events(name: str, blocks: Sequence[Mapping[str, object]], tokens: tuple[int, int]) -> Iterator[bytes]:
    """A turn, given as the blocks of a message, as server-sent events."""
    about = {"id": f"resp_{name}"}
    yield _event("response.created", response=about)
    for number, block in enumerate(blocks):
        yield _event("response.output_item.done", output_index=number, item=_item(f"{name}_{number}", block))
    taken, given = tokens
    usage = {
        "input_tokens": taken,
        "input_tokens_details": None,
        "output_tokens": given,
        "output_tokens_details": None,
        "total_tokens": taken + given,
    }
    yield _event("response.completed", response={**about, "usage": usage})


def _item(name: str, block: Mapping[str, object]) -> dict[str, object]:
    if block["type"] == "text":
        content = [{"type": "output_text", "text": block["text"], "annotations": []}]
        return {"type": "message", "role": "assistant", "id": f"msg_{name}", "content": content}
    call = {"id": f"fc_{name}", "call_id": f"call_{name}", "status": "completed", "name": block["name"]}
    given = block["input"]
    if block["name"] in FREEFORM and isinstance(given, dict):
        return {**call, "type": "custom_tool_call", "input": given["input"]}
    return {**call, "type": "function_call", "arguments": json.dumps(given)}


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
