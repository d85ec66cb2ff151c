"""What the service answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.retrieval.novelty import Close
    from holloway.service.taught_memory import Inferred
    from holloway.store.candidates import Kept


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a taught sentence."""

    outcome: str
    memory: Memory | None
    redacted: tuple[str, ...]
    inferred: Inferred
    close: tuple[Close, ...] = ()
    """Memories that say almost the same, or contradict it; nothing was done to them."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, and what could not be cleaned yet."""

    memories: tuple[Memory, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory comes from and where it went."""

    memory: Memory
    history: tuple[tuple[str, str, str], ...]
    shown: tuple[tuple[str, str, str], ...]
    replaced: tuple[Memory, ...]
    seen: tuple[Kept, ...] = ()
    """What sessions showed that it was made from, or that agreed with it."""
