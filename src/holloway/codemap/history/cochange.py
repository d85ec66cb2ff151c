"""Queries on the git history: co-change (change coupling), similar commits, active files, rewritten shares.

The tables hold one row per commit and file; everything else is computed on demand, so that adding or removing a commit
changes exactly its own rows. Paths are current: an old name counts for the file that it became.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway import git
from holloway.store.database import BUSY_TIMEOUT_MS, DatabaseBusy
from holloway.text.identifiers import match_any, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from holloway.codemap.database import MapDatabase
    from holloway.store.database import Database


COMMITS_PER_FILE_MAX = 200
"""Latest commits of a file that are searched for its partners: 100, 200 and 1,000 give the same quality."""

COMMIT_HALF_LIFE_DAYS = 730.0
"""Half-life in days of a commit's weight, for partners and for similar commits. One year and two give the same quality
on busy projects; slow ones lose below two, and all do without decay."""

SMOOTHING_COMMITS = 1.0
"""Commits without partners that are added to every file, so that a single commit is no certainty."""

SIMILAR_COMMITS_MAX = 100
"""Most similar commits by their words, which are then ranked by age too: 50 and 100 give the same quality."""

BM25_WORD_MAX = 2.2
"""Maximum weight of a word in SQLite's BM25, relative to its rarity (k1 + 1)."""

PATHS_MAX = 64
"""Files in one query."""
COMMITS_QUERIED_MAX = 20
"""Commits that git is asked about in one query; each takes some milliseconds, once for every HEAD."""


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
    return {commit: _decay_weight(committed_at, now, COMMIT_HALF_LIFE_DAYS) for commit, committed_at in rows}


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
    database: Database, text: str, *, now: datetime, limit: int = SIMILAR_COMMITS_MAX
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
            (match_any(words), SIMILAR_COMMITS_MAX),
        )
        files = _list_files(database, [row["id"] for row in rows])
        similarity_max = _similarity_bound(database, words)
    best = max((row["likeness"] for row in rows), default=1.0)
    commits = [
        SimilarCommit(
            hash=row["hash"],
            subject=row["subject"],
            score=(row["likeness"] / best) ** 2 * _decay_weight(row["at"], now, COMMIT_HALF_LIFE_DAYS),
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


def _decay_weight(at: int, now: datetime, half_life_days: float) -> float:
    return float(0.5 ** (max(now.timestamp() - at, 0.0) / 86_400 / half_life_days))


def compute_rewritten_shares(
    database: MapDatabase, root: Path, requested_pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """Return for pairs of commit and path the share of lines that changed since; 1 if the file is deleted.

    Git's answers are cached in the map until HEAD moves.
    """
    head = git.head_commit(str(root))
    pairs = {(commit, path) for commit, path in requested_pairs if commit and commit != head}
    if not pairs or not head:
        return {}
    shares = _load_cached(database, pairs) if database.get_meta("changes.head") == head else {}
    missing = sorted({commit for commit, path in pairs if (commit, path) not in shares})[:COMMITS_QUERIED_MAX]
    if missing:
        fresh_shares = _measure_shares(database, root, head, {pair for pair in pairs if pair[0] in missing})
        _store_shares(database, head, fresh_shares)
        shares |= fresh_shares
    return {pair: shares[pair] for pair in pairs if pair in shares}


def _load_cached(database: MapDatabase, pairs: set[tuple[str, str]]) -> dict[tuple[str, str], float]:
    wanted = json.dumps(sorted({commit for commit, _ in pairs}))
    sql = 'SELECT "commit", path, share FROM changes WHERE "commit" IN (SELECT value FROM json_each(?))'
    return {(row[0], row[1]): float(row[2]) for row in database.fetch_rows(sql, (wanted,))}


def _store_shares(database: MapDatabase, head: str, shares: dict[tuple[str, str], float]) -> None:
    """Cache git's answers without waiting: while an index is being written, git is asked again the next time."""
    database.execute("PRAGMA busy_timeout = 0")
    try:
        with suppress(DatabaseBusy), database.write_transaction():
            if database.get_meta("changes.head") != head:
                database.execute("DELETE FROM changes")
                database.set_meta("changes.head", head)
            rows = [(commit, path, share) for (commit, path), share in sorted(shares.items())]
            database.connection.executemany("INSERT OR REPLACE INTO changes VALUES (?, ?, ?)", rows)
    finally:
        database.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


def _measure_shares(
    database: MapDatabase, root: Path, head: str, pairs: set[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    paths = json.dumps(sorted({path for _, path in pairs}))
    lines = {
        row[0]: int(row[1])
        for row in database.fetch_rows(
            "SELECT path, lines FROM files WHERE path IN (SELECT value FROM json_each(?))", (paths,)
        )
    }
    shares: dict[tuple[str, str], float] = {}
    for commit in sorted({commit for commit, _ in pairs}):
        commit_paths = sorted(path for pair_commit, path in pairs if pair_commit == commit)
        churn = git.count_churn(str(root), commit, head, commit_paths)
        if churn is not None:
            shares |= {
                (commit, path): _changed_share(churn.get(path, (0, 0)), lines.get(path)) for path in commit_paths
            }
    return shares


def _changed_share(churn: tuple[int, int], lines: int | None) -> float:
    """Return the share of a file that changed; 1 if it is deleted."""
    if lines is None:
        return 1.0
    added, removed = churn
    return min(max(added, removed) / max(lines, lines - added + removed, 1), 1.0)
