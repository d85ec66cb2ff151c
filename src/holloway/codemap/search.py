"""Full-text search (BM25) over a project's code: ranks text chunks and, from the same index, complete files.

A chunk shows where the words occur close together; a complete file shows that it is about them.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from heapq import nlargest
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from holloway.text.function_words import find_function_words
from holloway.text.identifiers import expand_words, quote_term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holloway.codemap.database import MapDatabase

TASK_WORDS_SHARED_MIN = 2
"""Words of a task that a file must contain to be listed on words alone."""
TERMS_SEARCHED = 60
"""Words that are searched for: the most informative ones, rare or repeated."""
COMMON_CHUNKS_SHARE = 0.5
"""Threshold above which a word is ignored as too common: BM25 gives it no weight. Words that a fifth of the chunks have
are what the project is about; without them a task finds whatever else it mentions."""
COMMON_MIN = 20
"""Chunks. A word in fewer chunks is never too common."""
CHUNKS_RANKED_MAX = 20_000
"""Chunks that one search may score, counted once for each word they contain: the cost grows with them."""
CHUNKS_FOUND_MAX = 600
FILES_FOUND_MAX = 300
HEAD_WEIGHT = 2.0
"""Weight of a word in a chunk's path or name, relative to one in its body."""
SATURATION = 1.2
LENGTH_SHARE = 0.75
"""BM25's parameters k1 and b, at their usual values."""


class Term(NamedTuple):
    """A word to search for, its stem in the index, and its weight: a word repeated four times counts twice."""

    word: str
    stem: str
    weight: float


class ChunkMatch(NamedTuple):
    """A text chunk that matches: its file, its name there, and its score."""

    path: str
    name: str
    score: float


def find_matching_files(path: str, task: str, limit: int) -> list[FileMatch]:
    """Return the files of a map that share several words with a task, best first; empty if there is no map.

    This is the fastest answer to a task: it takes a tenth of the time of `retrieval.locate`.
    """
    from holloway.codemap.database import MapDatabase  # other callers already have an open database

    if not os.path.exists(path):
        return []
    function_words = find_function_words(task)
    words = Counter(word for word in expand_words(task) if len(word) > 1 and word not in function_words)
    with closing(MapDatabase(path)) as database:
        terms = select_terms(database, dict(words.most_common(TERMS_SEARCHED))) if database.is_current else []
        ranked = search_files(database, terms) if terms else []
    return [match for match in ranked if len(match.words) >= TASK_WORDS_SHARED_MIN][:limit]


def select_terms(database: MapDatabase, word_counts: Mapping[str, int]) -> list[Term]:
    """Select the words worth searching for from their counts; words in no chunk or in too many are left out."""
    total = int(database.fetch_value("SELECT COUNT(*) FROM chunks"))
    words: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for word, stem in _stem_words(word_counts).items():
        words.setdefault(stem, word)
        counts[stem] += word_counts[word]
    candidates: list[tuple[float, Term, int]] = []
    for stem, count in counts.items():
        holders = int(database.fetch_value("SELECT doc FROM chunk_words WHERE term = ?", (stem,)) or 0)
        if 0 < holders <= max(COMMON_CHUNKS_SHARE * total, COMMON_MIN):
            weight = math.sqrt(count)
            candidates.append((weight * math.log(1 + total / holders), Term(words[stem], stem, weight), holders))
    candidates.sort(key=lambda item: (-item[0], item[1]))
    running_totals = list(accumulate(holders for *_, holders in candidates))
    return [
        term
        for (_, term, _), count in zip(candidates[:TERMS_SEARCHED], running_totals, strict=False)
        if count <= max(CHUNKS_RANKED_MAX, running_totals[0])
    ]


def _stem_words(words: Iterable[str]) -> dict[str, str]:
    """Stem words with an in-memory index of the same tokenizer; a word that it splits is left out."""
    word_list = list(words)
    with closing(sqlite3.connect(":memory:")) as memory_index:
        memory_index.execute("CREATE VIRTUAL TABLE asked USING fts5 (word, tokenize = 'porter unicode61')")
        memory_index.execute("CREATE VIRTUAL TABLE stems USING fts5vocab (asked, instance)")
        memory_index.executemany("INSERT INTO asked (rowid, word) VALUES (?, ?)", enumerate(word_list))
        stems_by_position: dict[int, list[str]] = defaultdict(list)
        for stem, position in memory_index.execute("SELECT term, doc FROM stems"):
            stems_by_position[position].append(stem)
    return {word_list[position]: stems[0] for position, stems in sorted(stems_by_position.items()) if len(stems) == 1}


def search_chunks(database: MapDatabase, terms: list[Term]) -> list[ChunkMatch]:
    """Return the best matching chunks, best first."""
    fts_terms = [quote_term(term.word) for term in terms for _ in range(round(term.weight))]
    if not fts_terms:
        return []
    rows = database.fetch_rows(
        "SELECT f.path, c.name, -t.score FROM (SELECT rowid, bm25(chunk_text, ?, 1.0) AS score FROM chunk_text"
        " WHERE chunk_text MATCH ? ORDER BY score LIMIT ?) t"
        " JOIN chunks c ON c.id = t.rowid JOIN files f ON f.id = c.file ORDER BY t.score, f.path, c.line",
        (HEAD_WEIGHT, " OR ".join(fts_terms), CHUNKS_FOUND_MAX),
    )
    return [ChunkMatch(*row) for row in rows]


class FileMatch(NamedTuple):
    """A file that matches as a whole: its score, and the matching words, most informative first."""

    path: str
    score: float
    words: list[str]


def search_files(database: MapDatabase, terms: list[Term]) -> list[FileMatch]:
    """Rank complete files by BM25 over their chunks; return the best first."""
    lines = {row[0]: row[1] for row in database.fetch_rows("SELECT id, lines FROM files")}
    mean_lines = sum(lines.values()) / max(len(lines), 1) or 1.0
    scores: dict[int, float] = defaultdict(float)
    matched_words: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for term in terms:
        rows = database.fetch_rows(
            "SELECT c.file, COUNT(*) FROM chunk_mentions m JOIN chunks c ON c.id = m.doc WHERE m.term = ?"
            " GROUP BY c.file",
            (term.stem,),
        )
        rarity = term.weight * math.log(1 + (len(lines) - len(rows) + 0.5) / (len(rows) + 0.5))
        for file, count in rows:
            length = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lines[file] / mean_lines)
            score_share = rarity * count * (SATURATION + 1) / (count + length)
            scores[file] += score_share
            matched_words[file].append((-score_share, term.word))
    floor = min(nlargest(FILES_FOUND_MAX, scores.values()), default=0.0)
    candidates = json.dumps([file for file, score in scores.items() if score >= floor])
    path_rows = database.fetch_rows(
        "SELECT id, path FROM files WHERE id IN (SELECT value FROM json_each(?))", (candidates,)
    )
    paths = {row[0]: row[1] for row in path_rows}
    best = sorted(paths, key=lambda file: (-scores[file], paths[file]))[:FILES_FOUND_MAX]
    return [FileMatch(paths[file], scores[file], [word for _, word in sorted(matched_words[file])]) for file in best]
