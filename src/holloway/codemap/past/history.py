"""What the project's past says: which files move together, which commits were about the same, what is busy.

The tables hold one row per commit and file; everything else is computed when asked, so that a commit that comes or goes
changes exactly its own rows. Names are today's: an old name counts for the file that it became.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap.past.commits import Commit, Reading, ends_of, is_hash, listed, names_at, read
from holloway.text.identifiers import search_text
from holloway.text.query import match_any, terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from holloway.store.database import Database

COMMITS_MAX = 8_000
"""Commits, the newest ones. Of Django's 34,000, the latest 3,000 find .46 of the files of a commit, 8,000 find .50 and
12,000 find .51, while git needs a millisecond for each."""

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
RENAMES_MAX = 50_000
"""Files that may be asked about at once, and renames that are kept, the newest."""


@dataclass(frozen=True, slots=True)
class HistorySync:
    """What it took to bring the history up to date; not whole where git broke off."""

    added: int
    removed: int
    read_again: int
    total: int
    skipped_paths: int
    is_whole: bool
    seconds: float


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


@dataclass(frozen=True, slots=True)
class Activity:
    """How much a file was worked on; `recency` counts its commits, each by its age."""

    commits: int
    churn: int
    last_at: int
    recency: float


_Rename = tuple[str, int, str, str]
"""The commit and its time, the old name and the new one."""


@dataclass(frozen=True, slots=True)
class _Names:
    """Every rename, and the names that mean another file today."""

    renames: list[_Rename] = field(default_factory=list)
    today: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Where the last sync ended; without a tip, nothing is kept."""

    tip: str = ""
    total: int = 0
    limit: int = COMMITS_MAX
    has_contents: bool = True
    names: _Names = field(default_factory=_Names)


@dataclass(frozen=True, slots=True)
class _Step:
    """The way from what is kept to what shall be, worked out before anything is locked."""

    start: _Kept
    removed: list[str]
    again: list[str]
    reading: Reading
    moves: dict[str, str]
    end: _Kept


def sync(database: Database, root: Path, *, now: datetime, commits_max: int = COMMITS_MAX) -> HistorySync:
    """Make the tables what a first reading of today's HEAD would make them, reading only what is new."""
    started = perf_counter()
    tip = _tip(str(root))
    kept = _kept(database)
    unchanged = HistorySync(0, 0, 0, kept.total, 0, is_whole=True, seconds=0.0)
    if tip == kept.tip:
        return unchanged
    try:
        step = _next(database, str(root), kept, tip) or _first(str(root), tip, commits_max, at_least=kept.total)
    except git.Interrupted:
        return replace(unchanged, is_whole=False, seconds=perf_counter() - started)
    with database.write():
        if _noted(database, "history.tip") != kept.tip:
            return unchanged
        _write(database, step, now)
    return HistorySync(
        added=len(step.reading.commits) - len(step.again),
        removed=len(step.removed) if step.start.tip else kept.total,
        read_again=len(step.again),
        total=step.end.total,
        skipped_paths=step.reading.skipped_paths,
        is_whole=step.reading.is_whole,
        seconds=perf_counter() - started,
    )


def _tip(root: str) -> str:
    """The commit that is checked out and, of a shallow clone, where its history is cut."""
    head = git.head_commit(root)
    cut = git.shallow_commits(root)
    mark = sha256(" ".join(sorted(cut)).encode()).hexdigest()[:16] if cut else ""
    return f"{head} {mark}".strip() if is_hash(head) else ""


def _kept(database: Database) -> _Kept:
    tip = _noted(database, "history.tip")
    if not tip:
        return _Kept()
    names = json.loads(_noted(database, "history.names"))
    renames = [(commit, at, old, new) for commit, at, old, new in names["renames"]]
    total = database.value("SELECT count(*) FROM commits")
    limit, has_contents = int(_noted(database, "history.limit")), _noted(database, "history.contents") == "True"
    return _Kept(tip, total, limit, has_contents, _Names(renames, names["today"]))


def _noted(database: Database, key: str) -> str:
    return str(database.value("SELECT value FROM meta WHERE key = ?", (key,)) or "")


def _first(root: str, tip: str, commits_max: int, *, at_least: int) -> _Step:
    """Read everything. Where git breaks off even without contents, its part is the whole from now on, unless it is less
    than what is kept."""
    head = tip.partition(" ")[0]
    wanted = listed(root, f"--max-count={commits_max}", head) if head else []
    has_contents = True
    reading = read(root, wanted, has_contents=True)
    if not reading.is_whole:
        has_contents = False
        reading = read(root, wanted, has_contents=False)
    if not reading.is_whole and len(reading.commits) <= at_least:
        raise git.Interrupted(f"the history of {root} cannot be read")
    names = _names(root, head, [], reading.commits)
    limit = commits_max if reading.is_whole else len(reading.commits)
    return _Step(_Kept(), [], [], reading, {}, _Kept(tip, len(reading.commits), limit, has_contents, names))


def _next(database: Database, root: str, kept: _Kept, tip: str) -> _Step | None:
    """Read what is new since the last time; None where that is not enough."""
    old, _, old_cut = kept.tip.partition(" ")
    head, _, cut = tip.partition(" ")
    if not old or old_cut != cut:
        return None
    added, removed = _changes(database, root, kept, old, head)
    reading = read(root, added, has_contents=kept.has_contents)
    gone = set(removed)
    names = _names(root, head, [rename for rename in kept.names.renames if rename[0] not in gone], reading.commits)
    moves, split = _moves(kept.names.today, names.today)
    again = _commits_of(database, split, gone)
    reread = read(root, again, has_contents=kept.has_contents)
    if not (reading.is_whole and reread.is_whole):
        return None
    reading.commits += reread.commits
    total = kept.total + len(added) - len(removed)
    return _Step(kept, removed, again, reading, moves, _Kept(tip, total, kept.limit, kept.has_contents, names))


def _changes(database: Database, root: str, kept: _Kept, old: str, head: str) -> tuple[list[str], list[str]]:
    """The commits that came and those that went."""
    if head and kept.total < kept.limit:
        with suppress(git.Interrupted):
            sides = listed(root, "--left-right", f"--max-count={3 * kept.limit}", f"{old}...{head}")
            added = [side[1:] for side in sides if side.startswith(">")]
            removed = [side[1:] for side in sides if side.startswith("<")]
            if kept.total + len(added) - len(removed) <= kept.limit:
                return added, removed
    have = {row[0] for row in database.rows("SELECT hash FROM commits")}
    wanted = listed(root, f"--max-count={kept.limit}", head) if head else []
    return [commit for commit in wanted if commit not in have], sorted(have.difference(wanted))


def _names(root: str, head: str, kept: list[_Rename], commits: list[Commit]) -> _Names:
    """The renames after this step and what they mean for the files that are there today."""
    new = [(commit.hash, commit.at, old, name) for commit in commits for old, name in commit.renames]
    renames = sorted(kept + new, key=lambda rename: (rename[1], rename[0], rename[2]))[-RENAMES_MAX:]
    became = {old: name for _, _, old, name in renames}
    if not became:
        return _Names()
    present = {name for name in names_at(root, head) if name in became}
    return _Names(renames, ends_of({old: name for old, name in became.items() if old not in present}))


def _moves(before: dict[str, str], after: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Which name of before is which today, and those that are several, because what was one file is not."""
    targets: dict[str, set[str]] = defaultdict(set)
    for name in {*before, *after, *before.values(), *after.values()}:
        targets[before.get(name, name)].add(after.get(name, name))
    moves = {row: min(names) for row, names in targets.items() if names != {row} and len(names) == 1}
    return moves, [row for row, names in targets.items() if len(names) > 1]


def _commits_of(database: Database, paths: list[str], gone: set[str]) -> list[str]:
    rows = database.rows(
        "SELECT DISTINCT c.hash FROM paths p JOIN commit_files f ON f.path = p.id"
        ' JOIN commits c ON c.id = f."commit" WHERE p.path IN (SELECT value FROM json_each(?)) ORDER BY c.at DESC',
        (json.dumps(paths),),
    )
    return [row[0] for row in rows if row[0] not in gone]


def _write(database: Database, step: _Step, now: datetime) -> None:
    if step.start.tip:
        # What was one file and is several again loses its commits and gets them back under their own names.
        _remove(database, step.removed + step.again)
        for row, target in step.moves.items():
            _move(database, row, target)
    else:
        for table in ("commit_files", "commits", "paths"):
            database.run(f"DELETE FROM {table}")  # noqa: S608  (names of our own tables)
        database.run("INSERT INTO commit_text (commit_text) VALUES ('delete-all')")
    _add(database, step.reading.commits, step.end.names.today)
    names = json.dumps({"renames": step.end.names.renames, "today": step.end.names.today})
    end = {"tip": step.end.tip, "limit": step.end.limit, "contents": step.end.has_contents, "names": names}
    for key, value in (end | {"at": now.isoformat()}).items():
        database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"history.{key}", str(value)))


def _remove(database: Database, hashes: list[str]) -> None:
    chosen = "SELECT id FROM commits WHERE hash IN (SELECT value FROM json_each(?))"
    gone = json.dumps(hashes)
    for row in database.rows(f"SELECT id, subject, body FROM commits WHERE id IN ({chosen})", (gone,)):  # noqa: S608
        # The index keeps no text of its own: to take a row out of it, it must be told what it once was given.
        database.run(
            "INSERT INTO commit_text (commit_text, rowid, search_text) VALUES ('delete', ?, ?)",
            (row["id"], search_text(row["subject"], row["body"])),
        )
    touched = [
        row[0]
        for row in database.rows(f'SELECT DISTINCT path FROM commit_files WHERE "commit" IN ({chosen})', (gone,))  # noqa: S608
    ]
    database.run(f'DELETE FROM commit_files WHERE "commit" IN ({chosen})', (gone,))  # noqa: S608
    database.run(f"DELETE FROM commits WHERE id IN ({chosen})", (gone,))  # noqa: S608
    database.run(
        "DELETE FROM paths WHERE id IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM commit_files WHERE path = paths.id)",
        (json.dumps(touched),),
    )


def _move(database: Database, row: str, target: str) -> None:
    """A file has a new name; where that name has a past of its own, the two are one from now on."""
    own = database.value("SELECT id FROM paths WHERE path = ?", (row,))
    other = database.value("SELECT id FROM paths WHERE path = ?", (target,))
    if own is not None and other is None:
        database.run("UPDATE paths SET path = ? WHERE id = ?", (target, own))
    elif own is not None:
        database.run(
            'INSERT INTO commit_files SELECT ?, "commit", churn FROM commit_files WHERE path = ?'
            ' ON CONFLICT (path, "commit") DO UPDATE SET churn = churn + excluded.churn',
            (other, own),
        )
        database.run("DELETE FROM commit_files WHERE path = ?", (own,))
        database.run("DELETE FROM paths WHERE id = ?", (own,))


def _add(database: Database, commits: list[Commit], today: dict[str, str]) -> None:
    for commit in reversed(commits):
        number = database.run(
            "INSERT INTO commits (hash, at, subject, body, files) VALUES (?, ?, ?, ?, ?)",
            (commit.hash, commit.at, commit.subject, commit.body, commit.files),
        ).lastrowid
        text = search_text(commit.subject, commit.body)
        database.run("INSERT INTO commit_text (rowid, search_text) VALUES (?, ?)", (number, text))
        for name, churn in commit.churn.items():
            path = today.get(name, name)
            database.run("INSERT OR IGNORE INTO paths (path) VALUES (?)", (path,))
            database.run(
                "INSERT INTO commit_files SELECT id, ?, ? FROM paths WHERE path = ?"
                ' ON CONFLICT (path, "commit") DO UPDATE SET churn = churn + excluded.churn',
                (number, churn, path),
            )


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


def activity(database: Database, *, now: datetime) -> dict[str, Activity]:
    """How much each file of the history was worked on, bulk commits left out."""
    with database.snapshot():
        rows = database.rows(
            "SELECT p.path, count(*), sum(f.churn), max(c.at) FROM paths p JOIN commit_files f ON f.path = p.id"
            ' JOIN commits c ON c.id = f."commit" GROUP BY p.id'
        )
        recent = recency(database, now=now)
    return {path: Activity(commits, churn, at, recent.get(path, 0.0)) for path, commits, churn, at in rows}


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
