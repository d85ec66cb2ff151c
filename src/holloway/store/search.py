"""Text search over memories. Cost follows the number of matching rows, so very common words are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.text.query import match_any, quoted, terms

if TYPE_CHECKING:
    from holloway.store.database import Database
    from holloway.store.filter import Filter

COMMON_SHARE = 0.10
"""A word in more than this share of the memories says little; it is left out where rarer words are at hand."""
COMMON_ROWS_MIN = 200
"""Below this many rows a word is never too common."""


def search(database: Database, query: str, chosen: Filter, limit: int) -> list[tuple[int, float]]:
    """Row numbers and BM25 scores (higher is better) of the memories that match a query's words."""
    words = telling(database, terms(query))
    if not words:
        return []
    where, values = chosen.where()
    rows = database.rows(
        "SELECT m.seq, -bm25(memories_fts) AS score FROM memories_fts JOIN memories m ON m.seq = memories_fts.rowid "
        f"WHERE memories_fts MATCH :match AND {where} ORDER BY score DESC, m.seq DESC LIMIT :limit",
        {**values, "match": match_any(words), "limit": limit},
    )
    return [(row["seq"], row["score"]) for row in rows]


def telling(database: Database, words: list[str]) -> list[str]:
    """The words without those that too many memories have, unless none would be left."""
    if len(words) < 2:
        return words
    total = int(database.value("SELECT coalesce(max(seq), 0) FROM memories"))
    ceiling = max(COMMON_ROWS_MIN, int(total * COMMON_SHARE))
    if total <= COMMON_ROWS_MIN:
        return words
    rare = [word for word in words if rows_with(database, word, ceiling + 1) <= ceiling]
    return rare or words


def rows_with(database: Database, word: str, enough: int) -> int:
    """How many memories have a word, counted up to `enough`."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
    return int(database.value(sql, (quoted(word), enough)))
