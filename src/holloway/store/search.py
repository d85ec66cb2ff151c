"""Full-text search: matches the words of a query with the stored memories (FTS5, BM25); drops common words from it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from holloway.text.identifiers import match_any, query_terms, quote_term

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from holloway.store.database import Database
    from holloway.store.filter import Filter

    Counts = dict[tuple[str, int], int]


COMMON_ROWS_SHARE = 0.10
"""A word in more than this share of the memories says little; it is dropped if the query has rarer words."""
COMMON_ROWS_MIN = 200
"""Up to this many rows, no word counts as common."""
ROWS_RANKED_MAX = 5_000
"""Rows that one search may rank; if all words are common, the rarest ones within this limit are used."""
LOOK_AHEAD = 1.25
"""Factor by which more rows than wanted are ranked, because the filter drops some, rarely more."""
WORD_COUNTS_CACHED_MAX = 10_000
"""Words that a process caches for one file."""


def search_memories(database: Database, query: str, memory_filter: Filter, limit: int) -> list[tuple[int, float]]:
    """Return row numbers and BM25 scores (higher is better) of the memories that match a query's words."""
    words = drop_common_words(database, query_terms(query))
    fetch_count = math.ceil(LOOK_AHEAD * limit)
    while words:
        best = [(seq, -rank) for seq, rank in database.fetch_rows(_RANKED, (match_any(words), fetch_count))]
        matches = filter_ranked(database, best, memory_filter, limit)
        if len(matches) == limit or len(best) < fetch_count:
            return sorted(matches, key=lambda hit: (-hit[1], -hit[0]))
        fetch_count *= 8
    return []


# `ORDER BY rank` would sort all matches inside the index, with their positions; this sorts the best few only.
_RANKED = """
SELECT rowid, bm25(memories_fts) AS score FROM memories_fts WHERE memories_fts MATCH ? ORDER BY score LIMIT ?
"""


def filter_ranked(
    database: Database, ranked: Sequence[tuple[int, float]], memory_filter: Filter, limit: int
) -> list[tuple[int, float]]:
    """Return the first entries of a ranking that pass a filter; no more of it is checked than needed."""
    matches: list[tuple[int, float]] = []
    for start in range(0, len(ranked), max(limit, 1)):
        if len(matches) >= limit:
            break
        batch = ranked[start : start + limit]
        matching_seqs = filter_seqs(database, [seq for seq, _ in batch], memory_filter)
        matches += [hit for hit in batch if hit[0] in matching_seqs]
    return matches[:limit]


def filter_seqs(database: Database, seqs: list[int], memory_filter: Filter) -> set[int]:
    """Return the row numbers that pass a filter."""
    condition, values = memory_filter.build_condition()
    sql = (
        "SELECT json_group_array(m.seq) "
        f"FROM json_each(:seqs) j CROSS JOIN memories m {_choose_index(memory_filter)} "
        f"ON m.seq = j.value WHERE {condition}"
    )
    return set(json.loads(database.fetch_value(sql, {**values, "seqs": json.dumps(seqs)})))


def find_on_files(
    database: Database, file_weights: Mapping[str, float], memory_filter: Filter, limit: int
) -> dict[int, float]:
    """Return memories on some files, each with the highest weight of its files; the heaviest first.

    The cost follows the limit, not the number of memories on a file: of one file, the newest come first.
    """
    condition, values = memory_filter.build_condition()
    sql = (
        f"SELECT f.seq FROM memory_files f CROSS JOIN memories m {_choose_index(memory_filter)} ON m.seq = f.seq "
        f"WHERE f.path = :path AND {condition} ORDER BY f.seq DESC LIMIT :limit"
    )
    weight_by_seq: dict[int, float] = {}
    for weight in sorted(set(file_weights.values()), reverse=True):
        seqs = [
            row[0]
            for path in file_weights
            if file_weights[path] == weight
            for row in database.fetch_rows(sql, {**values, "path": path, "limit": limit})
        ]
        for seq in sorted(set(seqs) - weight_by_seq.keys(), reverse=True)[: limit - len(weight_by_seq)]:
            weight_by_seq[seq] = weight
        if len(weight_by_seq) == limit:
            break
    return weight_by_seq


def _choose_index(memory_filter: Filter) -> str:
    """Return the index hint for the covering index of most filters; it has living memories only."""
    return "" if memory_filter.superseded or memory_filter.deleted else "INDEXED BY memories_meant"


def drop_common_words(database: Database, words: list[str]) -> list[str]:
    """Drop the words that too many memories contain; at least one word stays."""
    total = int(database.fetch_value("SELECT coalesce(max(seq), 0) FROM memories"))
    if len(words) < 2 or total <= COMMON_ROWS_MIN:
        return words
    ceiling = max(COMMON_ROWS_MIN, int(total * COMMON_ROWS_SHARE))
    counts = count_words(database, words, min(ceiling, ROWS_RANKED_MAX))
    rare_words = [word for word in words if counts[word] <= ceiling]
    if not rare_words:
        rare_words, counts = words, count_words(database, words, ROWS_RANKED_MAX)
    chosen_words: list[str] = []
    row_count = 0
    for word in sorted(rare_words, key=counts.__getitem__):
        row_count += counts[word]
        if chosen_words and row_count > ROWS_RANKED_MAX:
            break
        chosen_words.append(word)
    return chosen_words


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
    if entry is None or entry[0] != file_state or len(entry[1]) > WORD_COUNTS_CACHED_MAX:
        entry = _CACHE[database] = (file_state, {})
    return entry[1]


_CACHE: WeakKeyDictionary[Database, tuple[tuple[sqlite3.Connection, int, int], Counts]] = WeakKeyDictionary()
