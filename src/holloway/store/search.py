"""Text search over memories. Cost follows the number of matching rows, so very common words are left out."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from holloway.store.word_counts import counts_of
from holloway.text.fts_query import match_any, terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.store.database import Database
    from holloway.store.filter import Filter

COMMON_SHARE = 0.10
"""A word in more than this share of the memories says little; it is left out where rarer words are at hand."""
COMMON_ROWS_MIN = 200
"""Below this many rows a word is never too common."""
ROWS_RANKED_MAX = 5_000
"""Rows that one search may rank; where all words are common, the rarest ones within this are used."""
LOOK_AHEAD = 1.25
"""So many times what is wanted is ranked, because a filter drops some and rarely more."""


def search(database: Database, query: str, chosen: Filter, limit: int) -> list[tuple[int, float]]:
    """Row numbers and BM25 scores (higher is better) of the memories that match a query's words."""
    words = telling(database, terms(query))
    portion = math.ceil(LOOK_AHEAD * limit)
    while words:
        best = [(seq, -rank) for seq, rank in database.rows(_RANKED, (match_any(words), portion))]
        found = first_kept(database, best, chosen, limit)
        if len(found) == limit or len(best) < portion:
            return sorted(found, key=lambda hit: (-hit[1], -hit[0]))
        portion *= 8
    return []


# `ORDER BY rank` would sort all matches inside the index, with their positions; this keeps the best few only.
_RANKED = """
SELECT rowid, bm25(memories_fts) AS score FROM memories_fts WHERE memories_fts MATCH ? ORDER BY score LIMIT ?
"""


def first_kept(
    database: Database, ranked: Sequence[tuple[int, float]], chosen: Filter, limit: int
) -> list[tuple[int, float]]:
    """The first of a ranking that a filter means; no more of it is looked at than that takes."""
    found: list[tuple[int, float]] = []
    for at in range(0, len(ranked), max(limit, 1)):
        if len(found) >= limit:
            break
        some = ranked[at : at + limit]
        remaining = kept(database, [seq for seq, _ in some], chosen)
        found += [hit for hit in some if hit[0] in remaining]
    return found[:limit]


def kept(database: Database, seqs: list[int], chosen: Filter) -> set[int]:
    """Those of some memories that a filter means."""
    where, values = chosen.where()
    sql = (
        "SELECT json_group_array(m.seq) "
        f"FROM json_each(:seqs) j CROSS JOIN memories m {_index(chosen)} ON m.seq = j.value WHERE {where}"
    )
    return set(json.loads(database.value(sql, {**values, "seqs": json.dumps(seqs)})))


def on_files(database: Database, places: Mapping[str, float], chosen: Filter, limit: int) -> dict[int, float]:
    """The memories on some files, with the weight of the file that speaks most for each; the heaviest first.

    What it costs follows the limit and not how much is known of a file: of one file, the newest come first.
    """
    where, values = chosen.where()
    sql = (
        f"SELECT f.seq FROM memory_files f CROSS JOIN memories m {_index(chosen)} ON m.seq = f.seq "
        f"WHERE f.path = :path AND {where} ORDER BY f.seq DESC LIMIT :limit"
    )
    found: dict[int, float] = {}
    for weight in sorted(set(places.values()), reverse=True):
        on = [
            row[0]
            for path in places
            if places[path] == weight
            for row in database.rows(sql, {**values, "path": path, "limit": limit})
        ]
        for seq in sorted(set(on) - found.keys(), reverse=True)[: limit - len(found)]:
            found[seq] = weight
        if len(found) == limit:
            break
    return found


def _index(chosen: Filter) -> str:
    """The index that has what most filters ask, in a fraction of the table's pages; of living memories only."""
    return "" if chosen.superseded or chosen.deleted else "INDEXED BY memories_meant"


def telling(database: Database, words: list[str]) -> list[str]:
    """The words without those that too many memories have; never none."""
    total = int(database.value("SELECT coalesce(max(seq), 0) FROM memories"))
    if len(words) < 2 or total <= COMMON_ROWS_MIN:
        return words
    ceiling = max(COMMON_ROWS_MIN, int(total * COMMON_SHARE))
    counts = counts_of(database, words, min(ceiling, ROWS_RANKED_MAX))
    rare = [word for word in words if counts[word] <= ceiling]
    if not rare:
        rare, counts = words, counts_of(database, words, ROWS_RANKED_MAX)
    kept: list[str] = []
    ranked = 0
    for word in sorted(rare, key=counts.__getitem__):
        ranked += counts[word]
        if kept and ranked > ROWS_RANKED_MAX:
            break
        kept.append(word)
    return kept
