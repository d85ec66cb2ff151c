"""Synchronises the history tables with HEAD: reads only new commits, with the same result as a first full reading."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap.history.git_log import (
    Commit,
    LogReading,
    is_hash,
    list_commits,
    list_paths_at,
    read_commits,
    resolve_renames,
)
from holloway.text.identifiers import search_text

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from holloway.store.database import Database

COMMITS_MAX = 8_000
"""Newest commits that are read. Of Django's 34,000, the latest 3,000 find .46 of the files of a commit, 8,000 find .50
and 12,000 find .51, while git needs a millisecond for each."""

RENAMES_MAX = 50_000
"""Newest renames that are stored."""


@dataclass(frozen=True, slots=True)
class HistorySync:
    """Counts of a history sync; `is_whole` is False if git was interrupted."""

    added: int
    removed: int
    read_again: int
    total: int
    skipped_paths: int
    is_whole: bool
    seconds: float


_Rename = tuple[str, int, str, str]
"""The commit and its time, the old name and the new one."""


@dataclass(frozen=True, slots=True)
class _RenameMap:
    """All renames, and the old names that refer to a differently named file today."""

    renames: list[_Rename] = field(default_factory=list)
    today: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _SyncState:
    """State of the last sync; without a tip, nothing is stored."""

    tip: str = ""
    total: int = 0
    limit: int = COMMITS_MAX
    has_contents: bool = True
    names: _RenameMap = field(default_factory=_RenameMap)


@dataclass(frozen=True, slots=True)
class _Step:
    """The changes from the stored state to the new one, computed before the database is locked."""

    start: _SyncState
    removed: list[str]
    again: list[str]
    reading: LogReading
    moves: dict[str, str]
    end: _SyncState


def sync_history(database: Database, root: Path, *, now: datetime, commits_max: int = COMMITS_MAX) -> HistorySync:
    """Bring the tables to the state that a first reading of the current HEAD would give, reading only new commits."""
    started = perf_counter()
    tip = _current_tip(str(root))
    stored = _load_state(database)
    unchanged = HistorySync(0, 0, 0, stored.total, 0, is_whole=True, seconds=0.0)
    if tip == stored.tip:
        return unchanged
    try:
        step = _read_new(database, str(root), stored, tip) or _read_all(
            str(root), tip, commits_max, stored_total=stored.total
        )
    except git.GitInterrupted:
        return replace(unchanged, is_whole=False, seconds=perf_counter() - started)
    with database.write_transaction():
        if _get_meta(database, "history.tip") != stored.tip:
            return unchanged
        _write_step(database, step, now)
    return HistorySync(
        added=len(step.reading.commits) - len(step.again),
        removed=len(step.removed) if step.start.tip else stored.total,
        read_again=len(step.again),
        total=step.end.total,
        skipped_paths=step.reading.skipped_paths,
        is_whole=step.reading.is_complete,
        seconds=perf_counter() - started,
    )


def _current_tip(root: str) -> str:
    """Return the commit that is checked out and, for a shallow clone, a hash of where its history is cut."""
    head = git.head_commit(root)
    cut = git.shallow_commits(root)
    mark = sha256(" ".join(sorted(cut)).encode()).hexdigest()[:16] if cut else ""
    return f"{head} {mark}".strip() if is_hash(head) else ""


def _load_state(database: Database) -> _SyncState:
    tip = _get_meta(database, "history.tip")
    if not tip:
        return _SyncState()
    names = json.loads(_get_meta(database, "history.names"))
    renames = [(commit, at, old, new) for commit, at, old, new in names["renames"]]
    total = database.fetch_value("SELECT count(*) FROM commits")
    limit, has_contents = int(_get_meta(database, "history.limit")), _get_meta(database, "history.contents") == "True"
    return _SyncState(tip, total, limit, has_contents, _RenameMap(renames, names["today"]))


def _get_meta(database: Database, key: str) -> str:
    return str(database.fetch_value("SELECT value FROM meta WHERE key = ?", (key,)) or "")


def _read_all(root: str, tip: str, commits_max: int, *, stored_total: int) -> _Step:
    """Read the full history.

    If git is interrupted even without contents, the part that was read counts as complete from now on. Raises
    git.Interrupted if that part is smaller than the stored history.
    """
    head = tip.partition(" ")[0]
    wanted = list_commits(root, f"--max-count={commits_max}", head) if head else []
    has_contents = True
    reading = read_commits(root, wanted, has_contents=True)
    if not reading.is_complete:
        has_contents = False
        reading = read_commits(root, wanted, has_contents=False)
    if not reading.is_complete and len(reading.commits) <= stored_total:
        raise git.GitInterrupted(f"the history of {root} cannot be read")
    names = _update_renames(root, head, [], reading.commits)
    limit = commits_max if reading.is_complete else len(reading.commits)
    return _Step(_SyncState(), [], [], reading, {}, _SyncState(tip, len(reading.commits), limit, has_contents, names))


def _read_new(database: Database, root: str, stored: _SyncState, tip: str) -> _Step | None:
    """Read only new commits; None if that is not enough and everything must be read again."""
    old, _, old_cut = stored.tip.partition(" ")
    head, _, cut = tip.partition(" ")
    if not old or old_cut != cut:
        return None
    added, removed = _diff_commits(database, root, stored, old, head)
    reading = read_commits(root, added, has_contents=stored.has_contents)
    removed_set = set(removed)
    names = _update_renames(
        root, head, [rename for rename in stored.names.renames if rename[0] not in removed_set], reading.commits
    )
    moves, split = _diff_names(stored.names.today, names.today)
    again = _find_commits(database, split, removed_set)
    reread = read_commits(root, again, has_contents=stored.has_contents)
    if not (reading.is_complete and reread.is_complete):
        return None
    reading.commits += reread.commits
    total = stored.total + len(added) - len(removed)
    return _Step(
        stored, removed, again, reading, moves, _SyncState(tip, total, stored.limit, stored.has_contents, names)
    )


def _diff_commits(
    database: Database, root: str, stored: _SyncState, old: str, head: str
) -> tuple[list[str], list[str]]:
    """Return the commits that were added and those that were removed."""
    if head and stored.total < stored.limit:
        with suppress(git.GitInterrupted):
            sides = list_commits(root, "--left-right", f"--max-count={3 * stored.limit}", f"{old}...{head}")
            added = [side[1:] for side in sides if side.startswith(">")]
            removed = [side[1:] for side in sides if side.startswith("<")]
            if stored.total + len(added) - len(removed) <= stored.limit:
                return added, removed
    stored_hashes = {row[0] for row in database.fetch_rows("SELECT hash FROM commits")}
    wanted = list_commits(root, f"--max-count={stored.limit}", head) if head else []
    return [commit for commit in wanted if commit not in stored_hashes], sorted(stored_hashes.difference(wanted))


def _update_renames(root: str, head: str, stored_renames: list[_Rename], commits: list[Commit]) -> _RenameMap:
    """Return the renames after this step, and the current name of each old one."""
    new = [(commit.hash, commit.at, old, name) for commit in commits for old, name in commit.renames]
    renames = sorted(stored_renames + new, key=lambda rename: (rename[1], rename[0], rename[2]))[-RENAMES_MAX:]
    became = {old: name for _, _, old, name in renames}
    if not became:
        return _RenameMap()
    present = {name for name in list_paths_at(root, head) if name in became}
    return _RenameMap(renames, resolve_renames({old: name for old, name in became.items() if old not in present}))


def _diff_names(before: dict[str, str], after: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return how names change in this step, and the names that stand for several files now (a merge that is undone)."""
    targets: dict[str, set[str]] = defaultdict(set)
    for name in {*before, *after, *before.values(), *after.values()}:
        targets[before.get(name, name)].add(after.get(name, name))
    moves = {row: min(names) for row, names in targets.items() if names != {row} and len(names) == 1}
    return moves, [row for row, names in targets.items() if len(names) > 1]


def _find_commits(database: Database, paths: list[str], removed: set[str]) -> list[str]:
    rows = database.fetch_rows(
        "SELECT DISTINCT c.hash FROM paths p JOIN commit_files f ON f.path = p.id"
        ' JOIN commits c ON c.id = f."commit" WHERE p.path IN (SELECT value FROM json_each(?)) ORDER BY c.at DESC',
        (json.dumps(paths),),
    )
    return [row[0] for row in rows if row[0] not in removed]


def _write_step(database: Database, step: _Step, now: datetime) -> None:
    if step.start.tip:
        # The commits of a name that is split are removed and read again under their separate names.
        _delete_commits(database, step.removed + step.again)
        for row, target in step.moves.items():
            _rename_path(database, row, target)
    else:
        for table in ("commit_files", "commits", "paths"):
            database.execute(f"DELETE FROM {table}")  # noqa: S608  (fixed table names)
        database.execute("INSERT INTO commit_text (commit_text) VALUES ('delete-all')")
    _insert_commits(database, step.reading.commits, step.end.names.today)
    names = json.dumps({"renames": step.end.names.renames, "today": step.end.names.today})
    end = {"tip": step.end.tip, "limit": step.end.limit, "contents": step.end.has_contents, "names": names}
    for key, value in (end | {"at": now.isoformat()}).items():
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"history.{key}", str(value)))


def _delete_commits(database: Database, hashes: list[str]) -> None:
    chosen = "SELECT id FROM commits WHERE hash IN (SELECT value FROM json_each(?))"
    hashes_json = json.dumps(hashes)
    for row in database.fetch_rows(f"SELECT id, subject, body FROM commits WHERE id IN ({chosen})", (hashes_json,)):  # noqa: S608
        # The full-text index stores no text: deleting a row requires the text that was inserted.
        database.execute(
            "INSERT INTO commit_text (commit_text, rowid, search_text) VALUES ('delete', ?, ?)",
            (row["id"], search_text(row["subject"], row["body"])),
        )
    sql = f'SELECT DISTINCT path FROM commit_files WHERE "commit" IN ({chosen})'  # noqa: S608
    path_ids = [row[0] for row in database.fetch_rows(sql, (hashes_json,))]
    database.execute(f'DELETE FROM commit_files WHERE "commit" IN ({chosen})', (hashes_json,))  # noqa: S608
    database.execute(f"DELETE FROM commits WHERE id IN ({chosen})", (hashes_json,))  # noqa: S608
    database.execute(
        "DELETE FROM paths WHERE id IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM commit_files WHERE path = paths.id)",
        (json.dumps(path_ids),),
    )


def _rename_path(database: Database, row: str, target: str) -> None:
    """Rename a file; if the new name already has a history, the two are merged."""
    path_id = database.fetch_value("SELECT id FROM paths WHERE path = ?", (row,))
    target_id = database.fetch_value("SELECT id FROM paths WHERE path = ?", (target,))
    if path_id is not None and target_id is None:
        database.execute("UPDATE paths SET path = ? WHERE id = ?", (target, path_id))
    elif path_id is not None:
        database.execute(
            'INSERT INTO commit_files SELECT ?, "commit", churn FROM commit_files WHERE path = ?'
            ' ON CONFLICT (path, "commit") DO UPDATE SET churn = churn + excluded.churn',
            (target_id, path_id),
        )
        database.execute("DELETE FROM commit_files WHERE path = ?", (path_id,))
        database.execute("DELETE FROM paths WHERE id = ?", (path_id,))


def _insert_commits(database: Database, commits: list[Commit], today: dict[str, str]) -> None:
    for commit in reversed(commits):
        number = database.execute(
            "INSERT INTO commits (hash, at, subject, body, files) VALUES (?, ?, ?, ?, ?)",
            (commit.hash, commit.at, commit.subject, commit.body, commit.files),
        ).lastrowid
        text = search_text(commit.subject, commit.body)
        database.execute("INSERT INTO commit_text (rowid, search_text) VALUES (?, ?)", (number, text))
        for name, churn in commit.churn.items():
            path = today.get(name, name)
            database.execute("INSERT OR IGNORE INTO paths (path) VALUES (?)", (path,))
            database.execute(
                "INSERT INTO commit_files SELECT id, ?, ? FROM paths WHERE path = ?"
                ' ON CONFLICT (path, "commit") DO UPDATE SET churn = churn + excluded.churn',
                (number, churn, path),
            )
