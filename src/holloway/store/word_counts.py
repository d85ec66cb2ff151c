"""Document frequency of words: counts the memories that contain a word, cached while the file is unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from holloway.text.fts_query import quote_term

if TYPE_CHECKING:
    import sqlite3

    from holloway.store.database import Database

    Counts = dict[tuple[str, int], int]

WORDS_MAX = 10_000
"""Words that a process caches for one file."""


def count_words(database: Database, words: list[str], max_count: int) -> dict[str, int]:
    """Count the memories that contain each word, exactly up to `max_count`."""
    cached_counts = _get_cached_counts(database)
    for word in words:
        if (word, max_count) not in cached_counts:
            cached_counts[word, max_count] = count_rows_with_word(database, word, max_count + 1)
    return {word: cached_counts[word, max_count] for word in words}


def count_rows_with_word(database: Database, word: str, enough: int) -> int:
    """Count the memories that contain a word, up to `enough`."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
    return int(database.fetch_value(sql, (quote_term(word), enough)))


def _get_cached_counts(database: Database) -> Counts:
    """Return the cache for the current state of the file; inside a transaction, an empty one that is not retained."""
    connection = database.connection
    if connection.in_transaction:
        return {}
    file_state = (connection, connection.total_changes, database.fetch_value("PRAGMA data_version"))
    entry = _CACHE.get(database)
    if entry is None or entry[0] != file_state or len(entry[1]) > WORDS_MAX:
        entry = _CACHE[database] = (file_state, {})
    return entry[1]


_CACHE: WeakKeyDictionary[Database, tuple[tuple[sqlite3.Connection, int, int], Counts]] = WeakKeyDictionary()
