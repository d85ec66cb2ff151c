"""Incoming operations: brings the local rows in line with the shared state. Other people's words are never believed.

A shared field is written only if the shared state changed since the two were last compared, so that nothing here is
overwritten that the log does not know yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holloway.domain import confidence
from holloway.domain.memory import Memory, RelationType, ReviewReason, Source, State, Visibility
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.sharing.foreign_memory import ForeignMemories
from holloway.sharing.merge import ERASE, FORGOTTEN, REJECTED, MemoryState, fold
from holloway.sharing.participants import accept_devices, list_affected, load_participants, save_participants
from holloway.sharing.recorder import Recorder, from_row
from holloway.sharing.shared_fields import SHARED_BY, compress_values, digest_value
from holloway.store import operation_log, privacy
from holloway.store.attribution import CONFIRMED_BY, COUNTS
from holloway.store.operation_log import CONFLICT, ERASED, HELD_BACK, SharedMemory
from holloway.store.text_traces import TextTraces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.domain.memory import Draft
    from holloway.sharing.operation import Operation
    from holloway.sharing.participants import Participants
    from holloway.store.store import Store

_WORDS = frozenset(("content", "summary", "type", "tags", "files", "modules", "scope"))
"""Shared fields that somebody wrote in words, or in names of files."""
APPLY_BATCH = 200
"""Memories that one transaction brings in line, so that other writers are not kept waiting."""


@dataclass(slots=True)
class Applied:
    """Counts of the changes that incoming operations made here."""

    added: int = 0
    changed: int = 0
    erased: int = 0
    conflicts: int = 0
    quarantined: int = 0
    held: int = 0
    problems: list[str] = field(default_factory=list)


def apply_waiting(store: Store) -> Applied:
    """Bring the rows of all memories in line of which operations came, or about which other people count now.

    It can be interrupted anywhere: the next call goes on.
    """
    accept_devices(store)
    participants = load_participants(store)
    memories = sorted({*operation_log.list_unapplied(store.database), *list_affected(store, participants)})
    incoming = Incoming(store, participants)
    for start in range(0, len(memories), APPLY_BATCH):
        incoming.apply(memories[start : start + APPLY_BATCH])
    save_participants(store, participants)
    return incoming.applied


def fold_memories(store: Store, memories: Iterable[str], participants: Participants) -> list[MemoryState]:
    """Return the shared state of some memories, from the operations that count."""
    names = sorted({name for name in memories if not name.endswith("/")})
    by_memory: dict[str, list[Operation]] = {name: [] for name in names}
    for row in operation_log.list_operations(store.database, names):
        operation = from_row(row)
        if participants.counts(operation):
            by_memory[operation.memory].append(operation)
    return [fold(name, operations, participants.is_entitled) for name, operations in by_memory.items()]


class Incoming:
    """Applies shared state to the rows of one store."""

    def __init__(self, store: Store, participants: Participants) -> None:
        self._store = store
        self._database = store.database
        self._participants = participants
        self._foreign = ForeignMemories(store, participants)
        self._recorder = Recorder(store)
        self.applied = Applied()

    def apply(self, memories: Iterable[str]) -> Applied:
        """Bring the rows of these shared memories in line with their shared state."""
        names = sorted(memories)
        states = fold_memories(self._store, names, self._participants)
        self._erase([state for state in states if state.erased])
        # What is compared here is in the base of each memory before its row is written: there is nothing to record.
        with self._database.write_transaction(), self._store.memories.pause_listener():
            shared = operation_log.list_shared_by_name(self._database, names)
            rows = self._store.memories.get_by_uids([entry.uid for entry in shared.values() if entry.uid])
            for state in states:
                self._retract(state)
                if not state.erased and state.content:
                    entry = shared.get(state.memory, SharedMemory(state.memory, "", {}))
                    self._apply_state(state, entry, rows.get(entry.uid))
            operation_log.mark_applied(self._database, names)
        return self.applied

    def _retract(self, state: MemoryState) -> None:
        """Delete the words of those who erased a memory without the right: they took back their own."""
        for replica, effect in state.proposals:
            if effect == ERASE:
                operation_log.delete_retracted(self._database, state.memory, replica)

    def _erase(self, states: list[MemoryState]) -> None:
        """Erase what its owner erased: row, text index, log, backups."""
        if not states:
            return
        names = [state.memory for state in states]
        if operation_log.has_own_words(self._database, names):
            operation_log.set_rewrite(self._database, is_due=True)
        shared = operation_log.list_shared_by_name(self._database, names)
        memories = self._store.memories.get_by_uids([entry.uid for entry in shared.values() if entry.uid])
        if rows := list(memories.values()):
            traces = TextTraces(privacy.collect_texts(self._store, rows))
            self.applied.problems += privacy.erase_memories(self._store, rows, traces)
        with self._database.write_transaction():
            operation_log.delete_operations(self._database, names)
            for entry in shared.values():
                self.applied.erased += entry.status != ERASED
                operation_log.save_shared(self._database, entry._replace(base={}, status=ERASED))

    def _apply_state(self, state: MemoryState, shared: SharedMemory, row: Memory | None) -> None:
        if row is None:
            self._add_memory(state, shared)
        else:
            self._update_memory(state, shared, row)

    def _add_memory(self, state: MemoryState, shared: SharedMemory) -> None:
        """Add the row of a memory that is new here; one that ended before it came is not added."""
        if self._find_ending(state) or not state.visibility:
            return
        try:
            memory = self._foreign.build_memory(state)
        except (HollowayError, ValueError, TypeError) as error:
            self._hold(shared, str(error))
            return
        if self._store.memories.is_rejected(memory.content):
            self._hold(shared, "a person here rejected or erased it")
            return
        self._save_base(state, shared, memory, self._summarize(state))
        author = self._participants.describe_author(state.owner)
        self._store.memories.import_memory(memory, [(memory.updated_at, "created", f"by {author}")])
        self.applied.added += 1
        self.applied.quarantined += memory.state is State.QUARANTINED

    def _hold(self, shared: SharedMemory, reason: str) -> None:
        """Note why the words of somebody else were not taken."""
        base = {**shared.base, "reason": reason}
        operation_log.save_shared(self._database, shared._replace(base=base, status=HELD_BACK))
        self.applied.held += 1

    def _update_memory(self, state: MemoryState, shared: SharedMemory, row: Memory) -> None:
        """Write the fields of which the shared state changed since it was last compared."""
        remote = self._summarize(state)
        before = shared.base.get("remote", {})
        changed_names = {name for name, digest in remote.items() if before.get(name) != digest}
        release = self._release(state, row)
        if not changed_names and not release and shared.status != CONFLICT:
            return
        try:
            fields = release | self._collect_changes(state, shared, replace(row, **release), changed_names)
        except (HollowayError, ValueError, TypeError) as error:
            self._hold(shared, str(error))
            return
        self._save_base(state, shared, replace(row, **fields), remote)
        if fields:
            note = row.content if "content" in fields else ", ".join(sorted(fields))
            self._store.memories.update_memory(row, "accepted" if release else "shared", note, **fields)
            self.applied.changed += 1

    def _release(self, state: MemoryState, row: Memory) -> dict[str, Any]:
        """Return the fields that take a memory out of quarantine because its owner was accepted since."""
        is_held = row.state is State.QUARANTINED and row.review in (None, ReviewReason.IMPORTED)
        if not is_held or row.source is not Source.COLLEAGUE or state.owner not in self._participants.accepted:
            return {}
        doubt = self._foreign.find_doubt(row, state.owner)
        return {"review": doubt} if doubt else {"state": State.UNCONFIRMED, "review": None}

    def _collect_changes(
        self, state: MemoryState, shared: SharedMemory, row: Memory, names: set[str]
    ) -> dict[str, Any]:
        fields = self._collect_words(state, shared, row, names) if names & _WORDS else {}
        if fields.get("review"):
            return fields
        if "relations" in names:
            anchors = tuple(relation for relation in row.relations if relation.type is RelationType.NAMES)
            fields["relations"] = (*anchors, *self._foreign.read_relations(state))
        if "pinned" in names:
            fields["pinned"] = bool(state.values.get("pinned"))
        if "visibility" in names and state.visibility:
            fields["visibility"] = Visibility(state.visibility)
        fields |= self._collect_judgement(state, row)
        if row.source is Source.COLLEAGUE and row.state is State.UNCONFIRMED:
            fields["confidence"] = confidence.weigh_colleagues(len(self._foreign.list_confirming(state)))
        return {name: value for name, value in fields.items() if getattr(row, name) != value}

    def _collect_words(self, state: MemoryState, shared: SharedMemory, row: Memory, names: set[str]) -> dict[str, Any]:
        """Return the changed text and names, or only that a person has to look at them."""
        fields: dict[str, Any] = {}
        version = self._foreign.choose_version(state, shared.base.get("heads", {}).get("content", ()))
        draft = self._foreign.sanitize_version(state, version)
        local = compress_values(self._recorder.describe_memory(row))
        is_recorded = local["content"] == shared.base.get("local", {}).get("content")
        is_mine = self._participants.is_mine(version.replica)
        # In a conflict the summary may be that of another version than the one that stays here.
        stays = state.has_conflict and draft.content == row.content
        if is_recorded and not stays and {"content", "summary", "type"} & names and _text_of(draft) != _text_of(row):
            if not is_mine and self._foreign.find_doubt(draft, version.replica) is ReviewReason.TAINTED:
                return {"review": ReviewReason.TAINTED}
            fields |= {"content": draft.content, "summary": draft.summary, "type": draft.type, "details": draft.details}
            if row.state is State.CONFIRMED and not is_mine:
                fields["state"] = State.UNCONFIRMED
        return fields | {name: getattr(draft, name) for name in names & {"tags", "files", "modules", "scope"}}

    def _collect_judgement(self, state: MemoryState, row: Memory) -> dict[str, Any]:
        """Return the fields that a judgement changes: ended by its owner, restored, or disputed by somebody else."""
        ending = self._find_ending(state)
        if ending and not row.deleted_at and not row.superseded_by:
            at = format_stamp(self._store.clock.now())
            return {"deleted_at": at, "deleted_reason": f"{SHARED_BY}{ending}", "review": None}
        if not ending and row.deleted_reason.startswith(SHARED_BY):
            return {"deleted_at": "", "deleted_reason": ""}
        if (
            row.is_alive
            and row.review is None
            and any(replica != self._participants.own for replica, _ in state.proposals)
        ):
            return {"review": ReviewReason.DISPUTED, "review_after": ""}
        return {}

    def _find_ending(self, state: MemoryState) -> str:
        """Return how a memory ended for everybody or for this person; empty if it goes on."""
        author = self._participants.describe_author(state.owner)
        if state.owner in self._participants.refused:
            return "its author was refused"
        if state.judgement in (REJECTED, FORGOTTEN):
            return f"{state.judgement} by {author}"
        is_withdrawn = state.visibility == Visibility.PERSONAL and not self._participants.is_mine(state.owner)
        return f"withdrawn by {author}" if is_withdrawn else ""

    def _save_base(self, state: MemoryState, shared: SharedMemory, row: Memory, remote: dict[str, str]) -> None:
        """Remember the row and the shared state as they are now."""
        local = compress_values(self._recorder.describe_memory(row))
        heads = {name: list(ids) for name, ids in state.heads.items()}
        if state.has_conflict:
            version = self._foreign.choose_version(state, shared.base.get("heads", {}).get("content", ()))
            heads["content"] = [version.id]
        status = CONFLICT if state.has_conflict else ""
        self.applied.conflicts += state.has_conflict
        confirming = self._foreign.list_confirming(state)
        base = {"local": local, "remote": remote, "heads": heads, CONFIRMED_BY: confirming, COUNTS: state.counts}
        operation_log.save_shared(self._database, SharedMemory(state.memory, row.uid, base, status))
        operation_log.set_sent_uses(self._database, state.memory, row.use_count)

    def _summarize(self, state: MemoryState) -> dict[str, str]:
        """Return a digest of each shared field, by which a change is seen."""
        fields: dict[str, Any] = {
            "content": [[version.id, version.value] for version in state.content],
            "visibility": state.visibility,
            "judgement": [self._find_ending(state), self._foreign.list_confirming(state), state.proposals],
            "counts": state.counts,
            **{name: state.values.get(name) for name in ("summary", "type", "pinned", "scope")},
            **{name: state.items.get(name, ()) for name in ("tags", "files", "modules", "relations")},
        }
        return {name: digest_value(value) for name, value in fields.items()}


def _text_of(memory: Memory | Draft) -> tuple[object, ...]:
    return memory.content, memory.summary, memory.type, memory.details
