"""The memories of others that a person who joined should read first, by confidence, pin and uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain import confidence
from holloway.domain.memory import Source, State
from holloway.sharing.incoming import fold_memories
from holloway.sharing.participants import load_participants
from holloway.store import operation_log
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.domain.memory import Memory
    from holloway.store.store import Store

ONBOARDING_MEMORIES = 5
PINNED_WEIGHT = 2.0
"""How much more a pinned memory counts."""
CANDIDATES_MAX = 500
"""Memories whose uses are added up, the surest first."""


def choose_important(store: Store) -> list[Memory]:
    """Return the five most important memories that others shared and that agents may see, the first one first."""
    shared = store.memories.find_memories(Filter(sources=(Source.COLLEAGUE,), quarantined=False), -1)
    now = store.clock.now()
    weights = {
        memory.id: confidence.current_confidence(memory, now) * (PINNED_WEIGHT if memory.pinned else 1.0)
        for memory in shared
        if memory.state is not State.STALE and not memory.muted
    }
    likely = sorted((memory for memory in shared if memory.id in weights), key=lambda memory: -weights[memory.id])
    uses = _count_uses(store, likely[:CANDIDATES_MAX])
    ranked = sorted(likely, key=lambda memory: -weights[memory.id] * (1 + uses.get(memory.id, 0)))
    return ranked[:ONBOARDING_MEMORIES]


def _count_uses(store: Store, memories: Iterable[Memory]) -> dict[str, int]:
    """Return how often everybody together used these memories."""
    ids = {operation_log.find_shared_name(store.database, memory.id): memory.id for memory in memories}
    states = fold_memories(store, (name for name in ids if name), load_participants(store))
    return {ids[state.memory]: state.counts.get("uses", 0) for state in states}
