"""Fields of a memory that ranking needs: a query ranks sixty memories and loads only the ten it shows in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from holloway.domain.memory import MemoryType, Source, State


class Sketch(NamedTuple):
    """A memory without its words. Its files come in no particular order."""

    id: str
    type: MemoryType
    source: Source
    state: State
    confidence: float
    half_life_days: float | None
    pinned: bool
    last_used_at: str
    updated_at: str
    stale_at: str
    commit: str
    files: tuple[str, ...]
