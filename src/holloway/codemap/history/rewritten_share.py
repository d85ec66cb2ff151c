"""Share of a file that was rewritten since a commit: a reason to doubt memories about it from that time."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from holloway import git
from holloway.store.database import BUSY_TIMEOUT_MS, DatabaseBusy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from holloway.codemap.database import MapDatabase

COMMITS_QUERIED_MAX = 20
"""Commits that git is asked about in one query; each takes some milliseconds, once for every HEAD."""


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
