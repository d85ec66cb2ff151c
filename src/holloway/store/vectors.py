"""Vectors of memories: derived, kept beside the truth, gone with the memory that they belong to."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.ports import stamp
from holloway.store.database import translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Clock
    from holloway.store.database import Database
    from holloway.store.memories import Memories

ROWS_AT_ONCE = 1_024


class Outdated(NamedTuple):
    """A memory without a vector of today's text; `text_hash` is that of the text which has one, or empty."""

    seq: int
    memory: Memory
    revision: str
    text_hash: str


class VectorRow(NamedTuple):
    """A vector of one memory (float32, little-endian), and what it was made from."""

    seq: int
    memory_id: str
    revision: str
    text_hash: str
    vector: bytes


class VectorState(NamedTuple):
    """By which a cache knows that it is stale: `removals` differs once any vector was removed or replaced, `last` is
    the number of the newest one, and `mark` tells that one from another of the same number."""

    removals: str
    last: int
    mark: str


class Vectors:
    """The vectors of one store's memories, by model."""

    def __init__(self, database: Database, memories: Memories, clock: Clock) -> None:
        self._db = database
        self._memories = memories
        self._clock = clock

    def snapshot(self) -> AbstractContextManager[None]:
        """One state of the vectors for several reads."""
        return self._db.snapshot()

    def outdated(self, model: str, edition: str, limit: int, after: int = 0) -> list[Outdated]:
        """Living memories that changed since they were embedded, or never were, in the order of their row numbers.

        `edition` names the way in which the text is made from a memory: with a new one, all are outdated.
        """
        values = {"model": model, "edition": edition, "after": after, "limit": limit}
        with self._db.snapshot():
            rows = self._db.rows(_OUTDATED, values)
            memories = self._memories.many([row["seq"] for row in rows])
        return [
            Outdated(row["seq"], memories[row["seq"]], row["revision"], row["text_hash"])
            for row in rows
            if row["seq"] in memories
        ]

    def remaining(self, model: str, edition: str) -> int:
        """How many memories are outdated."""
        return int(self._db.value(_REMAINING, {"model": model, "edition": edition}))

    def settled(self, model: str, edition: str) -> bool:
        """Whether nothing was outdated and no memory changed since; one small read, whatever the number of memories."""
        return bool(self._db.value(_SETTLED, {"model": model, "edition": edition}))

    def settle(self, model: str, edition: str) -> None:
        """Note that nothing is outdated, if that is so."""
        values = {"model": model, "edition": edition}
        with self._db.write():
            if not self._db.value("SELECT 1 " + _FROM_OUTDATED + "LIMIT 1", values):
                self._db.run(_SETTLE, values)

    def put(self, model: str, rows: Sequence[VectorRow], text_hash: Callable[[Memory], str] | None = None) -> int:
        """Keep vectors, all or none; a memory that changed or went since its text was read is left out.

        `text_hash` tells the hash of what a memory says now, for changes that share a millisecond with the reading.
        Returns how many were kept.
        """
        kept = 0
        now = stamp(self._clock.now())
        with self._db.write():
            present = self._memories.many([row.seq for row in rows]) if text_hash else {}
            for row in rows:
                values = {**row._asdict(), "model": model, "dims": len(row.vector) // 4, "at": now}
                same = not text_hash or (row.seq in present and text_hash(present[row.seq]) == row.text_hash)
                if same and self._db.value(_UNCHANGED, values):
                    self._db.run("DELETE FROM memory_vectors WHERE seq = :seq AND model = :model", values)
                    self._db.run(_INSERT, values)
                    kept += 1
        return kept

    def confirm(self, model: str, seqs: Sequence[int], revisions: Sequence[str]) -> None:
        """Note that memories changed in what is not embedded: their vectors stay as they are."""
        with self._db.write():
            for seq, revision in zip(seqs, revisions, strict=True):
                self._db.run(
                    "UPDATE memory_vectors SET revision = ? WHERE seq = ? AND model = ?", (revision, seq, model)
                )

    def counts(self) -> dict[str, int]:
        """How many vectors there are of each model."""
        sql = "SELECT model, count(*) AS number FROM memory_vectors GROUP BY model ORDER BY model"
        return {row["model"]: row["number"] for row in self._db.rows(sql)}

    def drop(self, model: str) -> int:
        """Remove all vectors of a model that is not used any more; returns how many there were."""
        with self._db.write():
            return self._db.run("DELETE FROM memory_vectors WHERE model = ?", (model,)).rowcount

    def state(self, model: str) -> VectorState:
        """The present state, in one small read whatever the number of vectors."""
        row = self._db.row("SELECT removals, last FROM vector_states WHERE model = ?", (model,))
        if row is None:
            return VectorState("", 0, "")
        return VectorState(row["removals"], row["last"], self.mark(model, row["last"]))

    def mark(self, model: str, number: int) -> str:
        """What tells a vector from another that had the same number in another history; empty if it is gone."""
        sql = "SELECT json_array(seq, text_hash, at) FROM memory_vectors WHERE number = ? AND model = ?"
        return self._db.value(sql, (number, model)) or ""

    def stream(self, model: str, dims: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Row number of the memory and vector, ordered by the former; of those numbered above `after`."""
        cursor = self._db.run(_STREAM, {"model": model, "dims": dims, "after": after, "bytes": dims * 4})
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            yield from ((row["seq"], row["vector"]) for row in rows)

    def of(self, model: str, seqs: Sequence[int]) -> dict[int, bytes]:
        """The vectors of some memories, by their row number."""
        sql = (
            "SELECT seq, vector FROM memory_vectors WHERE model = ? AND seq IN (SELECT value FROM json_each(?)) "
            "ORDER BY seq"
        )
        return {row["seq"]: row["vector"] for row in self._db.rows(sql, (model, json.dumps(list(seqs))))}


def cache_file(folder: Path, model: str) -> Path:
    """Where the vectors of a model are kept for searching, made anew from the rows whenever it is stale or gone."""
    return folder / f"vectors-{sha256(model.encode('utf-8', 'replace')).hexdigest()[:16]}.matrix"


def purge(folder: Path) -> int:
    """Remove the caches of a folder, because a vector says something of the text that it was made from.

    Comes after the rows are gone: what is read into a cache before that is noticed by its writer.
    """
    with translated(folder):
        caches = list(folder.glob("vectors-*.matrix*"))
        for path in caches:
            path.unlink(missing_ok=True)
    return len(caches)


# Both indexes are read alone: neither the memories' texts nor the vectors are touched to see that nothing is missing.
_FROM_OUTDATED = """
FROM memories m INDEXED BY memories_changed
LEFT JOIN memory_vectors v INDEXED BY memory_vectors_present ON v.model = :model AND v.seq = m.seq
WHERE m.deleted_at = '' AND m.superseded_by = '' AND v.revision IS NOT :edition || ' ' || m.updated_at
"""
_OUTDATED = (
    "SELECT m.seq, :edition || ' ' || m.updated_at AS revision, coalesce(v.text_hash, '') AS text_hash "
    + _FROM_OUTDATED
    + "AND m.seq > :after ORDER BY m.seq LIMIT :limit"
)
_REMAINING = "SELECT count(*) " + _FROM_OUTDATED
_SETTLED = """
SELECT 1 FROM vector_states JOIN meta ON key = 'memory_changes'
WHERE model = :model AND settled = :edition || ' ' || value
"""
_SETTLE = """
UPDATE vector_states SET settled = :edition || ' ' || (SELECT value FROM meta WHERE key = 'memory_changes')
WHERE model = :model
"""
_UNCHANGED = """
SELECT 1 FROM memories WHERE seq = :seq AND id = :memory_id AND deleted_at = '' AND superseded_by = ''
  AND substr(:revision, -length(updated_at)) = updated_at
"""
_INSERT = """
INSERT INTO memory_vectors(seq, model, dims, text_hash, revision, at, vector)
VALUES (:seq, :model, :dims, :text_hash, :revision, :at, :vector)
"""
_STREAM = """
SELECT seq, vector FROM memory_vectors
WHERE model = :model AND number > :after AND dims = :dims AND length(vector) = :bytes
ORDER BY seq
"""
