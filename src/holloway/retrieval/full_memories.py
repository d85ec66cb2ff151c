"""Lazy loading of full memories: a ranking is read in portions, and only as far as it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.store.memories import Memories


class LazyMemories:
    """The full memories of a ranking, loaded in portions from its beginning."""

    def __init__(self, memories: Memories, ranked: Sequence[int], portion: int) -> None:
        self._memories = memories
        self._ranked = ranked
        self._portion = portion
        self._loaded: dict[int, Memory | None] = {}

    def load_memory(self, seq: int) -> Memory | None:
        """Return a memory, or None if it was deleted since it was ranked."""
        if seq not in self._loaded:
            start = self._ranked.index(seq)
            portion = self._ranked[start : start + self._portion]
            memories = self._memories.get_by_seqs(portion)
            self._loaded |= {other_seq: memories.get(other_seq) for other_seq in portion}
        return self._loaded[seq]

    def load_text(self, seq: int) -> str:
        """Return the content of a memory; empty if it was deleted."""
        memory = self.load_memory(seq)
        return memory.content if memory else ""
