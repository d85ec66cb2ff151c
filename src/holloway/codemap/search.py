"""Search in the text of a project: the pieces of files, and from the same index the files as wholes.

A piece says where the words stand close together; the whole file says that it is about them. Both are BM25.
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

from holloway.text.fts_query import STOP_WORDS, quoted
from holloway.text.identifiers import expanded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holloway.codemap.database import MapDatabase

SHARED_MIN = 2
"""Words of a task that a file must have to be named on words alone."""
TERMS_SEARCHED = 60
"""Words that are looked for: those that say most, the rare ones and those that are repeated."""
COMMON_SHARE = 0.5
"""A word that more pieces have tells nothing: BM25 gives it no weight. Those that a fifth have are what the project is
about, and without them a task in its very nouns finds whatever else it says."""
COMMON_MIN = 20
"""Pieces. Fewer are never too many."""
PIECES_RANKED_MAX = 20_000
"""Pieces that one search may weigh, counted once for each word they have: cost follows them."""
PIECES_MAX = 600
FILES_MAX = 300
HEAD_WEIGHT = 2.0
"""A word in a piece's path or name, against one in its body."""
SATURATION = 1.2
LENGTH_SHARE = 0.75
"""BM25's k1 and b, at their usual values."""


class Term(NamedTuple):
    """A word to look for, the stem that the index has of it, and how much it counts: said four times counts twice."""

    word: str
    stem: str
    weight: float


class Piece(NamedTuple):
    """A part of a file that has the words: its name there, and how well it fits."""

    path: str
    name: str
    score: float


def matching_files(path: str, task: str, limit: int) -> list[Whole]:
    """The files of a map that have several words of a task, the best first; none where there is no map to ask.

    The quickest answer that there is to a task, in a tenth of the time of `retrieval.locate`.
    """
    from holloway.codemap.database import MapDatabase  # who searches otherwise has one open

    if not os.path.exists(path):
        return []
    words = Counter(word for word in expanded(task) if len(word) > 1 and word not in STOP_WORDS)
    with closing(MapDatabase(path)) as database:
        terms = telling(database, dict(words.most_common(TERMS_SEARCHED))) if database.is_current else []
        ranked = files(database, terms) if terms else []
    return [match for match in ranked if len(match.words) >= SHARED_MIN][:limit]


def telling(database: MapDatabase, said: Mapping[str, int]) -> list[Term]:
    """The words worth looking for, by how often each is said; what no piece has or too many have is left out."""
    total = int(database.value("SELECT COUNT(*) FROM chunks"))
    words: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for word, stem in _stems(said).items():
        words.setdefault(stem, word)
        counts[stem] += said[word]
    weighed: list[tuple[float, Term, int]] = []
    for stem, count in counts.items():
        holders = int(database.value("SELECT doc FROM chunk_words WHERE term = ?", (stem,)) or 0)
        if 0 < holders <= max(COMMON_SHARE * total, COMMON_MIN):
            weight = math.sqrt(count)
            weighed.append((weight * math.log(1 + total / holders), Term(words[stem], stem, weight), holders))
    weighed.sort(key=lambda item: (-item[0], item[1]))
    ranked = list(accumulate(holders for *_, holders in weighed))
    return [
        term
        for (_, term, _), count in zip(weighed[:TERMS_SEARCHED], ranked, strict=False)
        if count <= max(PIECES_RANKED_MAX, ranked[0])
    ]


def _stems(words: Iterable[str]) -> dict[str, str]:
    """What the index makes of words, by asking an index of the same kind; a word that it takes apart is left out."""
    listed = list(words)
    with closing(sqlite3.connect(":memory:")) as aside:
        aside.execute("CREATE VIRTUAL TABLE asked USING fts5 (word, tokenize = 'porter unicode61')")
        aside.execute("CREATE VIRTUAL TABLE stems USING fts5vocab (asked, instance)")
        aside.executemany("INSERT INTO asked (rowid, word) VALUES (?, ?)", enumerate(listed))
        found: dict[int, list[str]] = defaultdict(list)
        for stem, at in aside.execute("SELECT term, doc FROM stems"):
            found[at].append(stem)
    return {listed[at]: stems[0] for at, stems in sorted(found.items()) if len(stems) == 1}


def pieces(database: MapDatabase, terms: list[Term]) -> list[Piece]:
    """The pieces that fit best, the best first."""
    asked = [quoted(term.word) for term in terms for _ in range(round(term.weight))]
    if not asked:
        return []
    rows = database.rows(
        "SELECT f.path, c.name, -t.score FROM (SELECT rowid, bm25(chunk_text, ?, 1.0) AS score FROM chunk_text"
        " WHERE chunk_text MATCH ? ORDER BY score LIMIT ?) t"
        " JOIN chunks c ON c.id = t.rowid JOIN files f ON f.id = c.file ORDER BY t.score, f.path, c.line",
        (HEAD_WEIGHT, " OR ".join(asked), PIECES_MAX),
    )
    return [Piece(*row) for row in rows]


class Whole(NamedTuple):
    """A file that as a whole fits: how well, and the words that say so, the most telling first."""

    path: str
    score: float
    words: list[str]


def files(database: MapDatabase, terms: list[Term]) -> list[Whole]:
    """The files that fit best as wholes, the best first."""
    lines = {row[0]: row[1] for row in database.rows("SELECT id, lines FROM files")}
    usual = sum(lines.values()) / max(len(lines), 1) or 1.0
    scores: dict[int, float] = defaultdict(float)
    said: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for term in terms:
        rows = database.rows(
            "SELECT c.file, COUNT(*) FROM chunk_mentions m JOIN chunks c ON c.id = m.doc WHERE m.term = ?"
            " GROUP BY c.file",
            (term.stem,),
        )
        rarity = term.weight * math.log(1 + (len(lines) - len(rows) + 0.5) / (len(rows) + 0.5))
        for file, count in rows:
            length = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lines[file] / usual)
            worth = rarity * count * (SATURATION + 1) / (count + length)
            scores[file] += worth
            said[file].append((-worth, term.word))
    floor = min(nlargest(FILES_MAX, scores.values()), default=0.0)
    near = json.dumps([file for file, score in scores.items() if score >= floor])
    named = database.rows("SELECT id, path FROM files WHERE id IN (SELECT value FROM json_each(?))", (near,))
    paths = {row[0]: row[1] for row in named}
    best = sorted(paths, key=lambda file: (-scores[file], paths[file]))[:FILES_MAX]
    return [Whole(paths[file], scores[file], [word for _, word in sorted(said[file])]) for file in best]
