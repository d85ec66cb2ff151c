"""What the project's past says: which files move together, which commits were about the same, what is busy.

The tables hold one row per commit and file; everything else is computed when asked, so that a commit that comes or goes
changes exactly its own rows. Names are today's: an old name counts for the file that it became.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.text.fts_query import match_any, terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.store.database import Database

COMMITS_PER_FILE_MAX = 200
"""Commits, the latest of a file that are looked at for its partners: 100, 200 and 1,000 measure alike."""

HALF_LIFE_DAYS = 730.0
"""Days after which a commit counts half, for partners and for similar commits. One year and two measure alike on busy
projects; slow ones lose below two, and all do without any."""

RECENCY_HALF_LIFE_DAYS = 14.0
"""Days after which a commit counts half as activity; 7 to 60 measure within .04 of each other."""

RECENCY_WINDOW_DAYS = 40 * RECENCY_HALF_LIFE_DAYS
"""Days, beyond which a commit counts less than a million-millionth and is left out."""

SMOOTHING_COMMITS = 1.0
"""Commits that every file is taken to have had without partners, so that a single commit is no certainty."""

SIMILAR_MAX = 100
"""Commits, the nearest by their words, that age then puts in order: 50 and 100 measure alike."""

BM25_SATURATED = 2.2
"""What a word counts at most in SQLite's BM25, times how rare it is (k1 + 1)."""

PATHS_MAX = 64
"""Files that may be asked about at once."""


@dataclass(frozen=True, slots=True)
class Partner:
    """A file that changes with the ones asked about: in so many commits of theirs; it may be gone today."""

    path: str
    score: float
    commits: int
    of: int


@dataclass(frozen=True, slots=True)
class SimilarCommit:
    """A commit about the same words; 1 is the best of its words, made today."""

    hash: str
    subject: str
    score: float
    likeness: float
    """How much of the text the message covers, from 0 to 1, whatever others there are."""
    files: tuple[str, ...]


def read_to(database: Database) -> str:
    """The commit that the history was read to; nothing before the first one."""
    tip = str(database.value("SELECT value FROM meta WHERE key = 'history.tip'") or "")
    return tip.partition(" ")[0]  # Of a shallow clone, where it is cut stands behind the commit.


def partners(database: Database, paths: Sequence[str], *, now: datetime, limit: int = 20) -> list[Partner]:
    """Files that change with any of these, best first.

    Each commit of a file is shared out among the others in it, by the logarithm of their changed lines, and counts by
    its age; the score is the share that a partner got of all its commits, summed over the files asked about. Dividing
    by how often a partner changes anyway found fewer files: cosine and Jaccard on each of nine histories, milder forms
    on most.
    """
    with database.snapshot():
        return _partners(database, _numbered(database, paths), now)[: max(limit, 0)]


def _partners(database: Database, asked: list[int], now: datetime) -> list[Partner]:
    scores: dict[int, float] = defaultdict(float)
    shared: dict[int, set[int]] = defaultdict(set)
    commits: set[int] = set()
    for own in asked:
        ages = _latest(database, own, now)
        commits.update(ages)
        total = sum(ages.values()) + SMOOTHING_COMMITS
        for commit, others in _others(database, own, list(ages)).items():
            whole = sum(others.values())
            for other, weight in others.items():
                scores[other] += ages[commit] / total * weight / whole
                shared[other].add(commit)
    names = _named(database, [other for other in scores if other not in asked])
    found = [Partner(name, scores[other], len(shared[other]), len(commits)) for other, name in names.items()]
    return sorted(found, key=lambda partner: (-partner.score, partner.path))


def _numbered(database: Database, paths: Sequence[str]) -> list[int]:
    chosen = json.dumps(list(paths[:PATHS_MAX]))
    return [
        row[0]
        for row in database.rows("SELECT id FROM paths WHERE path IN (SELECT value FROM json_each(?))", (chosen,))
    ]


def _named(database: Database, numbers: list[int]) -> dict[int, str]:
    chosen = json.dumps(numbers)
    rows = database.rows("SELECT id, path FROM paths WHERE id IN (SELECT value FROM json_each(?))", (chosen,))
    return {row["id"]: row["path"] for row in rows}


def _latest(database: Database, path: int, now: datetime) -> dict[int, float]:
    """The latest commits of a file, each with what it counts at its age."""
    rows = database.rows(
        'SELECT c.id, c.at FROM commit_files f JOIN commits c ON c.id = f."commit" WHERE f.path = ?'
        " ORDER BY c.at DESC, c.hash LIMIT ?",
        (path, COMMITS_PER_FILE_MAX),
    )
    return {commit: _faded(at, now, HALF_LIFE_DAYS) for commit, at in rows}


def _others(database: Database, path: int, commits: list[int]) -> dict[int, dict[int, float]]:
    """For each commit, the weight of the other files in it."""
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for commit, other, churn in database.rows(
        'SELECT "commit", path, churn FROM commit_files WHERE "commit" IN (SELECT value FROM json_each(?))',
        (json.dumps(commits),),
    ):
        if other != path:
            found[commit][other] = math.log2(2 + churn)
    return found


def similar_commits(database: Database, text: str, *, now: datetime, limit: int = SIMILAR_MAX) -> list[SimilarCommit]:
    """Commits whose messages share words with a text: how well, squared, times what their age leaves of them."""
    words = terms(text)
    if not words:
        return []
    with database.snapshot():
        rows = database.rows(
            "SELECT c.id, c.hash, c.at, c.subject, -bm25(commit_text) AS likeness FROM commit_text"
            " JOIN commits c ON c.id = commit_text.rowid WHERE commit_text MATCH ?"
            " ORDER BY likeness DESC, c.at DESC, c.hash LIMIT ?",
            (match_any(words), SIMILAR_MAX),
        )
        files = _files(database, [row["id"] for row in rows])
        bound = _bound(database, words)
    best = max((row["likeness"] for row in rows), default=1.0)
    found = [
        SimilarCommit(
            hash=row["hash"],
            subject=row["subject"],
            score=(row["likeness"] / best) ** 2 * _faded(row["at"], now, HALF_LIFE_DAYS),
            likeness=min(row["likeness"] / bound, 1.0),
            files=tuple(files.get(row["id"], ())),
        )
        for row in rows
    ]
    return sorted(found, key=lambda commit: (-commit.score, commit.hash))[: max(limit, 0)]


def _bound(database: Database, words: list[str]) -> float:
    """What BM25 would give a message that says all of this and nothing else, over and over."""
    total = int(database.value("SELECT COUNT(*) FROM commits"))
    bound = 0.0
    for word in words:
        holders = int(
            database.value("SELECT COUNT(*) FROM commit_text WHERE commit_text MATCH ?", (match_any([word]),))
        )
        bound += max(math.log((total - holders + 0.5) / (holders + 0.5)), 0.0)
    return max(bound * BM25_SATURATED, 1e-6)


def _files(database: Database, commits: list[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for commit, path in database.rows(
        'SELECT f."commit", p.path FROM commit_files f JOIN paths p ON p.id = f.path'
        ' WHERE f."commit" IN (SELECT value FROM json_each(?)) ORDER BY p.path',
        (json.dumps(commits),),
    ):
        found[commit].append(path)
    return found


def recency(database: Database, *, now: datetime) -> dict[str, float]:
    """How busy each file is these days."""
    since = now.timestamp() - RECENCY_WINDOW_DAYS * 86_400
    found: dict[str, float] = defaultdict(float)
    for at, path in database.rows(
        'SELECT c.at, p.path FROM commits c JOIN commit_files f ON f."commit" = c.id JOIN paths p ON p.id = f.path'
        " WHERE c.at > ?",
        (since,),
    ):
        found[path] += _faded(at, now, RECENCY_HALF_LIFE_DAYS)
    return found


def _faded(at: int, now: datetime, half_life_days: float) -> float:
    return float(0.5 ** (max(now.timestamp() - at, 0.0) / 86_400 / half_life_days))
