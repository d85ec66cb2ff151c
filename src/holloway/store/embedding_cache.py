"""Cache of query vectors, keyed by a hash of the query: the text itself is not stored."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.domain.ports import format_stamp

if TYPE_CHECKING:
    from holloway.domain.ports import Clock
    from holloway.store.database import Database

CACHE_DAYS = 30


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
