"""The baseline of the store: SQLite's text search over the same texts, and nothing else."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

from benchmarks.generated.growing import BATCH
from holloway.text.identifiers import match_any, query_terms

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.store.store import Store

LIMIT = 10
"""Memories that a question asks for."""
_TEXTS = "SELECT seq, search_text FROM memories WHERE seq > ? ORDER BY seq"


class Plain:
    """The baseline: the same texts in an FTS5 table of a separate file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "plain.db"
        self._connection = sqlite3.connect(self.path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize='porter unicode61')")
        self._inserted = 0

    def copy(self, store: Store) -> float:
        """Bring it up to the texts of the store; returns how many a second."""
        ours = "DELETE FROM plain WHERE rowid > (SELECT max(rowid) FROM plain) - ?"
        self._connection.execute(ours, (self._inserted,))
        self._inserted = 0
        last = self._connection.execute("SELECT coalesce(max(rowid), 0) FROM plain").fetchone()[0]
        rows = [tuple(row) for row in store.database.fetch_rows(_TEXTS, (last,))]
        start = time.perf_counter()
        for at in range(0, len(rows), BATCH):
            self._connection.execute("BEGIN")
            self._connection.executemany("INSERT INTO plain(rowid, text) VALUES (?, ?)", rows[at : at + BATCH])
            self._connection.execute("COMMIT")
        return len(rows) / (time.perf_counter() - start)

    def insert(self, text: str) -> None:
        """One text, one transaction; it is gone when the store is copied again."""
        self._inserted += 1
        self._connection.execute("INSERT INTO plain(text) VALUES (?)", (text,))

    def match(self, query: str) -> list[int]:
        """The same OR query, common words included, no conditions."""
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?"
        return [row[0] for row in self._connection.execute(sql, (match_any(query_terms(query)), LIMIT))]

    def like(self, query: str) -> list[int]:
        """A scan that ranks by how many of the words a text has."""
        words = query_terms(query)
        score = " + ".join("(text LIKE ?)" for _ in words)
        sql = f"SELECT rowid, {score} AS score FROM plain ORDER BY score DESC LIMIT ?"  # noqa: S608
        return [row[0] for row in self._connection.execute(sql, [*(f"%{word}%" for word in words), LIMIT])]

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
