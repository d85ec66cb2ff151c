"""Relevance of a memory to a piece of work: a shared file, a shared module or shared keywords."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from holloway.text.fts_query import STOP_WORDS
from holloway.text.identifiers import split_identifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.domain.memory import Memory

KEYWORDS_MIN = 2
"""Keywords that a memory and a task must share if they share neither a file nor a module."""
LETTERS_MIN = 3
_WORD = re.compile(r"[A-Za-z_]\w+")


class Work(NamedTuple):
    """A piece of work: its files, their modules, and the keywords of its task."""

    files: frozenset[str]
    modules: frozenset[str]
    keywords: frozenset[str]

    def concerns(self, memory: Memory) -> bool:
        """Tell whether a memory is about this work."""
        from holloway.domain.memory_details import details_json  # heavy, and a prompt has rows instead

        if self.files & set(memory.files) or self.modules & set(memory.modules):
            return True
        return self.concerns_text(memory.content, memory.summary, details_json(memory.details))

    def concerns_text(self, *texts: object) -> bool:
        """Tell whether texts, also inside lists and dicts, share enough keywords with this work."""
        return len(self.keywords & extract_keywords(" ".join(_flatten(texts)))) >= KEYWORDS_MIN


def describe_work(files: Iterable[str], modules: Iterable[str], task: str) -> Work:
    """Describe a piece of work by its files, modules and task."""
    return Work(frozenset(files), frozenset(module for module in modules if module), extract_keywords(task))


def extract_keywords(text: str) -> frozenset[str]:
    """Return the words of a text except stop words, identifiers also in parts, without a plural s."""
    words = {part.rstrip("s") for word in _WORD.findall(text) for part in (word.casefold(), *split_identifier(word))}
    return frozenset(word for word in words if len(word) >= LETTERS_MIN and word not in STOP_WORDS)


def _flatten(value: object) -> list[str]:
    """List every string in nested lists and dicts."""
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for item in values for text in _flatten(item)]
