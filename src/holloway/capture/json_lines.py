"""Lenient reading of what an agent left on disk: files of one JSON object a line, of any size, version and state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

LINE_BYTES_MAX = 8 * 1024 * 1024
TEXT_CHARS_MAX = 20_000
"""Of a text so much is handed on: its beginning and its end. The scratchpad keeps less."""
BLOCKS_MAX = 1_000
_CHUNK_BYTES = 1024 * 1024
_MILLISECONDS_FROM = 1e11
"""A number above this is a time in milliseconds: in seconds it would lie after the year 5000."""
_MOMENT_MAX = 1e14


def read_objects(path: Path) -> Iterator[dict[str, object]]:
    """The JSON objects of a file in order; a line that is none, is cut short or is too long is passed over."""
    for line in read_lines(path):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, one at a time; those over the limit are left out, and so is what cannot be read."""
    try:
        with path.open("rb") as file:
            while line := file.readline(LINE_BYTES_MAX):
                if len(line) < LINE_BYTES_MAX or line.endswith(b"\n"):
                    yield line
                    continue
                while (rest := file.readline(_CHUNK_BYTES)) and not rest.endswith(b"\n"):
                    pass
    except OSError:
        return


def as_mapping(value: object) -> Mapping[str, object]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_items(value: object) -> list[object]:
    """The value if it is a list, as far as it may reach, else an empty one."""
    return value[:BLOCKS_MAX] if isinstance(value, list) else []


def as_text(value: object, limit: int = TEXT_CHARS_MAX) -> str:
    """The value if it is a text that can be written down again, else nothing; of a long one the two ends."""
    if not isinstance(value, str):
        return ""
    if len(value) > limit:
        head = limit // 3
        value = value[:head] + "\n…\n" + value[head - limit + 3 :]
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def join_text_blocks(content: object, *kinds: str) -> str:
    """The words in a message's content: a plain text, or the text of the blocks of these types."""
    if isinstance(content, str):
        return as_text(content)
    found = (as_mapping(block) for block in as_items(content))
    return as_text("\n".join(as_text(block.get("text")) for block in found if block.get("type") in kinds))


def as_count(value: object) -> int:
    """The value if it is a count, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


def parse_time(value: object, otherwise: float) -> float:
    """A time as seconds since 1970: from ISO 8601, seconds or milliseconds."""
    if isinstance(value, str):
        try:
            return max(0.0, datetime.fromisoformat(value[:40]).timestamp())
        except (ValueError, OverflowError):
            return otherwise
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _MOMENT_MAX:
        return value / 1_000 if value > _MILLISECONDS_FROM else float(value)
    return otherwise
