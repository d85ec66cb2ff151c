"""Relations that are made by hand or by an agent's note: a memory requires another one, or validates it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from holloway.domain import confidence
from holloway.domain.memory import Relation, RelationType, State
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holloway.domain.memory import Draft, Memory
    from holloway.store.store import Store


def list_relations(store: Store, named: Sequence[tuple[RelationType, str]]) -> Iterator[Relation]:
    """Yield the relations to memories that may be told; ids that are unknown, replaced or quarantined are left out."""
    for kind, memory_id in named:
        with suppress(InvalidInput):
            memory = store.memories.get_memory(memory_id)
            if memory.is_alive and memory.state is not State.QUARANTINED:
                yield Relation(kind, memory=memory.id)


def raise_validated(store: Store, validating_id: str, draft: Draft) -> None:
    """Raise the confidence of the memories that a new one validates; one that waits for a person validates nothing."""
    if draft.state is State.QUARANTINED:
        return
    for relation in draft.relations:
        if relation.type is RelationType.VALIDATES:
            raise_confidence(store, validating_id, store.memories.get_memory(relation.memory))


def raise_confidence(store: Store, validating_id: str, validated: Memory) -> None:
    """Raise the confidence of a memory that another one validates."""
    raised = confidence.raise_confidence(validated.confidence)
    store.memories.update_memory(validated, "agreed", f"validated by {validating_id}", confidence=raised)
