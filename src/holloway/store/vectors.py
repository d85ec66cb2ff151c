"""Vectors of memories (derived data, deleted with their memory), and the cache of query vectors."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.ports import format_stamp
from holloway.store.database import translate_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Clock
    from holloway.store.database import Database
    from holloway.store.memories import Memories


ROWS_AT_ONCE = 1_024
CACHE_DAYS = 30


class OutdatedVector(NamedTuple):
    """A memory whose current text has no vector; `text_hash` is that of the embedded text, or empty."""

    seq: int
    memory: Memory
    revision: str
    text_hash: str


class VectorRow(NamedTuple):
    """The vector of one memory (float32, little-endian), and the text state that it was made from."""

    seq: int
    memory_id: str
    revision: str
    text_hash: str
    vector: bytes


class VectorState(NamedTuple):
    """The state by which a cache detects that it is stale.

    `removals` changes when any vector is removed or replaced, `last` is the number of the newest vector, and `mark`
    tells that one from another with the same number.
    """

    removals: str
    last: int
    mark: str


class VectorStore:
    """The vectors of one store's memories, by model."""

    def __init__(self, database: Database, memories: Memories, clock: Clock) -> None:
        self._db = database
        self._memories = memories
        self._clock = clock

    def read_snapshot(self) -> AbstractContextManager[None]:
        """Keep several reads on one state of the vectors."""
        return self._db.read_snapshot()

    def list_outdated(self, model: str, edition: str, limit: int, after: int = 0) -> list[OutdatedVector]:
        """Return living memories that changed since they were embedded, or never were, ordered by row number.

        `edition` names the way in which text is made from a memory: a new edition makes all outdated.
        """
        values = {"model": model, "edition": edition, "after": after, "limit": limit}
        with self._db.read_snapshot():
            rows = self._db.fetch_rows(_OUTDATED, values)
            memories = self._memories.get_by_seqs([row["seq"] for row in rows])
        return [
            OutdatedVector(row["seq"], memories[row["seq"]], row["revision"], row["text_hash"])
            for row in rows
            if row["seq"] in memories
        ]

    def count_outdated(self, model: str, edition: str) -> int:
        """Count the outdated memories."""
        return int(self._db.fetch_value(_REMAINING, {"model": model, "edition": edition}))

    def is_settled(self, model: str, edition: str) -> bool:
        """Return whether nothing was outdated and no memory changed since; one small read."""
        return bool(self._db.fetch_value(_SETTLED, {"model": model, "edition": edition}))

    def mark_settled(self, model: str, edition: str) -> None:
        """Record that nothing is outdated, if that is true."""
        values = {"model": model, "edition": edition}
        with self._db.write_transaction():
            if not self._db.fetch_value("SELECT 1 " + _FROM_OUTDATED + "LIMIT 1", values):
                self._db.execute(_SETTLE, values)

    def save_vectors(
        self, model: str, rows: Sequence[VectorRow], text_hash: Callable[[Memory], str] | None = None
    ) -> int:
        """Store vectors in one transaction, except of memories that changed or were deleted since; return how many.

        `text_hash` computes the hash of a memory's current text, for changes in the millisecond of the read.
        """
        saved_count = 0
        now = format_stamp(self._clock.now())
        with self._db.write_transaction():
            current_memories = self._memories.get_by_seqs([row.seq for row in rows]) if text_hash else {}
            for row in rows:
                values = {**row._asdict(), "model": model, "dims": len(row.vector) // 4, "at": now}
                is_same_text = not text_hash or (
                    row.seq in current_memories and text_hash(current_memories[row.seq]) == row.text_hash
                )
                if is_same_text and self._db.fetch_value(_UNCHANGED, values):
                    self._db.execute("DELETE FROM memory_vectors WHERE seq = :seq AND model = :model", values)
                    self._db.execute(_INSERT, values)
                    saved_count += 1
        return saved_count

    def confirm_unchanged(self, model: str, seqs: Sequence[int], revisions: Sequence[str]) -> None:
        """Record that memories changed only in fields that are not embedded: their vectors stay valid."""
        with self._db.write_transaction():
            for seq, revision in zip(seqs, revisions, strict=True):
                self._db.execute(
                    "UPDATE memory_vectors SET revision = ? WHERE seq = ? AND model = ?", (revision, seq, model)
                )

    def count_by_model(self) -> dict[str, int]:
        """Count the vectors of each model."""
        sql = "SELECT model, count(*) AS number FROM memory_vectors GROUP BY model ORDER BY model"
        return {row["model"]: row["number"] for row in self._db.fetch_rows(sql)}

    def get_state(self, model: str) -> VectorState:
        """Return the current state, in one small read for any number of vectors."""
        row = self._db.fetch_row("SELECT removals, last FROM vector_states WHERE model = ?", (model,))
        if row is None:
            return VectorState("", 0, "")
        return VectorState(row["removals"], row["last"], self.get_mark(model, row["last"]))

    def get_mark(self, model: str, number: int) -> str:
        """Return a mark that tells a vector from another with the same number in another history; empty if missing."""
        sql = "SELECT json_array(seq, text_hash, at) FROM memory_vectors WHERE number = ? AND model = ?"
        return self._db.fetch_value(sql, (number, model)) or ""

    def stream_vectors(self, model: str, dims: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield row number and vector of each memory, ordered by row number; only vectors numbered above `after`."""
        cursor = self._db.execute(_STREAM, {"model": model, "dims": dims, "after": after, "bytes": dims * 4})
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            yield from ((row["seq"], row["vector"]) for row in rows)


def get_cache_path(folder: Path, model: str) -> Path:
    """Return the path of a model's vector cache, which is rebuilt from the rows when it is stale or missing."""
    return folder / f"vectors-{sha256(model.encode('utf-8', 'replace')).hexdigest()[:16]}.matrix"


def purge_caches(folder: Path) -> int:
    """Delete the vector caches of a folder, because a vector reveals something of its text; return how many.

    Call it after the rows were deleted: a process that read them into a cache before notices that itself.
    """
    with translate_errors(folder):
        caches = list(folder.glob("vectors-*.matrix*"))
        for path in caches:
            path.unlink(missing_ok=True)
    return len(caches)


# Only the two indexes are read: finding out that nothing is missing touches neither texts nor vectors.
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


class EmbeddingCache:
    """The cached query vectors of one store; cleared when a memory is forgotten, and expired after some weeks."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    def get_vector(self, key: str) -> bytes | None:
        """Return the cached vector of a hash (float32, little-endian), or None if it is missing or expired."""
        sql = "SELECT vector FROM embedding_cache WHERE key = ? AND expires_at > ?"
        vector: bytes | None = self._db.fetch_value(sql, (key, format_stamp(self._clock.now())))
        return vector

    def put_vector(self, key: str, model: str, vector: bytes) -> None:
        """Cache a vector."""
        expires = format_stamp(self._clock.now() + timedelta(days=CACHE_DAYS))
        with self._db.write_transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO embedding_cache(key, model, dims, vector, expires_at) VALUES (?, ?, ?, ?, ?)",
                (key, model, len(vector) // 4, vector, expires),
            )
