"""Text search over memories. Cost follows the number of matching rows, so very common words are left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from holloway.text.query import match_any, quoted, terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.store.database import Database
    from holloway.store.filter import Filter

COMMON_SHARE = 0.10
"""A word in more than this share of the memories says little; it is left out where rarer words are at hand."""
COMMON_ROWS_MIN = 200
"""Below this many rows a word is never too common."""
ROWS_RANKED_MAX = 5_000
"""Rows that one search may rank; where all words are common, the rarest ones within this are used."""
FIRST_LOOK = 50
"""The best matches are looked at in portions, because a filter rarely drops many of them."""


def search(database: Database, query: str, chosen: Filter, limit: int) -> list[tuple[int, float]]:
    """Row numbers and BM25 scores (higher is better) of the memories that match a query's words."""
    words = telling(database, terms(query))
    portion = max(FIRST_LOOK, limit)
    while words:
        best = database.rows(
            "SELECT rowid, rank FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank LIMIT ?",
            (match_any(words), portion),
        )
        remaining = kept(database, [row["rowid"] for row in best], chosen)
        if len(remaining) >= limit or len(best) < portion:
            found = [(row["rowid"], -row["rank"]) for row in best if row["rowid"] in remaining]
            return sorted(found, key=lambda hit: (-hit[1], -hit[0]))[:limit]
        portion *= 8
    return []


def kept(database: Database, seqs: list[int], chosen: Filter) -> set[int]:
    """Those of some memories that a filter means."""
    where, values = chosen.where()
    sql = f"SELECT m.seq FROM memories m WHERE m.seq IN (SELECT value FROM json_each(:seqs)) AND {where}"
    return {row["seq"] for row in database.rows(sql, {**values, "seqs": json.dumps(seqs)})}


def on_files(database: Database, places: Mapping[str, float], chosen: Filter, limit: int) -> dict[int, float]:
    """The memories on some files, with the weight of the file that speaks most for each; the heaviest first.

    What it costs follows the limit and not how much is known of a file: of one file, the newest come first.
    """
    where, values = chosen.where()
    sql = (
        "SELECT f.seq FROM memory_files f CROSS JOIN memories m ON m.seq = f.seq "
        f"WHERE f.path = :path AND {where} ORDER BY f.seq DESC LIMIT :limit"
    )
    found: dict[int, float] = {}
    for weight in sorted(set(places.values()), reverse=True):
        on = [
            row["seq"]
            for path in places
            if places[path] == weight
            for row in database.rows(sql, {**values, "path": path, "limit": limit})
        ]
        for seq in sorted(set(on) - found.keys(), reverse=True)[: limit - len(found)]:
            found[seq] = weight
        if len(found) == limit:
            break
    return found


def telling(database: Database, words: list[str]) -> list[str]:
    """The words without those that too many memories have; never none."""
    total = int(database.value("SELECT coalesce(max(seq), 0) FROM memories"))
    if len(words) < 2 or total <= COMMON_ROWS_MIN:
        return words
    ceiling = max(COMMON_ROWS_MIN, int(total * COMMON_SHARE))
    counts = {word: rows_with(database, word, ROWS_RANKED_MAX + 1) for word in words}
    rare = [word for word in words if counts[word] <= ceiling] or words
    kept: list[str] = []
    ranked = 0
    for word in sorted(rare, key=counts.__getitem__):
        ranked += counts[word]
        if kept and ranked > ROWS_RANKED_MAX:
            break
        kept.append(word)
    return kept


def rows_with(database: Database, word: str, enough: int) -> int:
    """How many memories have a word, counted up to `enough`."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)"
    return int(database.value(sql, (quoted(word), enough)))
