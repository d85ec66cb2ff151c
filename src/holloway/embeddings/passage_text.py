"""The text that is embedded: where something belongs, then what it says."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from holloway.config import PASSAGE_CHARS_MAX, PASSAGE_FILES_MAX

if TYPE_CHECKING:
    from holloway.domain.memory import Memory

EDITION = "1"
"""Of the way passages are made. With another number, everything is embedded again."""


def of_memory(memory: Memory) -> str:
    """Type, modules and files of a memory, then its content."""
    files = memory.files[:PASSAGE_FILES_MAX]
    where = "; ".join(part for part in (", ".join(memory.modules), ", ".join(files)) if part)
    head = f"{memory.type.label} ({where}):" if where else f"{memory.type.label}:"
    return collapsed(f"{head} {memory.content}")


def collapsed(text: str, limit_chars: int = PASSAGE_CHARS_MAX) -> str:
    """Every run of white space as one space, and no more than a model reads: indentation would be most of its tokens.

    What cannot be encoded is replaced, because tokenizers and servers refuse a whole batch for it.
    """
    flat = " ".join(text[: limit_chars * 8].split())[:limit_chars].rstrip()
    return flat.encode("utf-8", "replace").decode()


def text_hash(passage: str) -> str:
    """By which a passage that was embedded before is known."""
    return blake2b(passage.encode(), digest_size=16).hexdigest()
