"""Whether a memory has to do with a piece of work: a file, a module or words that both have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.domain.memory_details import texts
from holloway.text.fts_query import STOP_WORDS
from holloway.text.identifiers import parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.domain.memory import Memory

WORDS_MIN = 2
"""Words that a memory and a task must share, where neither file nor module does."""
LETTERS_MIN = 3
_WORD = re.compile(r"[A-Za-z_]\w+")


@dataclass(frozen=True, slots=True)
class Work:
    """What somebody is at: its files, the modules they lie in, and the words it is told in."""

    files: frozenset[str]
    modules: frozenset[str]
    words: frozenset[str]

    def concerns(self, memory: Memory) -> bool:
        """Whether a memory is about it."""
        if self.files & set(memory.files) or self.modules & set(memory.modules):
            return True
        said = " ".join([memory.content, memory.summary, *texts(memory.details)])
        return len(self.words & telling(said)) >= WORDS_MIN


def work(files: Iterable[str], modules: Iterable[str], task: str) -> Work:
    """A piece of work by its files, modules and task."""
    return Work(frozenset(files), frozenset(module for module in modules if module), telling(task))


def telling(text: str) -> frozenset[str]:
    """The words of a text that are not in every text, identifiers in parts, without their plural."""
    found = {part.rstrip("s") for word in _WORD.findall(text) for part in (word.casefold(), *parts(word))}
    return frozenset(word for word in found if len(word) >= LETTERS_MIN and word not in STOP_WORDS)
