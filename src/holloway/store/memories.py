"""Memories in the store: add, deduplicate, find, update, supersede and reject them; their history stays readable."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from holloway.config import ID_CHARS_MIN, REASON_CHARS_MAX, SEARCH_RESULTS_MAX
from holloway.domain import confidence
from holloway.domain.memory import Draft, Memory, Relation, RelationType, Source, State
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.store.database import build_damage_error
from holloway.store.lookup import OBSERVED_PREFIX
from holloway.store.memory_rows import SELECT, SELECT_SKETCH, to_columns, to_memory, to_sketch
from holloway.text.fingerprint import fingerprint_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holloway.domain.memory import Sketch
    from holloway.domain.ports import Clock, Ids
    from holloway.store.database import Database, Row
    from holloway.store.filter import Filter
    from holloway.store.write_gate import SanitizedDraft

Found = TypeVar("Found")

ORDERS = {
    "newest": "m.created_at DESC, m.seq DESC",
    "telling": "m.pinned DESC, m.use_count DESC, m.created_at, m.seq",
    "waiting": "coalesce(m.review, '') <> 'stated', m.state <> 'quarantined', m.created_at, m.seq",
}

APPROVED_KINDS = ("confirmed", "edited", "pinned")
REJECTED_KINDS = ("wrong", "forgotten")
CORRECTED_KINDS = (*REJECTED_KINDS, "edited")

HUMAN_SOURCES = frozenset({Source.USER_TAUGHT, Source.USER_CORRECTION})
"""Sources that override an earlier rejection."""


@dataclass(frozen=True, slots=True)
class AddResult:
    """The outcome of adding a draft.

    `added`; `reinforced`: a duplicate exists and gained confidence; `known`: a duplicate exists, and the untrusted
    draft changes nothing; `refused`: a person rejected it before.
    """

    outcome: str
    memory: Memory | None
    redacted: tuple[str, ...] = ()


class UnknownMemory(InvalidInput):
    """No memory has that id."""


class Memories:
    """The memories of one store."""

    def __init__(self, database: Database, clock: Clock, ids: Ids) -> None:
        self._db = database
        self._clock = clock
        self._ids = ids
        self.listener: Callable[[Memory], object] | None = None
        """Hears of every memory that is written, inside of the transaction that writes it."""

    @contextmanager
    def pause_listener(self) -> Iterator[None]:
        """Let nobody hear of the memories that the block writes."""
        listener, self.listener = self.listener, None
        try:
            yield
        finally:
            self.listener = listener

    def add_memory(self, sanitized: SanitizedDraft) -> AddResult:
        """Store a draft, unless a duplicate exists (which is reinforced) or it was rejected before."""
        draft = sanitized.draft
        with self._db.write_transaction():
            print_ = self.compute_fingerprint(draft.content)
            if draft.source in HUMAN_SOURCES and draft.state is not State.QUARANTINED:
                self._delete_tombstones(draft.content)
            if duplicate := self._find_duplicate(print_, draft):
                return self._handle_duplicate(duplicate, sanitized)
            if self.is_rejected(draft.content):
                return AddResult("refused", None, sanitized.redacted)
            return AddResult("added", self._insert_memory(draft, print_), sanitized.redacted)

    def _handle_duplicate(self, duplicate: Memory, sanitized: SanitizedDraft) -> AddResult:
        """Decide how a draft with the same text affects the stored duplicate."""
        draft = sanitized.draft
        if draft.source is Source.FOREIGN_FILE or draft.state is State.QUARANTINED:
            return AddResult("known", duplicate, sanitized.redacted)
        if duplicate.state is State.QUARANTINED and draft.source in HUMAN_SOURCES:
            # The person vouches for their own text, not for the other fields of the untrusted memory.
            new = self.supersede_memory(duplicate, sanitized, "replaced", "taught by a person")
            return AddResult("added", new, sanitized.redacted)
        return AddResult("reinforced", self._reinforce_memory(duplicate, draft), sanitized.redacted)

    def reinforce_similar(self, memory: Memory, sanitized: SanitizedDraft) -> AddResult:
        """Reinforce a memory with a draft that says almost the same; the draft's wording goes into the history.

        A quarantined draft changes nothing.
        """
        if sanitized.draft.state is State.QUARANTINED:
            return AddResult("known", memory, sanitized.redacted)
        with self._db.write_transaction():
            reinforced = self._reinforce_memory(self.get_memory(memory.id), sanitized.draft)
            self.add_history(memory.id, "agreed", f"said as: {sanitized.draft.content[:REASON_CHARS_MAX]}")
        return AddResult("reinforced", reinforced, sanitized.redacted)

    def import_memory(self, memory: Memory, history: Iterable[tuple[str, str, str]] = ()) -> None:
        """Store a memory exactly as it is, from one of holloway's own archives."""
        with self._db.write_transaction():
            self._write_row(memory, self.compute_fingerprint(memory.content))
            sql = "INSERT INTO memory_history(seq, at, kind, detail) VALUES (?, ?, ?, ?)"
            for at, kind, detail in history:
                self._db.execute(sql, (self._get_seq(memory.id), at, kind, detail))

    def get_memory(self, reference: str) -> Memory:
        """Return the memory with that id or unique prefix of an id; a leading `hw:` is allowed.

        Raises InvalidInput if the reference is not an id or ambiguous, and UnknownMemory if no memory has it.
        """
        id_prefix = reference.strip().strip("[]").removeprefix("hw:").lower()
        if not id_prefix or len(id_prefix) > 32 or not id_prefix.isalnum():
            raise InvalidInput(
                f"{reference[:60]!r} is not an id.", "An id looks like 7f3a2c; `holloway list` shows them."
            )
        rows = self._db.fetch_rows(SELECT + " WHERE m.id = ?", (id_prefix,))
        rows = rows or self._db.fetch_rows(
            SELECT + " WHERE m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 6", (id_prefix, id_prefix + "g")
        )
        if not rows:
            raise UnknownMemory(f"There is no memory {id_prefix}.", "`holloway list` shows the ids of this project.")
        if len(rows) > 1:
            matching_ids = ", ".join(row["id"] for row in rows[:5]) + (" and more" if len(rows) > 5 else "")
            raise InvalidInput(f"{id_prefix} could be {matching_ids}.", "Give more characters of the id.")
        return self._parse_memory(rows[0])

    def find_by_origin(self, origin: str) -> Memory | None:
        """Return the living memory with that origin, the latest of several, or None."""
        sql = SELECT + " WHERE m.origin = ? AND m.deleted_at = '' AND m.superseded_by = '' ORDER BY m.seq DESC LIMIT 1"
        rows = self._db.fetch_rows(sql, (origin,))
        return self._parse_memory(rows[0]) if rows else None

    def find_related(self, kind: RelationType, memory_id: str) -> list[Memory]:
        """Return the living memories that have a relation of this kind to a memory."""
        sql = SELECT + (
            " WHERE m.deleted_at = '' AND m.superseded_by = ''"
            " AND m.seq IN (SELECT r.seq FROM memory_relations r WHERE r.type = ? AND r.memory = ?) ORDER BY m.seq"
        )
        return [self._parse_memory(row) for row in self._db.fetch_rows(sql, (kind, memory_id))]

    def list_pointing(self, memory_id: str) -> list[tuple[RelationType, Memory]]:
        """Return the memories, living or not, that have a relation to a memory, each with its kind."""
        sql = "SELECT r.type, r.seq FROM memory_relations r WHERE r.memory = ? ORDER BY r.seq, r.type"
        rows = self._db.fetch_rows(sql, (memory_id,))
        memories = self.get_by_seqs([row["seq"] for row in rows])
        return [(RelationType(row["type"]), memories[row["seq"]]) for row in rows if row["seq"] in memories]

    def count_with_origin(self, prefix: str) -> int:
        """Count the memories, living or not, whose origin begins with a prefix."""
        sql = "SELECT count(*) FROM memories WHERE substr(origin, 1, length(?)) = ?"
        return int(self._db.fetch_value(sql, (prefix, prefix)))

    def list_observed(self) -> list[Memory]:
        """Return living observed memories that are tied to a commit and that no person has confirmed."""
        sql = SELECT + (
            f" WHERE m.origin LIKE '{OBSERVED_PREFIX}%' AND m.commit_sha <> ''"
            " AND m.deleted_at = '' AND m.superseded_by = ''"
            " AND NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.seq = m.seq AND h.kind = 'confirmed')"
            " ORDER BY m.seq"
        )
        return [self._parse_memory(row) for row in self._db.fetch_rows(sql)]

    def find_memories(
        self, memory_filter: Filter, limit: int = SEARCH_RESULTS_MAX, order: str = "newest"
    ) -> list[Memory]:
        """Return the memories that a filter selects: `newest` first, `telling` (pinned, then most used), `waiting`."""
        condition, values = memory_filter.build_condition()
        sql = SELECT + f" WHERE {condition} ORDER BY {ORDERS[order]} LIMIT :limit"
        return [self._parse_memory(row) for row in self._db.fetch_rows(sql, {**values, "limit": limit})]

    def count_memories(self, memory_filter: Filter) -> int:
        """Count the memories that a filter selects."""
        condition, values = memory_filter.build_condition()
        return int(self._db.fetch_value(f"SELECT count(*) FROM memories m WHERE {condition}", values))

    def mean_confidence(self) -> float | None:
        """Return the mean confidence of the living memories, before decay; None if there are no memories."""
        sql = "SELECT avg(confidence) FROM memories WHERE deleted_at = '' AND superseded_by = ''"
        mean = self._db.fetch_value(sql)
        return None if mean is None else float(mean)

    def mean_current_confidence(self, now: str) -> float | None:
        """Return the mean confidence of the living memories today, after decay; None if there are no memories."""
        sql = (
            "SELECT confidence, CASE WHEN pinned = 1 OR half_life_days IS NULL THEN 0 "
            "ELSE max(0, julianday(?) - julianday(last_used_at)) / half_life_days END AS half_lives "
            "FROM memories INDEXED BY memories_listed WHERE deleted_at = '' AND superseded_by = ''"
        )
        values = [row["confidence"] * 0.5 ** row["half_lives"] for row in self._db.fetch_rows(sql, (now,))]
        return sum(values) / len(values) if values else None

    def count_reviewed_since(self, since: str) -> tuple[int, int]:
        """Count the memories that waited for a person since a time, as (reviewed, still waiting).

        A memory was reviewed if a person confirmed, edited or removed it; what the person taught waits for nobody.
        """
        reviewed = (
            "SELECT count(DISTINCT h.seq) FROM memory_history h JOIN memories m ON m.seq = h.seq WHERE h.at >= ? "
            "AND h.kind IN (SELECT value FROM json_each(?)) AND m.source <> 'user_taught' AND m.review IS NULL"
        )
        waiting = "SELECT count(*) FROM memories WHERE review IS NOT NULL AND deleted_at = '' AND superseded_by = ''"
        kinds = json.dumps(("confirmed", *CORRECTED_KINDS))
        return int(self._db.fetch_value(reviewed, (since, kinds))), int(self._db.fetch_value(waiting))

    def list_modules(self) -> set[str]:
        """Return the modules that at least one living memory is about."""
        sql = (
            "SELECT DISTINCT p.module FROM memory_modules p JOIN memories m ON m.seq = p.seq "
            "WHERE m.deleted_at = '' AND m.superseded_by = ''"
        )
        return {row["module"] for row in self._db.fetch_rows(sql)}

    def count_by_module(self) -> dict[str, int]:
        """Count the living memories about each module."""
        sql = (
            "SELECT p.module, count(*) AS number FROM memory_modules p "
            "JOIN memories m INDEXED BY memories_meant ON m.seq = p.seq "
            "WHERE m.deleted_at = '' AND m.superseded_by = '' GROUP BY p.module"
        )
        return {row["module"]: row["number"] for row in self._db.fetch_rows(sql)}

    def has_memory(self, memory_id: str) -> bool:
        """Return whether a memory with exactly this id exists."""
        return bool(self._db.fetch_value("SELECT 1 FROM memories WHERE id = ?", (memory_id,)))

    def has_uid(self, uid: str) -> bool:
        """Return whether a memory with this uid exists."""
        return bool(self._db.fetch_value("SELECT 1 FROM memories WHERE uid = ?", (uid,)))

    def get_by_seqs(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """Return memories by row number; missing ones are left out."""
        sql = SELECT + " WHERE m.seq IN (SELECT value FROM json_each(?))"
        return {row["seq"]: self._parse_memory(row) for row in self._db.fetch_rows(sql, (json.dumps(list(seqs)),))}

    def get_by_uids(self, uids: Sequence[str]) -> dict[str, Memory]:
        """Return memories by their uid; missing ones are left out."""
        sql = SELECT + " WHERE m.uid IN (SELECT value FROM json_each(?))"
        return {row["uid"]: self._parse_memory(row) for row in self._db.fetch_rows(sql, (json.dumps(list(uids)),))}

    def get_contents(self, seqs: Sequence[int]) -> dict[int, str]:
        """Return the contents of memories by row number."""
        sql = "SELECT seq, content FROM memories WHERE seq IN (SELECT value FROM json_each(?))"
        return {row[0]: row[1] for row in self._db.fetch_rows(sql, (json.dumps(list(seqs)),))}

    def get_sketches(self, seqs: Sequence[int]) -> dict[int, Sketch]:
        """Return the fields that ranking needs, by row number."""
        rows = self._db.fetch_rows(SELECT_SKETCH, (json.dumps(list(seqs)),))
        return {row[0]: self._parse_row(row, to_sketch) for row in rows}

    def list_unreadable(self) -> list[str]:
        """List the rows whose values cannot be parsed; SQLite does not check values."""
        problems = []
        for row in self._db.fetch_rows(SELECT):
            try:
                self._parse_memory(row)
            except HollowayError as error:
                problems.append(error.message)
        return problems

    def update_memory(self, memory: Memory, kind: str, detail: str = "", **fields: Any) -> Memory:
        """Change some fields of a memory's current state and add an entry to its history; return the changed memory."""
        with self._db.write_transaction():
            stored = self.get_memory(memory.id)
            changed = replace(stored, updated_at=self._current_timestamp(), **fields)
            self._write_row(changed, self.compute_fingerprint(changed.content), self._get_seq(memory.id))
            self.add_history(memory.id, kind, detail)
            return changed

    def supersede_memory(self, old: Memory, sanitized: SanitizedDraft, kind: str, detail: str = "") -> Memory:
        """Insert a memory that replaces an old one; the old one stays readable and points to it."""
        with self._db.write_transaction():
            relation = Relation(RelationType.SUPERSEDES, memory=old.id, automatic=True)
            draft = replace(sanitized.draft, relations=(*sanitized.draft.relations, relation))
            if draft.source in HUMAN_SOURCES:
                self._delete_tombstones(draft.content)
            new = self._insert_memory(draft, self.compute_fingerprint(draft.content))
            self.update_memory(old, kind, detail or f"replaced by {new.id}", superseded_by=new.id, review=None)
            return new

    def add_history(self, memory_id: str, kind: str, detail: str = "") -> None:
        """Add an entry to a memory's history."""
        with self._db.write_transaction():
            self._db.execute(
                "INSERT INTO memory_history(seq, at, kind, detail) VALUES (?, ?, ?, ?)",
                (self._get_seq(memory_id), self._current_timestamp(), kind, detail),
            )

    def count_reviewed(self) -> tuple[int, int]:
        """Count the observed memories that a person confirmed, and those that a person rejected."""
        sql = (
            "SELECT count(DISTINCT m.seq) FROM memories m JOIN memory_history h ON h.seq = m.seq "
            f"WHERE m.origin LIKE '{OBSERVED_PREFIX}%' AND h.kind IN (SELECT value FROM json_each(?))"
        )
        approved, rejected = (
            self._db.fetch_value(sql, (json.dumps(kinds),)) for kinds in (APPROVED_KINDS, REJECTED_KINDS)
        )
        return int(approved), int(rejected)

    def get_history(self, memory_id: str) -> list[tuple[str, str, str]]:
        """Return the history of a memory as (time, kind, detail), oldest first."""
        sql = "SELECT at, kind, detail FROM memory_history WHERE seq = ? ORDER BY entry"
        return [
            (row["at"], row["kind"], row["detail"]) for row in self._db.fetch_rows(sql, (self._get_seq(memory_id),))
        ]

    def reject_memory(self, memory: Memory, reason: str) -> None:
        """Store a tombstone, which holds no text, so that this memory is not learned again."""
        with self._db.write_transaction():
            for text in _list_rejection_texts(memory):
                self._db.execute(
                    "INSERT OR REPLACE INTO tombstones(fingerprint, reason, at) VALUES (?, ?, ?)",
                    (self.compute_fingerprint(text), reason, self._current_timestamp()),
                )

    def unreject_memory(self, memory: Memory) -> None:
        """Delete the tombstones of a memory."""
        with self._db.write_transaction():
            for text in _list_rejection_texts(memory):
                self._delete_tombstones(text)

    def is_rejected(self, content: str) -> bool:
        """Return whether a person marked this content wrong, dropped it or forgot it."""
        prints = [fingerprint_text(content, salt) for salt in self.load_salts()]
        sql = "SELECT 1 FROM tombstones WHERE fingerprint IN (SELECT value FROM json_each(?))"
        return bool(self._db.fetch_value(sql, (json.dumps(prints),)))

    def compute_fingerprint(self, content: str) -> str:
        """Return the salted fingerprint by which this store recognises a text."""
        return fingerprint_text(content, self.load_salts()[0])

    def load_salts(self) -> list[str]:
        """Return the salts of fingerprints: this store's first, then those of archives that were loaded into it."""
        salts: list[str] = json.loads(self._db.fetch_value("SELECT value FROM meta WHERE key = 'salts'"))
        return salts

    def adopt_salts(self, salts: list[str]) -> None:
        """Add the salts of another store, to recognise what it rejected; an unused store takes them over."""
        fresh = not self._db.fetch_value("SELECT 1 FROM memories") and not self._db.fetch_value(
            "SELECT 1 FROM tombstones"
        )
        merged = salts if fresh else list(dict.fromkeys([*self.load_salts(), *salts]))
        self._db.execute("UPDATE meta SET value = ? WHERE key = 'salts'", (json.dumps(merged),))

    def _delete_tombstones(self, content: str) -> None:
        prints = [fingerprint_text(content, salt) for salt in self.load_salts()]
        sql = "DELETE FROM tombstones WHERE fingerprint IN (SELECT value FROM json_each(?))"
        self._db.execute(sql, (json.dumps(prints),))

    def _find_duplicate(self, text_fingerprint: str, draft: Draft) -> Memory | None:
        """Return a living memory with the same text that is visible on the draft's branch, or may be merged with it."""
        sql = SELECT + " WHERE m.fingerprint = ? AND m.deleted_at = '' AND m.superseded_by = '' ORDER BY m.seq"
        duplicates = [self._parse_memory(row) for row in self._db.fetch_rows(sql, (text_fingerprint,))]
        draft_branch = draft.branch_only
        return next(
            (duplicate for duplicate in duplicates if not draft_branch or duplicate.branch_only in ("", draft_branch)),
            None,
        )

    def _reinforce_memory(self, memory: Memory, draft: Draft) -> Memory:
        """Merge a duplicate draft into a memory: a person confirms it, another session agrees with it."""
        fields: dict[str, Any] = {
            "files": tuple(dict.fromkeys([*memory.files, *draft.files])),
            "modules": tuple(dict.fromkeys([*memory.modules, *draft.modules])),
            "tags": tuple(dict.fromkeys([*memory.tags, *draft.tags])),
            "branch_only": draft.branch_only and memory.branch_only,
            "pinned": memory.pinned or draft.pinned,
            "stated_at": max(memory.stated_at, draft.stated_at),
        }
        if draft.session:
            fields["sessions"] = tuple(dict.fromkeys([*memory.sessions, draft.session]))
        confirmed_fields = {"state": State.CONFIRMED, "stale_at": ""}
        if memory.state is State.QUARANTINED:
            pass
        elif draft.source in HUMAN_SOURCES:
            fields |= {
                **confirmed_fields,
                "confidence": confidence.confirm_confidence(memory.confidence),
                "review": None,
            }
        elif draft.session and draft.session not in memory.sessions:
            fields |= {**confirmed_fields, "confidence": confidence.raise_confidence(memory.confidence)}
        return self.update_memory(
            memory, "reinforced", f"by {draft.source}", last_used_at=self._current_timestamp(), **fields
        )

    def _insert_memory(self, draft: Draft, text_fingerprint: str) -> Memory:
        now, uid = self._current_timestamp(), self._ids.new()
        initial_confidence, initial_state = confidence.BIRTH[draft.source]
        memory = Memory(
            id=self.make_short_id(uid),
            uid=uid,
            type=draft.type,
            content=draft.content,
            summary=draft.summary,
            details=draft.details,
            state=draft.state or initial_state,
            confidence=initial_confidence if draft.confidence is None else draft.confidence,
            source=draft.source,
            scope=draft.scope,
            visibility=draft.visibility,
            chosen=draft.chosen,
            created_at=now,
            updated_at=now,
            last_used_at=now,
            files=draft.files,
            modules=draft.modules,
            tags=draft.tags,
            relations=draft.relations,
            pinned=draft.pinned,
            half_life_days=confidence.HALF_LIFE_DAYS[draft.type],
            review=draft.review,
            session=draft.session,
            sessions=(draft.session,) if draft.session else (),
            agent=draft.agent,
            branch=draft.branch,
            branch_only=draft.branch_only,
            commit=draft.commit,
            work_unit=draft.work_unit,
            methodology=draft.methodology,
            origin=draft.origin,
            stated_at=draft.stated_at,
        )
        self._write_row(memory, text_fingerprint)
        self.add_history(memory.id, "created", f"by {draft.source}" + (f", {draft.agent}" if draft.agent else ""))
        return memory

    def make_short_id(self, uid: str) -> str:
        """Return the shortest prefix of a uid, six characters or more, that is free in this project."""
        sizes = range(ID_CHARS_MIN, len(uid) + 1)
        return next(
            uid[:size]
            for size in sizes
            if not self._db.fetch_value("SELECT 1 FROM memories WHERE id = ?", (uid[:size],))
        )

    def _write_row(self, memory: Memory, text_fingerprint: str, seq: int | None = None) -> None:
        values = {**to_columns(memory), "fingerprint": text_fingerprint}
        if seq is None:
            names = ", ".join(values)
            marks = ", ".join(f":{name}" for name in values)
            seq = self._db.execute(f"INSERT INTO memories({names}) VALUES ({marks})", values).lastrowid
        else:
            pairs = ", ".join(f"{name} = :{name}" for name in values)
            self._db.execute(f"UPDATE memories SET {pairs} WHERE seq = :seq", {**values, "seq": seq})
            for table in ("memory_files", "memory_modules", "memory_relations"):
                self._db.execute(f"DELETE FROM {table} WHERE seq = ?", (seq,))
        self._insert_names("INSERT INTO memory_files(path, seq, place) VALUES (?, ?, ?)", seq, memory.files)
        self._insert_names("INSERT INTO memory_modules(module, seq, place) VALUES (?, ?, ?)", seq, memory.modules)
        for relation in memory.relations:
            self._db.execute(
                "INSERT OR IGNORE INTO memory_relations VALUES (?, ?, ?, ?, ?, ?)",
                (seq, relation.type, relation.memory, relation.path, relation.confidence, relation.automatic),
            )
        if self.listener is not None:
            self.listener(memory)

    def _insert_names(self, sql: str, seq: int | None, names: Iterable[str]) -> None:
        for position, name in enumerate(names):
            self._db.execute(sql, (name, seq, position))

    def _parse_memory(self, row: Row) -> Memory:
        return self._parse_row(row, to_memory)

    def _parse_row(self, row: Row, read: Callable[[Row], Found]) -> Found:
        try:
            return read(row)
        except (ValueError, TypeError, InvalidInput) as error:
            # SQLite checks the file's structure, not its values: a flipped bit in a text only shows here.
            raise build_damage_error(self._db.path, f"the memory {row['id']} cannot be read ({error})") from error

    def _get_seq(self, memory_id: str) -> int:
        seq = self._db.fetch_value("SELECT seq FROM memories WHERE id = ?", (memory_id,))
        if seq is None:
            raise UnknownMemory(f"There is no memory {memory_id} any more.", "`holloway list` shows the existing ones.")
        return int(seq)

    def _current_timestamp(self) -> str:
        return format_stamp(self._clock.now())


def _list_rejection_texts(memory: Memory) -> list[str]:
    """List the texts by which a rejected memory is recognised: its content, and the observation it came from."""
    return [memory.content, memory.origin] if memory.origin.startswith(OBSERVED_PREFIX) else [memory.content]
