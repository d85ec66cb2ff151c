"""Passage text of a memory, the input of its embedding: location first, then content."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from holloway.config import PASSAGE_CHARS_MAX, PASSAGE_FILES_MAX

if TYPE_CHECKING:
    from holloway.domain.memory import Memory

EDITION = "1"
"""Version of the passage format. With another number, everything is embedded again."""


def build_passage(memory: Memory) -> str:
    """Return type, modules and files of a memory, then its content."""
    files = memory.files[:PASSAGE_FILES_MAX]
    location = "; ".join(part for part in (", ".join(memory.modules), ", ".join(files)) if part)
    head = f"{memory.type.label} ({location}):" if location else f"{memory.type.label}:"
    return collapse_whitespace(f"{head} {memory.content}")


def collapse_whitespace(text: str, limit_chars: int = PASSAGE_CHARS_MAX) -> str:
    """Collapse white space and cut the text to what a model reads: indentation would take most of its tokens.

    Characters that cannot be encoded are replaced, because tokenizers and servers refuse a whole batch for one.
    """
    flat = " ".join(text[: limit_chars * 8].split())[:limit_chars].rstrip()
    return flat.encode("utf-8", "replace").decode()


def hash_passage(passage: str) -> str:
    """Return the hash by which an embedded passage is recognised."""
    return blake2b(passage.encode(), digest_size=16).hexdigest()
