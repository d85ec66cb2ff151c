"""Incoming operations: brings the local rows in line with the shared state. Other people's words are never believed.

A shared field is written only if the shared state changed since the two were last compared, so that nothing here is
overwritten that the log does not know yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from holloway.domain import confidence
from holloway.domain.memory import (
    Draft,
    Memory,
    MemoryType,
    Relation,
    RelationType,
    ReviewReason,
    Scope,
    Source,
    State,
    Visibility,
)
from holloway.domain.memory_json import parse_details
from holloway.domain.ports import format_stamp, parse_stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.safety.prompt_injection import find_injection
from holloway.safety.secrets import redact_secrets
from holloway.sharing.merge import ERASE, FORGOTTEN, REJECTED, MemoryState, fold
from holloway.sharing.recorder import Recorder, from_row
from holloway.sharing.shared_fields import (
    RELATION_SEPARATOR,
    SHARED_BY,
    compress_values,
    describe_memory,
    digest_value,
)
from holloway.store import operation_log, privacy
from holloway.store.attribution import CONFIRMED_BY
from holloway.store.memories import UnknownMemory
from holloway.store.operation_log import ACCEPTED, CONFLICT, ERASED, HELD_BACK, OWN, REFUSED, STRANGER, SharedMemory
from holloway.store.text_traces import TextTraces
from holloway.store.write_gate import sanitize_observed_draft

if TYPE_CHECKING:
    from holloway.sharing.operation import Operation
    from holloway.store.operation_log import Replica
    from holloway.store.store import Store

SHARED_ORIGIN = "shared:"
"""Beginning of the origin of a memory that came from another replica; its name follows."""


@dataclass(frozen=True, slots=True)
class Participants:
    """The replicas that count here, and which of them are devices of one person."""

    own: str
    accepted: frozenset[str]
    devices: dict[str, frozenset[str]]
    """For each replica, the replicas that it named as devices of the same person."""

    def is_entitled(self, replica: str, owner: str) -> bool:
        """Return whether a replica acts for the owner of a memory."""
        return replica == owner or replica in self.devices.get(owner, frozenset())

    def is_mine(self, replica: str) -> bool:
        """Return whether a replica is a device of the person here: this one named it."""
        return self.is_entitled(replica, self.own)

    def list_people(self, replicas: Iterable[str]) -> list[str]:
        """Return one replica of each person among these: replicas of which one named the other are one person's."""
        people: list[str] = []
        for replica in sorted({*replicas} & self.accepted):
            if not any(self.is_entitled(replica, other) or self.is_entitled(other, replica) for other in people):
                people.append(replica)
        return people

    def counts(self, operation: Operation) -> bool:
        """Return whether an operation has an effect: a stranger only changes the memories that they own."""
        return operation.replica in self.accepted or operation.replica == operation.owner


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


def load_participants(store: Store) -> Participants:
    """Return the replicas that count in a store."""
    replicas = operation_log.list_replicas(store.database)
    own = next((replica.replica for replica in replicas if replica.standing == OWN), "")
    accepted = frozenset(replica.replica for replica in replicas if replica.standing in (OWN, ACCEPTED))
    records = [f"{replica.replica}/" for replica in replicas]
    rows = operation_log.list_operations(store.database, records)
    operations = [from_row(row) for row in rows]
    states = [fold(record, operations, lambda replica, owner: replica == owner) for record in records]
    devices = {state.memory.rstrip("/"): frozenset(state.items.get("devices", ())) for state in states}
    # Who is accepted vouches for their own other devices.
    vouched = {device for replica in accepted for device in devices.get(replica, ())}
    refused = {replica.replica for replica in replicas if replica.standing == REFUSED}
    return Participants(own, accepted | (vouched - refused), devices)


def accept_replica(store: Store, replica: Replica) -> None:
    """Accept a replica: its words count, and its memories leave quarantine unless they read as instructions."""
    operation_log.save_replica(store.database, replica._replace(standing=ACCEPTED))
    operation_log.follow_counter(store.database, operation_log.find_highest_counter(store.database, replica.replica))
    for memory in list_rows(store, replica):
        if memory.state is State.QUARANTINED and memory.review is ReviewReason.IMPORTED:
            fields = {"state": State.UNCONFIRMED, "review": None}
            store.memories.update_memory(memory, "accepted", replica.author, **fields)


def accept_devices(store: Store) -> list[str]:
    """Accept the unknown replicas that an accepted one named as its devices; return the memories they wrote about."""
    participants = load_participants(store)
    names: list[str] = []
    for replica in operation_log.list_replicas(store.database):
        if replica.standing == STRANGER and replica.replica in participants.accepted:
            accept_replica(store, replica)
            names += operation_log.list_memories_of(store.database, replica.replica)
    return names


def list_rows(store: Store, replica: Replica) -> list[Memory]:
    """Return the living memories that a replica owns."""
    names = operation_log.list_memories_of(store.database, replica.replica)
    ids = [operation_log.find_local_id(store.database, name) for name in names if name.startswith(replica.replica)]
    memories = [store.memories.get_memory(id_) for id_ in ids if id_]
    return [memory for memory in memories if memory.is_alive]


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
        self._name_memory = Recorder(store).name_memory
        self.applied = Applied()

    def apply(self, memories: Iterable[str]) -> Applied:
        """Bring the rows of these shared memories in line with their shared state."""
        names = sorted(memories)
        states = fold_memories(self._store, names, self._participants)
        self._erase([state for state in states if state.erased])
        with self._database.write_transaction():
            for state in states:
                for replica, effect in state.proposals:
                    if effect == ERASE:
                        operation_log.delete_retracted(self._database, state.memory, replica)
                if not state.erased and state.content:
                    self._apply_state(state)
            operation_log.mark_applied(self._database, names)
        return self.applied

    def _erase(self, states: list[MemoryState]) -> None:
        """Erase what its owner erased: row, text index, log, backups."""
        names = [state.memory for state in states]
        if operation_log.has_own_words(self._database, names):
            operation_log.set_rewrite(self._database, is_due=True)
        shared = [entry for name in names if (entry := operation_log.find_shared(self._database, memory=name))]
        rows = [memory for entry in shared if (memory := self._find_row(entry)) is not None]
        if rows:
            traces = TextTraces(privacy.collect_texts(self._store, rows))
            self.applied.problems += privacy.erase_memories(self._store, rows, traces)
        with self._database.write_transaction():
            operation_log.delete_operations(self._database, names)
            for entry in shared:
                self.applied.erased += entry.status != ERASED
                operation_log.save_shared(self._database, entry._replace(base={}, status=ERASED))

    def _apply_state(self, state: MemoryState) -> None:
        shared = operation_log.find_shared(self._database, memory=state.memory)
        row = self._find_row(shared) if shared else None
        if row is None or shared is None:
            self._add_memory(state, shared)
        else:
            self._update_memory(state, shared, row)

    def _find_row(self, shared: SharedMemory) -> Memory | None:
        memory_id = operation_log.find_local_id(self._database, shared.memory)
        try:
            return self._store.memories.get_memory(memory_id) if memory_id else None
        except UnknownMemory:
            return None

    def _add_memory(self, state: MemoryState, shared: SharedMemory | None) -> None:
        """Add the row of a memory that is new here; one that ended before it came is not added."""
        is_visible = bool(state.visibility) and (
            state.visibility != Visibility.PERSONAL or self._participants.is_mine(_owner(state))
        )
        if state.judgement in (REJECTED, FORGOTTEN) or not is_visible:
            return
        try:
            memory = self._build_memory(state)
        except (HollowayError, ValueError, TypeError) as error:
            self._hold(state, shared, str(error))
            return
        if self._store.memories.is_rejected(memory.content):
            self._hold(state, shared, "a person here rejected or erased it")
            return
        # Compared before it is written: the listener hears of the write and must find nothing to record.
        self._save_base(state, memory)
        author = describe_author(self._store, _owner(state))
        self._store.memories.import_memory(memory, [(memory.updated_at, "created", f"by {author}")])
        self.applied.added += 1
        self.applied.quarantined += memory.state is State.QUARANTINED

    def _hold(self, state: MemoryState, shared: SharedMemory | None, reason: str) -> None:
        """Note why the words of somebody else were not taken."""
        shared = shared or SharedMemory(state.memory, "", {})
        base = {**shared.base, "reason": reason}
        operation_log.save_shared(self._database, shared._replace(base=base, status=HELD_BACK))
        self.applied.held += 1

    def _build_memory(self, state: MemoryState) -> Memory:
        """Return the row for a memory of another replica, checked like everything that comes from outside."""
        owner, now = _owner(state), format_stamp(self._store.clock.now())
        version = self._choose_version(state, ())
        draft = self._sanitize(state, version.value)
        is_mine = self._participants.is_mine(owner)
        source = _parse_source(state.values.get("source")) if is_mine else Source.COLLEAGUE
        trust, birth_state = confidence.BIRTH[source]
        doubt = "" if is_mine else find_injection(f"{draft.content}\n{draft.summary}")
        is_unknown = owner not in self._participants.accepted
        review = ReviewReason.TAINTED if doubt else ReviewReason.IMPORTED if is_unknown else None
        uid = _uid(state)
        if self._store.memories.has_uid(uid):
            uid = digest_value(state.memory) * 2
        return Memory(
            id=self._store.memories.make_short_id(uid),
            uid=uid,
            type=draft.type,
            content=draft.content,
            summary=draft.summary,
            details=draft.details,
            state=State.QUARANTINED if review else birth_state,
            confidence=trust if is_mine else confidence.weigh_colleagues(len(self._list_confirming(state))),
            source=source,
            scope=draft.scope,
            visibility=Visibility(state.visibility),
            chosen=True,
            created_at=_parse_time(state.values.get("created_at"), now),
            updated_at=now,
            last_used_at=now,
            files=draft.files,
            modules=draft.modules,
            tags=draft.tags,
            relations=(*draft.relations, *self._read_relations(state)),
            pinned=bool(state.values.get("pinned")),
            half_life_days=confidence.HALF_LIFE_DAYS[draft.type],
            review=review,
            commit=draft.commit,
            origin=f"{SHARED_ORIGIN}{owner}",
            stated_at=_parse_time(state.values.get("stated_at"), ""),
        )

    def _sanitize(self, state: MemoryState, value: Any) -> Draft:
        """Return the text and names of a memory as they may be stored. Raises InvalidInput if they may not."""
        if not isinstance(value, dict) or not isinstance(value.get("text"), str):
            raise InvalidInput("its content is malformed", "It is ignored.")
        if kinds := redact_secrets(value["text"])[1]:
            raise InvalidInput(f"it contains a secret ({', '.join(kinds)})", "It is ignored.")
        memory_type = MemoryType(str(state.values.get("type")))
        details = value.get("details")
        draft = Draft(
            content=value["text"],
            type=memory_type,
            summary=str(state.values.get("summary") or ""),
            details=parse_details(memory_type, details) if isinstance(details, dict) else None,
            files=state.items.get("files", ()),
            modules=state.items.get("modules", ()),
            tags=state.items.get("tags", ()),
            source=Source.COLLEAGUE,
            scope=Scope(str(state.values.get("scope"))),
            commit=str(state.values.get("commit") or ""),
        )
        sanitized = sanitize_observed_draft(draft, str(self._store.project.root))
        if sanitized is None:
            raise InvalidInput("its text, files or tags are beyond the limits", "It is ignored.")
        if sanitized.redacted:
            raise InvalidInput(f"it contains a secret ({', '.join(sanitized.redacted)})", "It is ignored.")
        return sanitized.draft

    def _choose_version(self, state: MemoryState, local_ids: Iterable[str]) -> Any:
        """Return the version of the content to show: that of this replica if it still stands, else the newest."""
        preferred = {*local_ids}
        own = [version for version in state.content if version.id in preferred]
        mine = [version for version in state.content if self._participants.is_mine(version.replica)]
        return (own or mine or list(state.content))[0]

    def _list_confirming(self, state: MemoryState) -> list[str]:
        return self._participants.list_people(state.confirmed_by)

    def _read_relations(self, state: MemoryState) -> tuple[Relation, ...]:
        relations: list[Relation] = []
        for item in state.items.get("relations", ()):
            kind, _, name = item.partition(RELATION_SEPARATOR)
            memory_id = operation_log.find_local_id(self._database, name)
            if memory_id and kind in {*RelationType} - {RelationType.NAMES}:
                relations.append(Relation(RelationType(kind), memory=memory_id, automatic=True))
        return tuple(relations)

    def _update_memory(self, state: MemoryState, shared: SharedMemory, row: Memory) -> None:
        """Write the fields of which the shared state changed since it was last compared."""
        remote = self._summarize(state)
        before = shared.base.get("remote", {})
        changed_names = {name for name, digest in remote.items() if before.get(name) != digest}
        if not changed_names and shared.status != CONFLICT:
            return
        try:
            fields = self._collect_changes(state, shared, row, changed_names)
        except (HollowayError, ValueError, TypeError) as error:
            self._hold(state, shared, str(error))
            return
        self._save_base(state, replace(row, **fields))
        if fields:
            note = row.content if "content" in fields else ", ".join(sorted(fields))
            self._store.memories.update_memory(row, "shared", note, **fields)
            self.applied.changed += 1

    def _collect_changes(
        self, state: MemoryState, shared: SharedMemory, row: Memory, names: set[str]
    ) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        owner = _owner(state)
        version = self._choose_version(state, shared.base.get("heads", {}).get("content", ()))
        draft = self._sanitize(state, version.value)
        local = compress_values(describe_memory(row, self._name_memory))
        is_recorded = local["content"] == shared.base.get("local", {}).get("content")
        is_new_text = is_recorded and bool({"content", "summary", "type"} & names) and _text_of(draft) != _text_of(row)
        if is_new_text:
            if not self._participants.is_mine(version.replica) and find_injection(f"{draft.content}\n{draft.summary}"):
                return {"review": ReviewReason.TAINTED}
            fields |= {"content": draft.content, "summary": draft.summary, "type": draft.type, "details": draft.details}
            if row.state is State.CONFIRMED and not self._participants.is_mine(version.replica):
                fields["state"] = State.UNCONFIRMED
        for name in names & {"tags", "files", "modules"}:
            fields[name] = getattr(draft, name)
        if "relations" in names:
            anchors = tuple(relation for relation in row.relations if relation.type is RelationType.NAMES)
            fields["relations"] = (*anchors, *self._read_relations(state))
        if "pinned" in names:
            fields["pinned"] = bool(state.values.get("pinned"))
        if "scope" in names:
            fields["scope"] = draft.scope
        if "visibility" in names and state.visibility:
            fields["visibility"] = Visibility(state.visibility)
        fields |= self._collect_judgement(state, row, is_mine=self._participants.is_mine(owner))
        if row.source is Source.COLLEAGUE and row.state is State.UNCONFIRMED:
            fields["confidence"] = confidence.weigh_colleagues(len(self._list_confirming(state)))
        return {name: value for name, value in fields.items() if getattr(row, name) != value}

    def _collect_judgement(self, state: MemoryState, row: Memory, *, is_mine: bool) -> dict[str, Any]:
        """Return the fields that a judgement changes: ended by its owner, restored, or disputed by somebody else."""
        is_withdrawn = state.visibility == Visibility.PERSONAL and not is_mine
        ending = state.judgement if state.judgement in (REJECTED, FORGOTTEN) else "withdrawn" if is_withdrawn else ""
        if ending and not row.deleted_at and not row.superseded_by:
            reason = f"{SHARED_BY}{ending} by {describe_author(self._store, _owner(state))}"
            return {"deleted_at": format_stamp(self._store.clock.now()), "deleted_reason": reason, "review": None}
        if not ending and row.deleted_reason.startswith(SHARED_BY):
            return {"deleted_at": "", "deleted_reason": ""}
        if (
            row.is_alive
            and row.review is None
            and any(replica != self._participants.own for replica, _ in state.proposals)
        ):
            return {"review": ReviewReason.DISPUTED, "review_after": ""}
        return {}

    def _save_base(self, state: MemoryState, row: Memory) -> None:
        """Remember the row and the shared state as they are now."""
        local = compress_values(describe_memory(row, self._name_memory))
        version = self._choose_version(state, self._find_heads(state))
        heads = {name: list(ids) for name, ids in state.heads.items()}
        if state.has_conflict:
            heads["content"] = [version.id]
        status = CONFLICT if state.has_conflict else ""
        self.applied.conflicts += state.has_conflict
        confirming = self._list_confirming(state)
        base = {"local": local, "remote": self._summarize(state), "heads": heads, CONFIRMED_BY: confirming}
        operation_log.save_shared(self._database, SharedMemory(state.memory, row.uid, base, status))
        operation_log.set_sent_uses(self._database, state.memory, row.use_count)

    def _summarize(self, state: MemoryState) -> dict[str, Any]:
        """Return a digest of each shared field, by which a change is seen."""
        fields: dict[str, Any] = {
            "content": [[version.id, version.value] for version in state.content],
            "visibility": state.visibility,
            "judgement": [state.judgement, self._list_confirming(state), state.proposals],
            **{name: state.values.get(name) for name in ("summary", "type", "pinned", "scope")},
            **{name: state.items.get(name, ()) for name in ("tags", "files", "modules", "relations")},
        }
        return {name: digest_value(value) for name, value in fields.items()}

    def _find_heads(self, state: MemoryState) -> list[str]:
        shared = operation_log.find_shared(self._database, memory=state.memory)
        return list(shared.base.get("heads", {}).get("content", ())) if shared else []


def describe_author(store: Store, replica: str) -> str:
    """Return the person and device of a replica, as a person reads them."""
    entry = next((other for other in operation_log.list_replicas(store.database) if other.replica == replica), None)
    return f"{entry.author} ({entry.device})" if entry else replica[:12]


def _text_of(memory: Memory | Draft) -> tuple[object, ...]:
    return memory.content, memory.summary, memory.type, memory.details


def _owner(state: MemoryState) -> str:
    return state.memory.partition("/")[0]


def _uid(state: MemoryState) -> str:
    return state.memory.partition("/")[2]


def _parse_source(value: object) -> Source:
    try:
        return Source(str(value))
    except ValueError:
        return Source.COLLEAGUE


def _parse_time(value: object, default: str) -> str:
    try:
        return format_stamp(parse_stamp(str(value))) if value else default
    except (ValueError, OverflowError):
        return default
