"""Branches: what was learned on one stays on it until its work has been merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway import git
from holloway.domain.ports import stamp
from holloway.safety import secrets

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.store.database import Database, Row


def note(database: Database, root: str) -> str:
    """The unmerged branch that a memory taught now belongs to; empty on the default branch and outside of git."""
    name = git.branch(root)
    if not name or name == git.default_branch(root) or secrets.scan(name):
        return ""
    tip, fork = git.head_commit(root), _fork(root)
    known = database.row("SELECT fork, tip, merged_at FROM branches WHERE name = ?", (name,))
    begun = known and not known["merged_at"] and known["fork"] != known["tip"]
    with database.write():
        if known and begun and (known["tip"] == tip or git.is_ancestor(root, known["tip"], tip)):
            database.run("UPDATE branches SET tip = ? WHERE name = ?", (tip, name))
        else:
            # A new branch, one without work of its own, or a new one of an old name: the old history says nothing.
            database.run("INSERT OR REPLACE INTO branches(name, fork, tip) VALUES (?, ?, ?)", (name, fork, tip))
    return name


def unmerged(database: Database, root: str, name: str) -> str:
    """The branch, if what was learned on it must stay there for now; empty for one that is merged or gone."""
    if name == git.branch(root):
        return note(database, root)
    tip = _tip(root, name)
    if not tip or name == git.default_branch(root) or secrets.scan(name):
        return ""
    targets = git.default_commits(root)
    fork = git.merge_base(root, tip, targets[0]) if targets else ""
    if _is_merged(root, fork, tip, targets):
        return ""
    with database.write():
        database.run("INSERT OR IGNORE INTO branches(name, fork, tip) VALUES (?, ?, ?)", (name, fork, tip))
    return name


def _fork(root: str) -> str:
    tip, targets = git.head_commit(root), git.default_commits(root)
    return git.merge_base(root, tip, targets[0]) if tip and targets else ""


def release_merged(database: Database, root: str, now: datetime) -> list[str]:
    """Let memories of merged branches be seen everywhere; returns those branches.

    Git is asked only when a branch with memories exists and something moved since the last time.
    """
    waiting = database.rows(
        "SELECT name, fork, tip FROM branches b WHERE EXISTS (SELECT 1 FROM memories m WHERE m.branch_only = b.name)"
    )
    if not waiting or not (targets := git.default_commits(root)):
        return []
    here = git.branch(root)
    tips = {row["name"]: _tip(root, row["name"]) or row["tip"] for row in waiting}
    seen = " ".join([here, *targets, *(f"{name}={tip}" for name, tip in sorted(tips.items()))])
    if database.value("SELECT value FROM meta WHERE key = 'branches_seen'") == seen:
        return []
    caught_up = {row["name"] for row in waiting if row["name"] == here and _caught_up(root, row, tips[here], targets)}
    merged = [
        row["name"]
        for row in waiting
        if row["name"] not in caught_up and _is_merged(root, row["fork"], tips[row["name"]], targets)
    ]
    with database.write():
        for name, tip in tips.items():
            database.run("UPDATE branches SET tip = ? WHERE name = ?", (tip, name))
        for name in caught_up:
            database.run("UPDATE branches SET fork = tip WHERE name = ?", (name,))
        for name in merged:
            database.run("UPDATE memories SET branch_only = '' WHERE branch_only = ?", (name,))
            database.run("UPDATE branches SET merged_at = ? WHERE name = ?", (stamp(now), name))
        database.run("INSERT OR REPLACE INTO meta VALUES ('branches_seen', ?)", (seen,))
    return merged


def _caught_up(root: str, seen: Row, tip: str, targets: list[str]) -> bool:
    """Whether the branch that somebody stands on is where the default one was, and its own work is not there."""
    on_default = any(git.is_ancestor(root, tip, target) for target in targets)
    return on_default and not _is_merged(root, seen["fork"], seen["tip"], targets)


def _is_merged(root: str, fork: str, tip: str, targets: list[str]) -> bool:
    return any(git.is_merged(root, fork, tip, target) for target in targets)


def _tip(root: str, name: str) -> str:
    return git.commit_of(root, f"refs/heads/{name}") or git.commit_of(root, f"refs/remotes/origin/{name}")
