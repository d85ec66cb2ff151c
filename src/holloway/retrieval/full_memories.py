"""Memories read whole, a few at a time and only when somebody looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.store.memories import Memories


class Whole:
    """The memories of a ranking, which is looked at from its beginning and rarely to its end."""

    def __init__(self, memories: Memories, ranked: Sequence[int], portion: int) -> None:
        self._memories = memories
        self._ranked = ranked
        self._portion = portion
        self._known: dict[int, Memory | None] = {}

    def get(self, seq: int) -> Memory | None:
        """A memory; None where it is gone since it was ranked."""
        if seq not in self._known:
            at = self._ranked.index(seq)
            some = self._ranked[at : at + self._portion]
            found = self._memories.many(some)
            self._known |= {each: found.get(each) for each in some}
        return self._known[seq]

    def text(self, seq: int) -> str:
        """What a memory says."""
        memory = self.get(seq)
        return memory.content if memory else ""
