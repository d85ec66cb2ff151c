"""The card of one memory: its provenance, uses, confidence and what moves it, relations, versions, and files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from holloway.config import PRUNE_AFTER_HALF_LIVES, UNUSED_HALF_LIVES_MAX
from holloway.domain import confidence
from holloway.domain.codec import encode
from holloway.domain.memory import RelationType, State
from holloway.domain.ports import format_stamp, parse_stamp
from holloway.safety.paths import path_exists
from holloway.safety.repository_text import is_path
from holloway.service.memory_editor import CHANGEABLE
from holloway.service.results import memory_json
from holloway.store import session_ledger

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway
    from holloway.service.memory_editor import Provenance

DIFFED_WORDS_MAX = 2_000
_WORD = re.compile(r"\S+\s*|\s+")
REWRITTEN_FROM = 0.5
"""Share of changed lines from which a file counts as rewritten."""


class DiffKind(StrEnum):
    """The fate of a piece of text between two versions."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class FileState(StrEnum):
    """The state of a file that a memory is about."""

    PRESENT = "present"
    REWRITTEN = "rewritten"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A piece of text that two versions share, or that one of them has."""

    kind: DiffKind
    text: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One entry of a memory's history; an edit of the text has the difference that it made."""

    at: str
    kind: str
    detail: str
    difference: tuple[DiffPart, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file of a memory: whether it still exists, and the share of it that changed since the memory's commit."""

    path: str
    state: FileState
    rewritten_share: float | None = None


@dataclass(frozen=True, slots=True)
class MemoryUses:
    """In how many sessions a memory was shown, and what came of it there."""

    shown: int = 0
    used: int = 0
    cited: int = 0
    acted_on: int = 0
    reported: int = 0
    """The agent said that it helped."""
    dismissed: int = 0
    """Shown, and neither used nor contradicted."""
    contradicted: int = 0
    last_used_session: str = ""


@dataclass(frozen=True, slots=True)
class ConfidenceChange:
    """An event of the history that raised or lowered the confidence."""

    at: str
    kind: str
    effect: str


@dataclass(frozen=True, slots=True)
class ConfidenceAccount:
    """The confidence of a memory, and what moves it."""

    birth: float
    base: float
    """Before decay."""
    today: float
    half_life_days: float | None
    decays: bool
    changes: tuple[ConfidenceChange, ...]
    uses_until_raise: int
    """Further sessions that must use it until it is raised once; 0 if it was."""
    told_until: str
    """Until when agents are shown it unasked if nobody uses it; empty without a limit."""
    set_aside_at: str
    """When it is set aside if nobody uses it; empty if never."""


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """A memory that this one points to, or (`incoming`) that points to this one."""

    kind: RelationType
    memory: Memory
    incoming: bool


@dataclass(frozen=True, slots=True)
class MemoryCard:
    """A memory with everything that a person needs to judge it."""

    memory: Memory
    provenance: Provenance
    uses: MemoryUses
    confidence: ConfidenceAccount
    history: tuple[HistoryEntry, ...]
    relations: tuple[RelatedMemory, ...]
    derived: tuple[Memory, ...]
    """Living memories that were derived from it; they wait for a review once it is called wrong."""
    files: tuple[MemoryFile, ...]

    def to_json(self, now: datetime) -> dict[str, Any]:
        """Return what the card adds to a memory and its provenance, as JSON fields."""
        return {
            "uses": encode(self.uses),
            "confidence": encode(self.confidence),
            "history": [
                {"at": entry.at, "kind": entry.kind, "detail": entry.detail, "difference": encode(entry.difference)}
                for entry in self.history
            ],
            "relations": [
                {"kind": str(related.kind), "memory": related.memory.id, "summary": related.memory.summary}
                | {"incoming": related.incoming, "living": related.memory.is_alive}
                for related in self.relations
            ],
            "derived": [memory_json(derived, now) for derived in self.derived],
            "files": [encode(file) for file in self.files if is_path(file.path)],
        }


_EFFECTS = {
    "confirmed": f"+{confidence.CONFIRMED_BY_PERSON:g}",
    "reinforced": f"+{confidence.AGREED_BY_SESSION:g}",
    "agreed": f"+{confidence.AGREED_BY_SESSION:g}",
    "disputed": f"×{confidence.DISPUTED_FACTOR:g}",
}
"""Kinds of history entries that move the confidence, and by how much at most."""


def build_card(memory: Holloway, reference: str) -> MemoryCard:
    """Return the card of a memory, given by id; raises InvalidInput or UnknownMemory without one."""
    provenance = memory.why(reference)
    card_memory = provenance.memory
    store, _ = memory.opened.find_memory(card_memory.id)
    outgoing = [
        RelatedMemory(relation.type, store.memories.get_memory(relation.memory), incoming=False)
        for relation in card_memory.relations
        if relation.memory and store.memories.has_memory(relation.memory)
    ]
    incoming = [
        RelatedMemory(kind, other, incoming=True) for kind, other in store.memories.list_pointing(card_memory.id)
    ]
    return MemoryCard(
        card_memory,
        provenance,
        count_uses(memory, card_memory),
        account_confidence(card_memory, provenance.history, memory.clock.now()),
        list_versions(card_memory, provenance.history),
        (*outgoing, *incoming),
        list_derived(memory, card_memory.id),
        list_files(memory, card_memory),
    )


def list_derived(memory: Holloway, memory_id: str) -> tuple[Memory, ...]:
    """Return the living memories that were derived from a memory, from all stores."""
    stores = memory.stores()
    return tuple(
        derived for store in stores for derived in store.memories.find_related(RelationType.DERIVED_FROM, memory_id)
    )


def count_uses(memory: Holloway, used_memory: Memory) -> MemoryUses:
    """Count what sessions made of a memory that they were shown, from the records of the latest five hundred."""
    database = memory.store.database
    records = session_ledger.load_records_with_memory(database, used_memory.id)

    def having(field: str) -> list[str]:
        return [session for session, record in records.items() if used_memory.id in (record.get(field) or ())]

    used_sessions, contradicting = having("used"), having("contradicted")
    reported = {
        session
        for session, point, _ in session_ledger.list_memory_injections(database, used_memory.id)
        if point == session_ledger.REPORTED_USEFUL
    }
    learned = [session for session, record in records.items() if record]
    ignoring = [session for session in learned if session not in {*used_sessions, *contradicting, *reported}]
    return MemoryUses(
        shown=len(records),
        used=used_memory.use_count,
        cited=len(having("cited")),
        acted_on=len(having("acted_on")),
        reported=len(reported),
        dismissed=len(ignoring),
        contradicted=len(contradicting),
        last_used_session=next(iter(used_sessions), ""),
    )


def account_confidence(memory: Memory, history: tuple[tuple[str, str, str], ...], now: datetime) -> ConfidenceAccount:
    """Return what a memory's confidence is made of, what moved it, and when it ends."""
    decays = memory.half_life_days is not None and not memory.pinned
    last_used_at, half_life_days = parse_stamp(memory.last_used_at), memory.half_life_days or 0.0

    def after_half_lives(number: float) -> str:
        return format_stamp(last_used_at + timedelta(days=number * half_life_days))

    is_limited = decays and memory.state is not State.CONFIRMED
    return ConfidenceAccount(
        birth=confidence.BIRTH[memory.source][0],
        base=memory.confidence,
        today=round(confidence.current_confidence(memory, now), 4),
        half_life_days=memory.half_life_days,
        decays=decays,
        changes=tuple(ConfidenceChange(at, kind, _EFFECTS[kind]) for at, kind, _ in history if kind in _EFFECTS),
        uses_until_raise=max(0, confidence.USED_OFTEN_AFTER - memory.use_count),
        told_until=after_half_lives(UNUSED_HALF_LIVES_MAX) if is_limited else "",
        set_aside_at=after_half_lives(PRUNE_AFTER_HALF_LIVES) if decays else "",
    )


def list_versions(memory: Memory, history: tuple[tuple[str, str, str], ...]) -> tuple[HistoryEntry, ...]:
    """Return the history, oldest first, with the difference that each edit of the text made."""
    newer_text, entries = memory.content, []
    for at, kind, detail in reversed(history):
        if kind == "edited" and detail and not set(CHANGEABLE).issuperset(detail.split(", ")):
            entries.append(HistoryEntry(at, kind, detail, compare_texts(detail, newer_text)))
            newer_text = detail
        else:
            entries.append(HistoryEntry(at, kind, detail))
    return tuple(reversed(entries))


def compare_texts(old: str, new: str) -> tuple[DiffPart, ...]:
    """Return the difference between two texts in words; long texts differ as a whole."""
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    if len(old_words) + len(new_words) > DIFFED_WORDS_MAX:
        return (DiffPart(DiffKind.REMOVED, old), DiffPart(DiffKind.ADDED, new))
    parts = []
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        removed, added = "".join(old_words[old_start:old_end]), "".join(new_words[new_start:new_end])
        if tag == "equal":
            parts.append(DiffPart(DiffKind.SAME, removed))
            continue
        parts += [DiffPart(DiffKind.REMOVED, removed)] if removed else []
        parts += [DiffPart(DiffKind.ADDED, added)] if added else []
    return tuple(parts)


def list_files(memory: Holloway, owner: Memory) -> tuple[MemoryFile, ...]:
    """Return the files of a memory, each with its state."""
    root, shares = str(memory.project.root), memory.search.rewritten_shares(owner)
    files = []
    for path in owner.files:
        share = shares.get(path)
        if not path_exists(path, root):
            state = FileState.GONE
        elif share is not None and share >= REWRITTEN_FROM:
            state = FileState.REWRITTEN
        else:
            state = FileState.PRESENT
        files.append(MemoryFile(path, state, None if share is None else round(share, 3)))
    return tuple(files)
