"""Memories in the store: added, found, changed, replaced, taken back. History stays readable."""

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
FLAGGED_KINDS = ("wrong", "disputed")
"""By a person, or by the agent that was shown it."""

OBSERVED = "observer:"
"""Begins the origin of what was observed; the rest recognises the observation, whatever words it is given."""

HUMAN = frozenset({Source.USER_TAUGHT, Source.USER_CORRECTION})
"""Sources whose word overrides an earlier rejection."""


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a draft.

    `added`; `reinforced`: it was known and is surer now; `known`: it was known, and what is foreign changes nothing;
    `refused`: a person rejected it before.
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
        """Keep a draft, unless it is known (then that memory is reinforced) or was rejected before."""
        draft = admitted.draft
        with self._db.write():
            print_ = self.fingerprint(draft.content)
            if draft.source in HUMAN and draft.state is not State.QUARANTINED:
                self._lift(draft.content)
            if known := self._twin(print_, draft):
                return self._again(known, admitted)
            if self.is_rejected(draft.content):
                return Added("refused", None, admitted.redacted)
            return Added("added", self._insert(draft, print_), admitted.redacted)

    def _again(self, known: Memory, admitted: Admitted) -> Added:
        """What the same words do to a memory that is there already."""
        draft = admitted.draft
        if draft.source is Source.FOREIGN_FILE or draft.state is State.QUARANTINED:
            return Added("known", known, admitted.redacted)
        if known.state is State.QUARANTINED and draft.source in HUMAN:
            # The person vouches for their own words, not for what the foreign memory says beside them.
            new = self.supersede(known, admitted, "replaced", "taught by a person")
            return Added("added", new, admitted.redacted)
        return Added("reinforced", self._reinforce(known, draft), admitted.redacted)

    def agree(self, known: Memory, admitted: Admitted) -> Added:
        """What says the same in almost the same words makes a memory surer; the other words stay in its history."""
        if admitted.draft.state is State.QUARANTINED:
            return Added("known", known, admitted.redacted)
        with self._db.write():
            surer = self._reinforce(self.get(known.id), admitted.draft)
            self.note(known.id, "agreed", f"said as: {admitted.draft.content[:REASON_CHARS_MAX]}")
        return Added("reinforced", surer, admitted.redacted)

    def put(self, memory: Memory, history: Iterable[tuple[str, str, str]] = ()) -> None:
        """Store a memory exactly as it is, from an archive of our own."""
        with self._db.write():
            self._write_row(memory, self.fingerprint(memory.content))
            sql = "INSERT INTO memory_history(seq, at, kind, detail) VALUES (?, ?, ?, ?)"
            for at, kind, detail in history:
                self._db.run(sql, (self._seq(memory.id), at, kind, detail))

    def get(self, reference: str) -> Memory:
        """The memory with that id or unique beginning of one; `hw:` before it is allowed."""
        wanted = reference.strip().strip("[]").removeprefix("hw:").lower()
        if not wanted or len(wanted) > 32 or not wanted.isalnum():
            raise InvalidInput(
                f"{reference[:60]!r} is not an id.", "An id looks like 7f3a2c; `holloway list` shows them."
            )
        rows = self._db.rows(SELECT + " WHERE m.id = ?", (wanted,))
        rows = rows or self._db.rows(
            SELECT + " WHERE m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 6", (wanted, wanted + "g")
        )
        if not rows:
            raise Unknown(f"There is no memory {wanted}.", "`holloway list` shows the ids of this project.")
        if len(rows) > 1:
            shown = ", ".join(row["id"] for row in rows[:5]) + (" and more" if len(rows) > 5 else "")
            raise InvalidInput(f"{wanted} could be {shown}.", "Give more characters of the id.")
        return self._memory(rows[0])

    def by_origin(self, origin: str) -> Memory | None:
        """The living memory that came from there, the latest of several."""
        sql = SELECT + " WHERE m.origin = ? AND m.deleted_at = '' AND m.superseded_by = '' ORDER BY m.seq DESC LIMIT 1"
        rows = self._db.rows(sql, (origin,))
        return self._memory(rows[0]) if rows else None

    def observed(self) -> list[Memory]:
        """Living memories that were observed, are tied to a commit, and that no person has confirmed."""
        sql = SELECT + (
            f" WHERE m.origin LIKE '{OBSERVED}%' AND m.commit_sha <> '' AND m.deleted_at = '' AND m.superseded_by = ''"
            " AND NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.seq = m.seq AND h.kind = 'confirmed')"
            " ORDER BY m.seq"
        )
        return [self._memory(row) for row in self._db.rows(sql)]

    def find(self, chosen: Filter, limit: int = RESULTS_MAX, order: str = "newest") -> list[Memory]:
        """The memories that a filter means: `newest` first, `telling` (pinned, then often used), or `waiting`."""
        where, values = chosen.where()
        sql = SELECT + f" WHERE {where} ORDER BY {ORDERS[order]} LIMIT :limit"
        return [self._memory(row) for row in self._db.rows(sql, {**values, "limit": limit})]

    def count(self, chosen: Filter) -> int:
        """How many memories a filter means."""
        where, values = chosen.where()
        return int(self._db.value(f"SELECT count(*) FROM memories m WHERE {where}", values))

    def mean_confidence(self) -> float | None:
        """Return the mean confidence of the living memories, before fading; None if there are none."""
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
        """Whether a memory with exactly this id is here."""
        return bool(self._db.value("SELECT 1 FROM memories WHERE id = ?", (memory_id,)))

    def many(self, seqs: Sequence[int]) -> dict[int, Memory]:
        """Memories by their row number."""
        sql = SELECT + " WHERE m.seq IN (SELECT value FROM json_each(?))"
        return {row["seq"]: self._memory(row) for row in self._db.rows(sql, (json.dumps(list(seqs)),))}

    def contents(self, seqs: Sequence[int]) -> dict[int, str]:
        """What memories say, by their row number."""
        sql = "SELECT seq, content FROM memories WHERE seq IN (SELECT value FROM json_each(?))"
        return {row[0]: row[1] for row in self._db.rows(sql, (json.dumps(list(seqs)),))}

    def sketches(self, seqs: Sequence[int]) -> dict[int, Sketch]:
        """What ranking must know of memories, by their row number."""
        rows = self._db.rows(SELECT_SKETCH, (json.dumps(list(seqs)),))
        return {row[0]: self._understood(row, to_sketch) for row in rows}

    def unreadable(self) -> list[str]:
        """What is wrong with rows whose values SQLite itself does not check."""
        found = []
        for row in self._db.rows(SELECT):
            try:
                self._memory(row)
            except HollowayError as error:
                found.append(error.message)
        return found

    def change(self, memory: Memory, kind: str, detail: str = "", **fields: Any) -> Memory:
        """Change some fields of a memory, as it is now, and write down that it happened."""
        with self._db.write():
            present = self.get(memory.id)
            changed = replace(present, updated_at=self._now(), **fields)
            self._write_row(changed, self.fingerprint(changed.content), self._seq(memory.id))
            self.note(memory.id, kind, detail)
            return changed

    def supersede(self, old: Memory, admitted: Admitted, kind: str, detail: str = "") -> Memory:
        """Put a new memory in an old one's place; the old one stays readable and points to it."""
        with self._db.write():
            relation = Relation(RelationType.SUPERSEDES, memory=old.id, automatic=True)
            draft = replace(admitted.draft, relations=(*admitted.draft.relations, relation))
            if draft.source in HUMAN:
                self._lift(draft.content)
            new = self._insert(draft, self.fingerprint(draft.content))
            self.change(old, kind, detail or f"replaced by {new.id}", superseded_by=new.id, review=None)
            return new

    def note(self, memory_id: str, kind: str, detail: str = "") -> None:
        """Add a line to a memory's history."""
        with self._db.write():
            self._db.run(
                "INSERT INTO memory_history(seq, at, kind, detail) VALUES (?, ?, ?, ?)",
                (self._seq(memory_id), self._now(), kind, detail),
            )

    def judged(self) -> tuple[int, int]:
        """How many of the memories that nobody taught a person has confirmed, and how many rejected."""
        sql = (
            "SELECT count(DISTINCT m.seq) FROM memories m JOIN memory_history h ON h.seq = m.seq "
            f"WHERE m.origin LIKE '{OBSERVED}%' AND h.kind IN (SELECT value FROM json_each(?))"
        )
        kept, rejected = (self._db.value(sql, (json.dumps(kinds),)) for kinds in (KEPT_KINDS, REJECTED_KINDS))
        return int(kept), int(rejected)

    def history(self, memory_id: str) -> list[tuple[str, str, str]]:
        """What happened to a memory: time, kind, detail; oldest first."""
        sql = "SELECT at, kind, detail FROM memory_history WHERE seq = ? ORDER BY entry"
        return [(row["at"], row["kind"], row["detail"]) for row in self._db.rows(sql, (self._seq(memory_id),))]

    def reject(self, memory: Memory, reason: str) -> None:
        """Remember, without its words, that this was rejected, so that it is not learned again."""
        with self._db.write():
            for text in _recognised(memory):
                self._db.run(
                    "INSERT OR REPLACE INTO tombstones(fingerprint, reason, at) VALUES (?, ?, ?)",
                    (self.fingerprint(text), reason, self._now()),
                )

    def unreject(self, memory: Memory) -> None:
        """Lift a rejection."""
        with self._db.write():
            for text in _recognised(memory):
                self._lift(text)

    def is_rejected(self, content: str) -> bool:
        """Whether this was marked wrong, dropped or forgotten by a person."""
        prints = [fingerprint(content, salt) for salt in self.salts()]
        sql = "SELECT 1 FROM tombstones WHERE fingerprint IN (SELECT value FROM json_each(?))"
        return bool(self._db.value(sql, (json.dumps(prints),)))

    def fingerprint(self, content: str) -> str:
        """How this store recognises a text again."""
        return fingerprint(content, self.salts()[0])

    def salts(self) -> list[str]:
        """What fingerprints are made with: this store's own first, then those of archives that were loaded into it."""
        salts: list[str] = json.loads(self._db.value("SELECT value FROM meta WHERE key = 'salts'"))
        return salts

    def adopt_salts(self, salts: list[str]) -> None:
        """Recognise what another store rejected; a store that never held anything takes the other's place."""
        fresh = not self._db.value("SELECT 1 FROM memories") and not self._db.value("SELECT 1 FROM tombstones")
        merged = salts if fresh else list(dict.fromkeys([*self.salts(), *salts]))
        self._db.run("UPDATE meta SET value = ? WHERE key = 'salts'", (json.dumps(merged),))

    def _lift(self, content: str) -> None:
        prints = [fingerprint(content, salt) for salt in self.salts()]
        sql = "DELETE FROM tombstones WHERE fingerprint IN (SELECT value FROM json_each(?))"
        self._db.run(sql, (json.dumps(prints),))

    def _twin(self, print_: str, draft: Draft) -> Memory | None:
        """A living memory that says the same, and that whoever may see the draft may see, or would see by it."""
        sql = SELECT + " WHERE m.fingerprint = ? AND m.deleted_at = '' AND m.superseded_by = '' ORDER BY m.seq"
        twins = [self._memory(row) for row in self._db.rows(sql, (print_,))]
        wanted = draft.branch_only
        return next((twin for twin in twins if not wanted or twin.branch_only in ("", wanted)), None)

    def _reinforce(self, known: Memory, draft: Draft) -> Memory:
        """The same again: a person's word confirms it, another session's agrees with it."""
        fields: dict[str, Any] = {
            "files": tuple(dict.fromkeys([*known.files, *draft.files])),
            "modules": tuple(dict.fromkeys([*known.modules, *draft.modules])),
            "tags": tuple(dict.fromkeys([*known.tags, *draft.tags])),
            "branch_only": draft.branch_only and known.branch_only,
            "pinned": known.pinned or draft.pinned,
        }
        if draft.session:
            fields["sessions"] = tuple(dict.fromkeys([*known.sessions, draft.session]))
        believed = {"state": State.CONFIRMED, "stale_at": ""}
        if known.state is State.QUARANTINED:
            pass
        elif draft.source in HUMAN:
            fields |= {**believed, "confidence": confidence.confirmed(known.confidence), "review": None}
        elif draft.session and draft.session not in known.sessions:
            fields |= {**believed, "confidence": confidence.agreed(known.confidence)}
        return self.change(known, "reinforced", f"by {draft.source}", last_used_at=self._now(), **fields)

    def _insert(self, draft: Draft, print_: str) -> Memory:
        now, uid = self._now(), self._ids.new()
        born, state = confidence.BIRTH[draft.source]
        memory = Memory(
            id=self.short_id(uid),
            uid=uid,
            type=draft.type,
            content=draft.content,
            summary=draft.summary,
            details=draft.details,
            state=draft.state or state,
            confidence=born if draft.confidence is None else draft.confidence,
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
        """The shortest beginning of an identity, six characters or more, that is free in this project."""
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
        for place, name in enumerate(names):
            self._db.run(sql, (name, seq, place))

    def _memory(self, row: Row) -> Memory:
        return self._understood(row, to_memory)

    def _understood(self, row: Row, read: Callable[[Row], Found]) -> Found:
        try:
            return read(row)
        except (ValueError, TypeError, InvalidInput) as error:
            # SQLite checks the file's structure, not its values: a flipped bit in a text is only seen here.
            raise damage(self._db.path, f"the memory {row['id']} cannot be read ({error})") from error

    def _seq(self, memory_id: str) -> int:
        seq = self._db.value("SELECT seq FROM memories WHERE id = ?", (memory_id,))
        if seq is None:
            raise Unknown(f"There is no memory {memory_id} any more.", "`holloway list` shows what there is.")
        return int(seq)

    def _now(self) -> str:
        return stamp(self._clock.now())


def _recognised(memory: Memory) -> list[str]:
    """By what a rejected memory is recognised: its words, and the observation that it was made from."""
    return [memory.content, memory.origin] if memory.origin.startswith(OBSERVED) else [memory.content]
