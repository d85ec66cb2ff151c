"""Queries on the git history: co-change partners of files, commits similar to a text, and recently active files.

The tables hold one row per commit and file; everything else is computed on demand, so that adding or removing a commit
changes exactly its own rows. Paths are current: an old name counts for the file that it became.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.text.fts_query import match_any, query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.store.database import Database

COMMITS_PER_FILE_MAX = 200
"""Latest commits of a file that are searched for its partners: 100, 200 and 1,000 give the same quality."""

HALF_LIFE_DAYS = 730.0
"""Half-life in days of a commit's weight, for partners and for similar commits. One year and two give the same quality
on busy projects; slow ones lose below two, and all do without decay."""

RECENCY_HALF_LIFE_DAYS = 14.0
"""Half-life in days of a commit's weight as activity; 7 to 60 differ by at most .04 in quality."""

RECENCY_WINDOW_DAYS = 40 * RECENCY_HALF_LIFE_DAYS
"""Days after which a commit counts less than 1e-12 and is left out."""

SMOOTHING_COMMITS = 1.0
"""Commits without partners that are added to every file, so that a single commit is no certainty."""

SIMILAR_MAX = 100
"""Most similar commits by their words, which are then ranked by age too: 50 and 100 give the same quality."""

BM25_WORD_MAX = 2.2
"""Maximum weight of a word in SQLite's BM25, relative to its rarity (k1 + 1)."""

PATHS_MAX = 64
"""Files in one query."""


@dataclass(frozen=True, slots=True)
class Partner:
    """A file that often changed together with the queried ones, and the shared commits; it may be deleted."""

    path: str
    score: float
    commits: int
    of: int


@dataclass(frozen=True, slots=True)
class SimilarCommit:
    """A commit whose message shares words with a text; a score of 1 is the best match, committed today."""

    hash: str
    subject: str
    score: float
    likeness: float
    """Similarity from 0 to 1: the share of the text that the message covers, independent of other commits."""
    files: tuple[str, ...]


def last_read_commit(database: Database) -> str:
    """Return the last commit whose history was read; empty before the first sync."""
    tip = str(database.fetch_value("SELECT value FROM meta WHERE key = 'history.tip'") or "")
    return tip.partition(" ")[0]  # For a shallow clone, a hash of its cut follows the commit.


def find_partners(database: Database, paths: Sequence[str], *, now: datetime, limit: int = 20) -> list[Partner]:
    """Return files that often changed together with any of these (co-change), best first.

    Each commit of a file is distributed over the other files in it, by the logarithm of their changed lines, and decays
    with its age; the score is the share that a partner received of all commits, summed over the queried files.
    Normalising by how often a partner changes anyway found fewer files: cosine and Jaccard on each of nine histories,
    milder forms on most.
    """
    with database.read_snapshot():
        return _score_partners(database, _find_path_ids(database, paths), now)[: max(limit, 0)]


def _score_partners(database: Database, queried_ids: list[int], now: datetime) -> list[Partner]:
    scores: dict[int, float] = defaultdict(float)
    shared: dict[int, set[int]] = defaultdict(set)
    commits: set[int] = set()
    for queried in queried_ids:
        ages = _weigh_latest_commits(database, queried, now)
        commits.update(ages)
        total = sum(ages.values()) + SMOOTHING_COMMITS
        for commit, weights in _weigh_other_files(database, queried, list(ages)).items():
            total_weight = sum(weights.values())
            for other, weight in weights.items():
                scores[other] += ages[commit] / total * weight / total_weight
                shared[other].add(commit)
    names = _find_paths(database, [other for other in scores if other not in queried_ids])
    ranked = [Partner(name, scores[other], len(shared[other]), len(commits)) for other, name in names.items()]
    return sorted(ranked, key=lambda partner: (-partner.score, partner.path))


def _find_path_ids(database: Database, paths: Sequence[str]) -> list[int]:
    chosen = json.dumps(list(paths[:PATHS_MAX]))
    return [
        row[0]
        for row in database.fetch_rows("SELECT id FROM paths WHERE path IN (SELECT value FROM json_each(?))", (chosen,))
    ]


def _find_paths(database: Database, path_ids: list[int]) -> dict[int, str]:
    chosen = json.dumps(path_ids)
    rows = database.fetch_rows("SELECT id, path FROM paths WHERE id IN (SELECT value FROM json_each(?))", (chosen,))
    return {row["id"]: row["path"] for row in rows}


def _weigh_latest_commits(database: Database, path: int, now: datetime) -> dict[int, float]:
    """Return the latest commits of a file, each with its weight by age."""
    rows = database.fetch_rows(
        'SELECT c.id, c.at FROM commit_files f JOIN commits c ON c.id = f."commit" WHERE f.path = ?'
        " ORDER BY c.at DESC, c.hash LIMIT ?",
        (path, COMMITS_PER_FILE_MAX),
    )
    return {commit: _decay_weight(committed_at, now, HALF_LIFE_DAYS) for commit, committed_at in rows}


def _weigh_other_files(database: Database, path: int, commits: list[int]) -> dict[int, dict[int, float]]:
    """Return for each commit the weights of the other files in it."""
    weights: dict[int, dict[int, float]] = defaultdict(dict)
    for commit, other, churn in database.fetch_rows(
        'SELECT "commit", path, churn FROM commit_files WHERE "commit" IN (SELECT value FROM json_each(?))',
        (json.dumps(commits),),
    ):
        if other != path:
            weights[commit][other] = math.log2(2 + churn)
    return weights


def find_similar_commits(
    database: Database, text: str, *, now: datetime, limit: int = SIMILAR_MAX
) -> list[SimilarCommit]:
    """Return commits whose messages share words with a text; the score is the squared similarity times the decay."""
    words = query_terms(text)
    if not words:
        return []
    with database.read_snapshot():
        rows = database.fetch_rows(
            "SELECT c.id, c.hash, c.at, c.subject, -bm25(commit_text) AS likeness FROM commit_text"
            " JOIN commits c ON c.id = commit_text.rowid WHERE commit_text MATCH ?"
            " ORDER BY likeness DESC, c.at DESC, c.hash LIMIT ?",
            (match_any(words), SIMILAR_MAX),
        )
        files = _list_files(database, [row["id"] for row in rows])
        similarity_max = _similarity_bound(database, words)
    best = max((row["likeness"] for row in rows), default=1.0)
    commits = [
        SimilarCommit(
            hash=row["hash"],
            subject=row["subject"],
            score=(row["likeness"] / best) ** 2 * _decay_weight(row["at"], now, HALF_LIFE_DAYS),
            likeness=min(row["likeness"] / similarity_max, 1.0),
            files=tuple(files.get(row["id"], ())),
        )
        for row in rows
    ]
    return sorted(commits, key=lambda commit: (-commit.score, commit.hash))[: max(limit, 0)]


def _similarity_bound(database: Database, words: list[str]) -> float:
    """Return an upper bound of the BM25 score: that of a message that repeats exactly these words."""
    total = int(database.fetch_value("SELECT COUNT(*) FROM commits"))
    bound = 0.0
    for word in words:
        holders = int(
            database.fetch_value("SELECT COUNT(*) FROM commit_text WHERE commit_text MATCH ?", (match_any([word]),))
        )
        bound += max(math.log((total - holders + 0.5) / (holders + 0.5)), 0.0)
    return max(bound * BM25_WORD_MAX, 1e-6)


def _list_files(database: Database, commits: list[int]) -> dict[int, list[str]]:
    paths_by_commit: dict[int, list[str]] = defaultdict(list)
    for commit, path in database.fetch_rows(
        'SELECT f."commit", p.path FROM commit_files f JOIN paths p ON p.id = f.path'
        ' WHERE f."commit" IN (SELECT value FROM json_each(?)) ORDER BY p.path',
        (json.dumps(commits),),
    ):
        paths_by_commit[commit].append(path)
    return paths_by_commit


def score_recency(database: Database, *, now: datetime) -> dict[str, float]:
    """Return the recent activity of each file, with exponential decay."""
    since = now.timestamp() - RECENCY_WINDOW_DAYS * 86_400
    activity: dict[str, float] = defaultdict(float)
    for committed_at, path in database.fetch_rows(
        'SELECT c.at, p.path FROM commits c JOIN commit_files f ON f."commit" = c.id JOIN paths p ON p.id = f.path'
        " WHERE c.at > ?",
        (since,),
    ):
        activity[path] += _decay_weight(committed_at, now, RECENCY_HALF_LIFE_DAYS)
    return activity


def _decay_weight(at: int, now: datetime, half_life_days: float) -> float:
    return float(0.5 ** (max(now.timestamp() - at, 0.0) / 86_400 / half_life_days))
