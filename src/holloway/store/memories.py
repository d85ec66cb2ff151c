"""Memories in the store: add, deduplicate, find, update, supersede and reject them; their history stays readable."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from holloway.config import ID_CHARS_MIN, REASON_CHARS_MAX, RESULTS_MAX
from holloway.domain import confidence
from holloway.domain.memory import Draft, Memory, Relation, RelationType, Source, State
from holloway.domain.ports import stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.store.database import damage
from holloway.store.lookup import OBSERVED
from holloway.store.memory_rows import SELECT, SELECT_SKETCH, columns, to_memory, to_sketch
from holloway.text.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holloway.domain.ports import Clock, Ids
    from holloway.domain.ranking_fields import Sketch
    from holloway.store.database import Database, Row
    from holloway.store.filter import Filter
    from holloway.store.write_gate import Admitted

Found = TypeVar("Found")

ORDERS = {
    "newest": "m.created_at DESC, m.seq DESC",
    "telling": "m.pinned DESC, m.use_count DESC, m.created_at, m.seq",
    "waiting": "m.state <> 'quarantined', m.created_at, m.seq",
}

KEPT_KINDS = ("confirmed", "edited", "pinned")
REJECTED_KINDS = ("wrong", "forgotten")
CORRECTED_KINDS = (*REJECTED_KINDS, "edited")

HUMAN = frozenset({Source.USER_TAUGHT, Source.USER_CORRECTION})
"""Sources that override an earlier rejection."""


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of adding a draft.

    `added`; `reinforced`: a duplicate exists and gained confidence; `known`: a duplicate exists, and the untrusted
    draft changes nothing; `refused`: a person rejected it before.
    """

    outcome: str
    memory: Memory | None
    redacted: tuple[str, ...] = ()


class Unknown(InvalidInput):
    """No memory has that id."""


class Memories:
    """The memories of one store."""

    def __init__(self, database: Database, clock: Clock, ids: Ids) -> None:
        self._db = database
        self._clock = clock
        self._ids = ids

    def add(self, admitted: Admitted) -> Added:
        """Store a draft, unless a duplicate exists (which is reinforced) or it was rejected before."""
        draft = admitted.draft
        with self._db.write():
            print_ = self.fingerprint(draft.content)
            if draft.source in HUMAN and draft.state is not State.QUARANTINED:
                self._lift(draft.content)
            if duplicate := self._twin(print_, draft):
                return self._again(duplicate, admitted)
            if self.is_rejected(draft.content):
                return Added("refused", None, admitted.redacted)
            return Added("added", self._insert(draft, print_), admitted.redacted)

    def _again(self, known: Memory, admitted: Admitted) -> Added:
        """Decide how a draft with the same text affects the stored duplicate."""
        draft = admitted.draft
        if draft.source is Source.FOREIGN_FILE or draft.state is State.QUARANTINED:
            return Added("known", known, admitted.redacted)
        if known.state is State.QUARANTINED and draft.source in HUMAN:
            # The person vouches for their own text, not for the other fields of the untrusted memory.
            new = self.supersede(known, admitted, "replaced", "taught by a person")
            return Added("added", new, admitted.redacted)
        return Added("reinforced", self._reinforce(known, draft), admitted.redacted)

    def agree(self, known: Memory, admitted: Admitted) -> Added:
        """Reinforce a memory with a draft that says almost the same; the draft's wording goes into the history.

        A quarantined draft changes nothing.
        """
        if admitted.draft.state is State.QUARANTINED:
            return Added("known", known, admitted.redacted)
        with self._db.write():
            reinforced = self._reinforce(self.get(known.id), admitted.draft)
            self.note(known.id, "agreed", f"said as: {admitted.draft.content[:REASON_CHARS_MAX]}")
        return Added("reinforced", reinforced, admitted.redacted)

    def put(self, memory: Memory, history: Iterable[tuple[str, str, str]] = ()) -> None:
        """Store a memory exactly as it is, from one of holloway's own archives."""
        with self._db.write():
            self._write_row(memory, self.fingerprint(memory.content))
            sql = "INSERT INTO memory_history(seq, at, kind, detail) VALUES (?, ?, ?, ?)"
            for at, kind, detail in history:
                self._db.run(sql, (self._seq(memory.id), at, kind, detail))

    def get(self, reference: str) -> Memory:
        """Return the memory with that id or unique prefix of an id; a leading `hw:` is allowed.

        Raises InvalidInput if the reference is not an id or ambiguous, and UnknownMemory if no memory has it.
        """
        id_prefix = reference.strip().strip("[]").removeprefix("hw:").lower()
        if not id_prefix or len(id_prefix) > 32 or not id_prefix.isalnum():
            raise InvalidInput(
                f"{reference[:60]!r} is not an id.", "An id looks like 7f3a2c; `holloway list` shows them."
            )
        rows = self._db.rows(SELECT + " WHERE m.id = ?", (id_prefix,))
        rows = rows or self._db.rows(
            SELECT + " WHERE m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 6", (id_prefix, id_prefix + "g")
        )
        if not rows:
            raise Unknown(f"There is no memory {id_prefix}.", "`holloway list` shows the ids of this project.")
        if len(rows) > 1:
            matching_ids = ", ".join(row["id"] for row in rows[:5]) + (" and more" if len(rows) > 5 else "")
            raise InvalidInput(f"{id_prefix} could be {matching_ids}.", "Give more characters of the id.")
        return self._memory(rows[0])

    def by_origin(self, origin: str) -> Memory | None:
        """Return the living memory with that origin, the latest of several, or None."""
        sql = SELECT + " WHERE m.origin = ? AND m.deleted_at = '' AND m.superseded_by = '' ORDER BY m.seq DESC LIMIT 1"
        rows = self._db.rows(sql, (origin,))
        return self._memory(rows[0]) if rows else None

    def observed(self) -> list[Memory]:
        """Return living observed memories that are tied to a commit and that no person has confirmed."""
        sql = SELECT + (
            f" WHERE m.origin LIKE '{OBSERVED}%' AND m.commit_sha <> ''"
            " AND m.deleted_at = '' AND m.superseded_by = ''"
            " AND NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.seq = m.seq AND h.kind = 'confirmed')"
            " ORDER BY m.seq"
        )
        return [self._memory(row) for row in self._db.rows(sql)]

    def find(self, chosen: Filter, limit: int = RESULTS_MAX, order: str = "newest") -> list[Memory]:
        """Return the memories that a filter selects: `newest` first, `telling` (pinned, then most used), `waiting`."""
        condition, values = chosen.where()
        sql = SELECT + f" WHERE {condition} ORDER BY {ORDERS[order]} LIMIT :limit"
        return [self._memory(row) for row in self._db.rows(sql, {**values, "limit": limit})]

    def count(self, chosen: Filter) -> int:
        """Count the memories that a filter selects."""
        condition, values = chosen.where()
        return int(self._db.value(f"SELECT count(*) FROM memories m WHERE {condition}", values))

    def mean_confidence(self) -> float | None:
        """Return the mean confidence of the living memories, before decay; None if there are no memories."""
        sql = "SELECT avg(confidence) FROM memories WHERE deleted_at = '' AND superseded_by = ''"
        mean = self._db.value(sql)
        return None if mean is None else float(mean)

    def modules(self) -> set[str]:
        """Return the modules that at least one living memory is about."""
        sql = (
            "SELECT DISTINCT p.module FROM memory_modules p JOIN memories m ON m.seq = p.seq "
            "WHERE m.deleted_at = '' AND m.superseded_by = ''"
        )
        return {row["module"] for row in self._db.rows(sql)}

    def has(self, memory_id: str) -> bool:
        """Return whether a memory with exactly this id exists."""
        return bool(self._db.value("SELECT 1 FROM memories WHERE id = ?", (memory_id,)))

    def many(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """Return memories by row number; missing ones are left out."""
        sql = SELECT + " WHERE m.seq IN (SELECT value FROM json_each(?))"
        return {row["seq"]: self._memory(row) for row in self._db.rows(sql, (json.dumps(list(seqs)),))}

    def contents(self, seqs: Sequence[int]) -> dict[int, str]:
        """Return the contents of memories by row number."""
        sql = "SELECT seq, content FROM memories WHERE seq IN (SELECT value FROM json_each(?))"
        return {row[0]: row[1] for row in self._db.rows(sql, (json.dumps(list(seqs)),))}

    def sketches(self, seqs: Sequence[int]) -> dict[int, Sketch]:
        """Return the fields that ranking needs, by row number."""
        rows = self._db.rows(SELECT_SKETCH, (json.dumps(list(seqs)),))
        return {row[0]: self._understood(row, to_sketch) for row in rows}

    def unreadable(self) -> list[str]:
        """List the rows whose values cannot be parsed; SQLite does not check values."""
        problems = []
        for row in self._db.rows(SELECT):
            try:
                self._memory(row)
            except HollowayError as error:
                problems.append(error.message)
        return problems

    def change(self, memory: Memory, kind: str, detail: str = "", **fields: Any) -> Memory:
        """Change some fields of a memory's current state and add an entry to its history; return the changed memory."""
        with self._db.write():
            stored = self.get(memory.id)
            changed = replace(stored, updated_at=self._now(), **fields)
            self._write_row(changed, self.fingerprint(changed.content), self._seq(memory.id))
            self.note(memory.id, kind, detail)
            return changed

    def supersede(self, old: Memory, admitted: Admitted, kind: str, detail: str = "") -> Memory:
        """Insert a memory that replaces an old one; the old one stays readable and points to it."""
        with self._db.write():
            relation = Relation(RelationType.SUPERSEDES, memory=old.id, automatic=True)
            draft = replace(admitted.draft, relations=(*admitted.draft.relations, relation))
            if draft.source in HUMAN:
                self._lift(draft.content)
            new = self._insert(draft, self.fingerprint(draft.content))
            self.change(old, kind, detail or f"replaced by {new.id}", superseded_by=new.id, review=None)
            return new

    def note(self, memory_id: str, kind: str, detail: str = "") -> None:
        """Add an entry to a memory's history."""
        with self._db.write():
            self._db.run(
                "INSERT INTO memory_history(seq, at, kind, detail) VALUES (?, ?, ?, ?)",
                (self._seq(memory_id), self._now(), kind, detail),
            )

    def judged(self) -> tuple[int, int]:
        """Count the observed memories that a person confirmed, and those that a person rejected."""
        sql = (
            "SELECT count(DISTINCT m.seq) FROM memories m JOIN memory_history h ON h.seq = m.seq "
            f"WHERE m.origin LIKE '{OBSERVED}%' AND h.kind IN (SELECT value FROM json_each(?))"
        )
        approved, rejected = (self._db.value(sql, (json.dumps(kinds),)) for kinds in (KEPT_KINDS, REJECTED_KINDS))
        return int(approved), int(rejected)

    def history(self, memory_id: str) -> list[tuple[str, str, str]]:
        """Return the history of a memory as (time, kind, detail), oldest first."""
        sql = "SELECT at, kind, detail FROM memory_history WHERE seq = ? ORDER BY entry"
        return [(row["at"], row["kind"], row["detail"]) for row in self._db.rows(sql, (self._seq(memory_id),))]

    def reject(self, memory: Memory, reason: str) -> None:
        """Store a tombstone, which holds no text, so that this memory is not learned again."""
        with self._db.write():
            for text in _recognised(memory):
                self._db.run(
                    "INSERT OR REPLACE INTO tombstones(fingerprint, reason, at) VALUES (?, ?, ?)",
                    (self.fingerprint(text), reason, self._now()),
                )

    def unreject(self, memory: Memory) -> None:
        """Delete the tombstones of a memory."""
        with self._db.write():
            for text in _recognised(memory):
                self._lift(text)

    def is_rejected(self, content: str) -> bool:
        """Return whether a person marked this content wrong, dropped it or forgot it."""
        prints = [fingerprint(content, salt) for salt in self.salts()]
        sql = "SELECT 1 FROM tombstones WHERE fingerprint IN (SELECT value FROM json_each(?))"
        return bool(self._db.value(sql, (json.dumps(prints),)))

    def fingerprint(self, content: str) -> str:
        """Return the salted fingerprint by which this store recognises a text."""
        return fingerprint(content, self.salts()[0])

    def salts(self) -> list[str]:
        """Return the salts of fingerprints: this store's first, then those of archives that were loaded into it."""
        salts: list[str] = json.loads(self._db.value("SELECT value FROM meta WHERE key = 'salts'"))
        return salts

    def adopt_salts(self, salts: list[str]) -> None:
        """Add the salts of another store, to recognise what it rejected; an unused store takes them over."""
        fresh = not self._db.value("SELECT 1 FROM memories") and not self._db.value("SELECT 1 FROM tombstones")
        merged = salts if fresh else list(dict.fromkeys([*self.salts(), *salts]))
        self._db.run("UPDATE meta SET value = ? WHERE key = 'salts'", (json.dumps(merged),))

    def _lift(self, content: str) -> None:
        prints = [fingerprint(content, salt) for salt in self.salts()]
        sql = "DELETE FROM tombstones WHERE fingerprint IN (SELECT value FROM json_each(?))"
        self._db.run(sql, (json.dumps(prints),))

    def _twin(self, print_: str, draft: Draft) -> Memory | None:
        """Return a living memory with the same text that is visible on the draft's branch, or may be merged with it."""
        sql = SELECT + " WHERE m.fingerprint = ? AND m.deleted_at = '' AND m.superseded_by = '' ORDER BY m.seq"
        duplicates = [self._memory(row) for row in self._db.rows(sql, (print_,))]
        draft_branch = draft.branch_only
        return next(
            (duplicate for duplicate in duplicates if not draft_branch or duplicate.branch_only in ("", draft_branch)),
            None,
        )

    def _reinforce(self, known: Memory, draft: Draft) -> Memory:
        """Merge a duplicate draft into a memory: a person confirms it, another session agrees with it."""
        fields: dict[str, Any] = {
            "files": tuple(dict.fromkeys([*known.files, *draft.files])),
            "modules": tuple(dict.fromkeys([*known.modules, *draft.modules])),
            "tags": tuple(dict.fromkeys([*known.tags, *draft.tags])),
            "branch_only": draft.branch_only and known.branch_only,
            "pinned": known.pinned or draft.pinned,
        }
        if draft.session:
            fields["sessions"] = tuple(dict.fromkeys([*known.sessions, draft.session]))
        confirmed_fields = {"state": State.CONFIRMED, "stale_at": ""}
        if known.state is State.QUARANTINED:
            pass
        elif draft.source in HUMAN:
            fields |= {**confirmed_fields, "confidence": confidence.confirmed(known.confidence), "review": None}
        elif draft.session and draft.session not in known.sessions:
            fields |= {**confirmed_fields, "confidence": confidence.agreed(known.confidence)}
        return self.change(known, "reinforced", f"by {draft.source}", last_used_at=self._now(), **fields)

    def _insert(self, draft: Draft, print_: str) -> Memory:
        now, uid = self._now(), self._ids.new()
        initial_confidence, initial_state = confidence.BIRTH[draft.source]
        memory = Memory(
            id=self.short_id(uid),
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
        )
        self._write_row(memory, print_)
        self.note(memory.id, "created", f"by {draft.source}" + (f", {draft.agent}" if draft.agent else ""))
        return memory

    def short_id(self, uid: str) -> str:
        """Return the shortest prefix of a uid, six characters or more, that is free in this project."""
        sizes = range(ID_CHARS_MIN, len(uid) + 1)
        return next(
            uid[:size] for size in sizes if not self._db.value("SELECT 1 FROM memories WHERE id = ?", (uid[:size],))
        )

    def _write_row(self, memory: Memory, print_: str, seq: int | None = None) -> None:
        values = {**columns(memory), "fingerprint": print_}
        if seq is None:
            names = ", ".join(values)
            marks = ", ".join(f":{name}" for name in values)
            seq = self._db.run(f"INSERT INTO memories({names}) VALUES ({marks})", values).lastrowid
        else:
            pairs = ", ".join(f"{name} = :{name}" for name in values)
            self._db.run(f"UPDATE memories SET {pairs} WHERE seq = :seq", {**values, "seq": seq})
            for table in ("memory_files", "memory_modules", "memory_relations"):
                self._db.run(f"DELETE FROM {table} WHERE seq = ?", (seq,))
        self._many("INSERT INTO memory_files(path, seq, place) VALUES (?, ?, ?)", seq, memory.files)
        self._many("INSERT INTO memory_modules(module, seq, place) VALUES (?, ?, ?)", seq, memory.modules)
        for relation in memory.relations:
            self._db.run(
                "INSERT OR IGNORE INTO memory_relations VALUES (?, ?, ?, ?, ?, ?)",
                (seq, relation.type, relation.memory, relation.path, relation.confidence, relation.automatic),
            )

    def _many(self, sql: str, seq: int | None, names: Iterable[str]) -> None:
        for position, name in enumerate(names):
            self._db.run(sql, (name, seq, position))

    def _memory(self, row: Row) -> Memory:
        return self._understood(row, to_memory)

    def _understood(self, row: Row, read: Callable[[Row], Found]) -> Found:
        try:
            return read(row)
        except (ValueError, TypeError, InvalidInput) as error:
            # SQLite checks the file's structure, not its values: a flipped bit in a text only shows here.
            raise damage(self._db.path, f"the memory {row['id']} cannot be read ({error})") from error

    def _seq(self, memory_id: str) -> int:
        seq = self._db.value("SELECT seq FROM memories WHERE id = ?", (memory_id,))
        if seq is None:
            raise Unknown(f"There is no memory {memory_id} any more.", "`holloway list` shows the existing ones.")
        return int(seq)

    def _now(self) -> str:
        return stamp(self._clock.now())


def _recognised(memory: Memory) -> list[str]:
    """List the texts by which a rejected memory is recognised: its content, and the observation it came from."""
    return [memory.content, memory.origin] if memory.origin.startswith(OBSERVED) else [memory.content]
