"""Import of the notes that hosts keep about a project: each waits for the person's review, none is told before."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from holloway.capture.host_notes import find_note_files, read_notes
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.promotion import taught_memory
from holloway.retrieval.duplicate_detection import Verdict, find_similar_memories
from holloway.safety.prompt_injection import find_injection
from holloway.store.filter import Filter
from holloway.store.lifecycle import GONE
from holloway.store.lookup import NOTE_PREFIX
from holloway.store.write_gate import sanitize_draft
from holloway.text.fingerprint import fingerprint_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holloway.capture.host_notes import HostNote
    from holloway.domain.memory import Memory
    from holloway.store.store import Store
    from holloway.store.write_gate import SanitizedDraft

SEEN = "host_notes_seen"
_TYPES = {
    "user": MemoryType.PREFERENCE,
    "feedback": MemoryType.PREFERENCE,
    "project": MemoryType.DECISION,
    "reference": MemoryType.MODULE_INSIGHT,
}
"""Types by the word that Claude Code gives a note."""


@dataclass(frozen=True, slots=True)
class NotesImported:
    """The new notes by host, and the number of notes of each host that wait for review."""

    added: int = 0
    waiting: dict[str, int] = field(default_factory=dict)


def has_changed_notes(store: Store, home: Path | None = None) -> bool:
    """Return whether a file of notes was added, changed or removed since the last import."""
    return _build_mark(store, home) != (store.get_meta(SEEN) or "[]")


def import_host_notes(store: Store, module_of: Callable[[str], str], home: Path | None = None) -> NotesImported:
    """Import new notes for review; withdraws waiting ones whose host no longer has them."""
    mark = _build_mark(store, home)
    notes = read_notes(find_note_files(store.project.root, home), store.project.root)
    origins = {_build_origin(note) for note in notes}
    added = 0
    with store.database.write_transaction():
        _withdraw_gone(store, origins)
        for note in notes:
            added += _store_note(store, note, module_of)
        store.set_meta(SEEN, mark)
    return NotesImported(added, dict(Counter(memory.agent for memory in list_waiting_notes(store))))


def list_waiting_notes(store: Store) -> list[Memory]:
    """Return the imported notes that wait for a person."""
    waiting = store.memories.find_memories(Filter(sources=(Source.AGENT_NOTE,), to_review=True), -1)
    return [memory for memory in waiting if memory.origin.startswith(NOTE_PREFIX)]


def _build_mark(store: Store, home: Path | None) -> str:
    files = find_note_files(store.project.root, home)
    facts = [f"{file.path} {file.size} {file.modified_at}" for file in files]
    return json.dumps([fingerprint_text("\n".join(facts), "")] if facts else [])


def _build_origin(note: HostNote) -> str:
    """Return the origin that names the host and the file, and identifies the note by its text."""
    return f"{NOTE_PREFIX}{note.file.host}:{note.file.name}#{fingerprint_text(note.text, '')[:16]}"


def _withdraw_gone(store: Store, origins: set[str]) -> None:
    now = format_stamp(store.clock.now())
    for memory in list_waiting_notes(store):
        if memory.origin not in origins:
            store.memories.update_memory(memory, "removed", GONE, deleted_at=now, deleted_reason=GONE, review=None)


def _store_note(store: Store, note: HostNote, module_of: Callable[[str], str]) -> bool:
    """Store a note for review; returns whether it is new."""
    origin = _build_origin(note)
    memories = store.memories
    if find_injection(note.text) or memories.is_rejected(origin) or memories.find_by_origin(origin):
        return False
    admitted = _sanitize_note(store, note, origin, module_of)
    if admitted is None or memories.is_rejected(admitted.draft.content):
        return False
    similar = find_similar_memories(store, admitted.draft.content)
    if any(match.verdict is Verdict.SAME for match in similar):
        return False
    draft = taught_memory.add_conflicts(admitted.draft, similar)
    return memories.add_memory(replace(admitted, draft=draft)).outcome == "added"


def _sanitize_note(store: Store, note: HostNote, origin: str, module_of: Callable[[str], str]) -> SanitizedDraft | None:
    """Return the draft of a note with its secrets redacted; None if nothing may be stored."""
    root = store.project.root
    files = taught_memory.named_files(note.text, root)
    module = module_of(files[0]) if files else ""
    draft = Draft(
        content=note.text,
        type=_TYPES.get(note.kind) or taught_memory.infer_type(note.text),
        files=files,
        modules=(module,) if module else (),
        source=Source.AGENT_NOTE,
        state=State.QUARANTINED,
        review=ReviewReason.IMPORTED,
        agent=note.file.host,
        stated_at=format_stamp(datetime.fromtimestamp(max(0.0, min(note.file.modified_at, 4e9)), UTC)),
        origin=origin,
    )
    try:
        return sanitize_draft(draft, str(root))
    except HollowayError:  # for example a path that looks like a secret
        return None
