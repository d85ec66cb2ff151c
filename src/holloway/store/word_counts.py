"""How many memories have a word, remembered while the file stays as it is: questions of one project share words."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from holloway.text.fts_query import quoted

if TYPE_CHECKING:
    import sqlite3

    from holloway.store.database import Database

    Counts = dict[tuple[str, int], int]

WORDS_MAX = 10_000
"""Words that a process remembers of a file."""


def counts_of(database: Database, words: list[str], most: int) -> dict[str, int]:
    """How many memories have each word, exactly up to `most`."""
    known = _remembered(database)
    for word in words:
        if (word, most) not in known:
            known[word, most] = rows_with(database, word, most + 1)
    return {word: known[word, most] for word in words}


def rows_with(database: Database, word: str, enough: int) -> int:
    """How many memories have a word, counted up to `enough`."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
    return int(database.value(sql, (quoted(word), enough)))


def _remembered(database: Database) -> Counts:
    """What was counted since the file last changed. What a transaction sees may never come true: that is not kept."""
    connection = database.connection
    if connection.in_transaction:
        return {}
    state = (connection, connection.total_changes, database.value("PRAGMA data_version"))
    kept = _KEPT.get(database)
    if kept is None or kept[0] != state or len(kept[1]) > WORDS_MAX:
        kept = _KEPT[database] = (state, {})
    return kept[1]


_KEPT: WeakKeyDictionary[Database, tuple[tuple[sqlite3.Connection, int, int], Counts]] = WeakKeyDictionary()
