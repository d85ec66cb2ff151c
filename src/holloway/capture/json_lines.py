"""Lenient reader of the JSON and JSON Lines files that agents write, whatever their size, version and state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from holloway.text.sketch import SKETCH_READ_CHARS_MAX
from holloway.text.truncation import cut_end, cut_start

LINE_BYTES_MAX = 8 * 1024 * 1024
TRANSCRIPT_TEXT_CHARS_MAX = SKETCH_READ_CHARS_MAX
"""Maximum length of a text; a longer one keeps its beginning and its end. The scratchpad keeps less, and provenance
compares all of it: a host shows the agent up to 100,000 characters of one result."""
RESULT_DEPTH_MAX = 4
"""Levels of nested blocks in a tool result whose texts are read."""
_RESULT_TEXTS = ("title", "text", "content", "resource", "contents", "description")
BLOCKS_MAX = 1_000
_CHUNK_BYTES = 1024 * 1024
_MILLISECONDS_FROM = 1e11
"""A number above this is a time in milliseconds: in seconds it would be after the year 5000."""
_MOMENT_MAX = 1e14


def read_objects(path: Path) -> Iterator[dict[str, object]]:
    """Yield the JSON objects of a file in order; skip lines that are malformed, truncated or too long."""
    for line in read_lines(path):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def read_document(path: Path, bytes_max: int = LINE_BYTES_MAX) -> Mapping[str, object]:
    """Return the JSON object in a file; empty if the file is unreadable, malformed or over the size limit."""
    try:
        if not path.is_file() or path.stat().st_size > bytes_max:
            return {}
        return parse_object(path.read_bytes())
    except (OSError, ValueError):  # a path with a null byte is a ValueError
        return {}


def parse_object(text: str | bytes) -> Mapping[str, object]:
    """Return the JSON object in a text; empty if it is malformed."""
    try:
        return as_mapping(json.loads(text.decode("utf-8-sig", "replace") if isinstance(text, bytes) else text))
    except (ValueError, RecursionError):
        return {}


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, without those over the size limit; stop where the file cannot be read."""
    try:
        with path.open("rb") as file:
            while line := file.readline(LINE_BYTES_MAX):
                if len(line) < LINE_BYTES_MAX or line.endswith(b"\n"):
                    yield line
                    continue
                while (chunk := file.readline(_CHUNK_BYTES)) and not chunk.endswith(b"\n"):
                    pass
    except OSError:
        return


def as_mapping(value: object) -> Mapping[str, object]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_items(value: object) -> list[object]:
    """Return the first items of the value, up to the limit, if it is a list; else an empty list."""
    return value[:BLOCKS_MAX] if isinstance(value, list) else []


def as_text(value: object, limit: int = TRANSCRIPT_TEXT_CHARS_MAX) -> str:
    """Return the value as valid Unicode, a long text truncated in its middle; empty if the value is not a string."""
    if not isinstance(value, str):
        return ""
    if len(value) > limit:
        head = limit // 3
        value = cut_start(value, head) + "\n…\n" + cut_end(value, limit - head - 3)
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def join_text_blocks(content: object, *kinds: str) -> str:
    """Return the text of a message's content: a plain string, or the joined text of the blocks of these types."""
    if isinstance(content, str):
        return as_text(content)
    blocks = (as_mapping(block) for block in as_items(content))
    return as_text("\n".join(as_text(block.get("text")) for block in blocks if block.get("type") in kinds))


def join_result_texts(content: object, depth: int = RESULT_DEPTH_MAX) -> str:
    """Return all texts of a tool's result that an agent reads, those of embedded resources and documents included."""
    if isinstance(content, str):
        return as_text(content)
    if not depth:
        return ""
    if isinstance(content, list):
        return as_text("\n".join(filter(None, (join_result_texts(item, depth - 1) for item in as_items(content)))))
    block = as_mapping(content)
    values = [block.get(name) for name in _RESULT_TEXTS]
    source = as_mapping(block.get("source"))
    values += [source.get("data") if source.get("type") == "text" else source.get("content")]
    return as_text("\n".join(filter(None, (join_result_texts(value, depth - 1) for value in values))))


def as_count(value: object) -> int:
    """Return the value if it is a count, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


def parse_time(value: object, otherwise: float) -> float:
    """Return a time in seconds since 1970, from ISO 8601, seconds or milliseconds; `otherwise` if it is not a time."""
    if isinstance(value, str):
        try:
            return max(0.0, datetime.fromisoformat(value[:40]).timestamp())
        except (ValueError, OverflowError):
            return otherwise
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _MOMENT_MAX:
        return value / 1_000 if value > _MILLISECONDS_FROM else float(value)
    return otherwise
