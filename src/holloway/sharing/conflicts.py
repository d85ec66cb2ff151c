"""Conflicts: two people changed the same text without seeing each other's change. Only a person decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holloway.errors import InvalidInput
from holloway.sharing.incoming import Incoming, fold_memories
from holloway.sharing.participants import load_participants
from holloway.sharing.recorder import Recorder
from holloway.store import operation_log
from holloway.store.operation_log import CONFLICT

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.sharing.merge import MemoryState, Version
    from holloway.sharing.participants import Participants
    from holloway.store.store import Store

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Side(NamedTuple):
    """One version of a text in conflict."""

    letter: str
    text: str
    author: str
    at: str
    is_mine: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """A memory of which several versions wait for a person."""

    memory: str
    """Its local id."""
    sides: tuple[Side, ...]


def list_conflicts(store: Store) -> list[Conflict]:
    """Return the conflicts of a store, with the version that agents get meanwhile first."""
    names = [shared.memory for shared in operation_log.list_shared(store.database, CONFLICT)]
    participants = load_participants(store)
    states = fold_memories(store, names, participants)
    conflicts = [_build_conflict(store, state, participants) for state in states if state.has_conflict]
    return [conflict for conflict in conflicts if conflict is not None]


def resolve_conflict(store: Store, memory_id: str, *, letter: str = "", text: str = "") -> Memory:
    """End a conflict with the version of a letter or with a merged text; returns the memory.

    Raises InvalidInput if the memory is not in conflict or has no such version.
    """
    memory = store.memories.get_memory(memory_id)
    shared = operation_log.find_shared(store.database, uid=memory.uid)
    participants = load_participants(store)
    states = fold_memories(store, [shared.memory], participants) if shared else []
    state = next((state for state in states if state.has_conflict), None)
    if shared is None or state is None:
        raise InvalidInput(f"{memory.id} is not in conflict.", "`holloway conflicts` lists those that are.")
    versions = dict(zip(LETTERS, _order_versions(state, participants), strict=False))
    if not text and letter.lower() not in versions:
        raise InvalidInput(f"{memory.id} has no version {letter!r}.", f"Versions: {', '.join(versions)}.")
    value = {"text": text} if text else versions[letter.lower()].value
    if text and isinstance(versions["a"].value, dict) and "details" in versions["a"].value:
        value = {**value, "details": versions["a"].value["details"]}
    replica = operation_log.read_settings(store.database)["replica"]
    with store.database.write_transaction():
        change = {"value": value, "seen": sorted(version.id for version in state.content)}
        # The last summary may be that of another version: without one, it is made from the text.
        Recorder(store).add_operation(replica, shared.memory, {"content": change, "summary": ""})
        if text:
            store.memories.add_history(memory.id, "merged", memory.content)
    Incoming(store, participants).apply([shared.memory])
    return store.memories.get_memory(memory_id)


def _build_conflict(store: Store, state: MemoryState, participants: Participants) -> Conflict | None:
    memory_id = operation_log.find_local_id(store.database, state.memory)
    sides = [
        Side(
            letter,
            str(version.value["text"]) if isinstance(version.value, dict) else "",
            participants.describe_author(version.replica),
            version.at,
            participants.is_mine(version.replica),
        )
        for letter, version in zip(LETTERS, _order_versions(state, participants), strict=False)
    ]
    return Conflict(memory_id, tuple(sides)) if memory_id else None


def _order_versions(state: MemoryState, participants: Participants) -> list[Version]:
    """Return the versions, that of this replica first, then the newest."""
    return sorted(state.content, key=lambda version: not participants.is_mine(version.replica))
