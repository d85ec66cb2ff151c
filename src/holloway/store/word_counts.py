"""Document frequency of words: counts the memories that contain a word, cached while the file is unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from holloway.text.fts_query import quoted

if TYPE_CHECKING:
    import sqlite3

    from holloway.store.database import Database

    Counts = dict[tuple[str, int], int]

WORDS_MAX = 10_000
"""Words that a process caches for one file."""


def counts_of(database: Database, words: list[str], most: int) -> dict[str, int]:
    """Count the memories that contain each word, exactly up to `max_count`."""
    cached_counts = _remembered(database)
    for word in words:
        if (word, most) not in cached_counts:
            cached_counts[word, most] = rows_with(database, word, most + 1)
    return {word: cached_counts[word, most] for word in words}


def rows_with(database: Database, word: str, enough: int) -> int:
    """Count the memories that contain a word, up to `enough`."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
    return int(database.value(sql, (quoted(word), enough)))


def _remembered(database: Database) -> Counts:
    """Return the cache for the current state of the file; inside a transaction, an empty one that is not retained."""
    connection = database.connection
    if connection.in_transaction:
        return {}
    file_state = (connection, connection.total_changes, database.value("PRAGMA data_version"))
    entry = _KEPT.get(database)
    if entry is None or entry[0] != file_state or len(entry[1]) > WORDS_MAX:
        entry = _KEPT[database] = (file_state, {})
    return entry[1]


_KEPT: WeakKeyDictionary[Database, tuple[tuple[sqlite3.Connection, int, int], Counts]] = WeakKeyDictionary()
