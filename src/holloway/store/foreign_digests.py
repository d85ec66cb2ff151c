"""Digests of the foreign text that sessions read, so that later sessions recognise a quote of it.

A digest is hashed once more with a key of this machine: a reader of the table alone learns nothing from it. The
table is bounded, rows age, and archives do not contain it.
"""

from __future__ import annotations

from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from holloway.config import FOREIGN_DIGEST_KEEP_DAYS, FOREIGN_DIGESTS_MAX
from holloway.domain.ports import format_stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from holloway.store.database import Database

DIGEST_KEY_NAME = "digests.key"


class EarlierDigests:
    """The digests that earlier sessions left, as a collection of numbers."""

    def __init__(self, rows: frozenset[bytes], key: bytes) -> None:
        self._rows = rows
        self._key = key

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, digest: object) -> bool:
        return isinstance(digest, int) and _protect_digest(digest, self._key) in self._rows

    def __iter__(self) -> Iterator[int]:
        raise TypeError("Digests can be compared, but not listed.")


def load_digests(database: Database, key: bytes, now: datetime, *, except_session: str = "") -> EarlierDigests:
    """Load the digests of earlier sessions that are not too old."""
    rows = database.fetch_rows(
        "SELECT digest FROM foreign_digests WHERE seen_at >= ? AND session <> ?", (_oldest(now), except_session)
    )
    return EarlierDigests(frozenset(row[0] for row in rows), key)


def save_digests(database: Database, key: bytes, digests: Iterable[int], session: str, now: datetime) -> None:
    """Add the digests of a session, and delete the oldest ones beyond the limits; the caller holds the transaction."""
    stamp = format_stamp(now)
    rows = [(_protect_digest(digest, key), session, stamp) for digest in digests]
    for row in rows:
        database.execute(
            "INSERT INTO foreign_digests VALUES (?, ?, ?) ON CONFLICT(digest) DO UPDATE SET seen_at = excluded.seen_at",
            row,
        )
    database.execute("DELETE FROM foreign_digests WHERE seen_at < ?", (_oldest(now),))
    database.execute(
        "DELETE FROM foreign_digests WHERE digest IN "
        "(SELECT digest FROM foreign_digests ORDER BY seen_at DESC, digest LIMIT -1 OFFSET ?)",
        (FOREIGN_DIGESTS_MAX,),
    )


def _oldest(now: datetime) -> str:
    return format_stamp(now - timedelta(days=FOREIGN_DIGEST_KEEP_DAYS))


def _protect_digest(digest: int, key: bytes) -> bytes:
    return blake2b(digest.to_bytes(8, "big"), digest_size=8, key=key).digest()
