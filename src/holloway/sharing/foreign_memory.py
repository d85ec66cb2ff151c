"""Builds the rows of other people's memories, checked like everything that comes from outside."""

from __future__ import annotations

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
from holloway.errors import InvalidInput
from holloway.safety.prompt_injection import find_injection
from holloway.sharing.shared_fields import RELATION_SEPARATOR, digest_value
from holloway.store import operation_log
from holloway.store.filter import SHARED_ORIGIN
from holloway.store.write_gate import sanitize_foreign_draft

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.sharing.merge import MemoryState, Version
    from holloway.sharing.participants import Participants
    from holloway.store.store import Store


class ForeignMemories:
    """Reads the shared state of memories as one store may show them."""

    def __init__(self, store: Store, participants: Participants) -> None:
        self._store = store
        self._participants = participants
        self._root = str(store.project.root)

    def build_memory(self, state: MemoryState) -> Memory:
        """Return a new row for a memory of another replica. Raises InvalidInput or ValueError if it may not be stored.

        It is quarantined if nobody here accepted its owner, or if it reads as an instruction.
        """
        owner, now = state.owner, format_stamp(self._store.clock.now())
        draft = self.sanitize_version(state, self.choose_version(state, ()))
        is_mine = self._participants.is_mine(owner)
        source = _parse_source(state.values.get("source")) if is_mine else Source.COLLEAGUE
        trust, birth_state = confidence.BIRTH[source]
        review = None if is_mine else self.find_doubt(draft, owner)
        uid = state.uid
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
            confidence=trust if is_mine else confidence.weigh_colleagues(len(self.list_confirming(state))),
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
            relations=(*draft.relations, *self.read_relations(state)),
            pinned=bool(state.values.get("pinned")),
            half_life_days=confidence.HALF_LIFE_DAYS[draft.type],
            review=review,
            commit=draft.commit,
            origin=f"{SHARED_ORIGIN}{owner}",
            stated_at=_parse_time(state.values.get("stated_at"), ""),
        )

    def sanitize_version(self, state: MemoryState, version: Version) -> Draft:
        """Return the text and names of a memory as they may be stored. Raises InvalidInput or ValueError otherwise."""
        value: Any = version.value
        if not isinstance(value, dict) or not isinstance(value.get("text"), str):
            raise InvalidInput("its content is malformed", "It is ignored.")
        memory_type = MemoryType(str(state.values.get("type")))
        details = value.get("details")
        draft = Draft(
            content=value["text"],
            type=memory_type,
            summary="" if state.has_conflict else str(state.values.get("summary") or ""),
            details=parse_details(memory_type, details) if isinstance(details, dict) else None,
            files=state.items.get("files", ()),
            modules=state.items.get("modules", ()),
            tags=state.items.get("tags", ()),
            source=Source.COLLEAGUE,
            scope=Scope(str(state.values.get("scope"))),
            commit=str(state.values.get("commit") or ""),
        )
        return sanitize_foreign_draft(draft, self._root)

    def find_doubt(self, text: Draft | Memory, owner: str) -> ReviewReason | None:
        """Return why somebody else's text waits for a person here; None if it does not."""
        if find_injection(f"{text.content}\n{text.summary}"):
            return ReviewReason.TAINTED
        return None if owner in self._participants.accepted else ReviewReason.IMPORTED

    def choose_version(self, state: MemoryState, local_ids: Iterable[str]) -> Version:
        """Return the version of the content to show: that of this replica if it still stands, else the newest."""
        preferred = {*local_ids}
        own = [version for version in state.content if version.id in preferred]
        mine = [version for version in state.content if self._participants.is_mine(version.replica)]
        return (own or mine or list(state.content))[0]

    def list_confirming(self, state: MemoryState) -> list[str]:
        """Return one replica of each person who counts here and confirmed the memory."""
        return self._participants.list_people(state.confirmed_by)

    def read_relations(self, state: MemoryState) -> tuple[Relation, ...]:
        """Return the relations to memories that are here too."""
        relations: list[Relation] = []
        for item in state.items.get("relations", ()):
            kind, _, name = item.partition(RELATION_SEPARATOR)
            memory_id = operation_log.find_local_id(self._store.database, name)
            if memory_id and kind in {*RelationType} - {RelationType.NAMES}:
                relations.append(Relation(RelationType(kind), memory=memory_id, automatic=True))
        return tuple(relations)


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
