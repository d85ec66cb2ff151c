"""Branches: what was learned on one stays on it until its work has been merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway import git
from holloway.domain.ports import stamp
from holloway.safety import secrets

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.store.database import Database


def note(database: Database, root: str) -> str:
    """The unmerged branch that a memory taught now belongs to; empty on the default branch and outside of git."""
    name = git.branch(root)
    if not name or name == git.default_branch(root) or secrets.scan(name):
        return ""
    tip, fork = git.head_commit(root), _fork(root)
    known = database.row("SELECT tip, merged_at FROM branches WHERE name = ?", (name,))
    goes_on = known and not known["merged_at"] and (known["tip"] == tip or git.is_ancestor(root, known["tip"], tip))
    with database.write():
        if goes_on:
            database.run("UPDATE branches SET tip = ? WHERE name = ?", (tip, name))
        else:
            # A new branch, or a new one of an old name: the old one's history says nothing about it.
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
    if any(git.is_merged(root, fork, tip, target) for target in targets):
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
    # Who stands on a branch without work of its own has only caught up with the default branch.
    caught_up = {here} if any(git.is_ancestor(root, tips.get(here, ""), target) for target in targets) else set()
    merged = [
        row["name"]
        for row in waiting
        if row["name"] not in caught_up
        and any(git.is_merged(root, row["fork"], tips[row["name"]], target) for target in targets)
    ]
    with database.write():
        for name, tip in tips.items():
            database.run("UPDATE branches SET tip = ? WHERE name = ?", (tip, name))
        for name in caught_up & set(tips):
            database.run("UPDATE branches SET fork = tip WHERE name = ?", (name,))
        for name in merged:
            database.run("UPDATE memories SET branch_only = '' WHERE branch_only = ?", (name,))
            database.run("UPDATE branches SET merged_at = ? WHERE name = ?", (stamp(now), name))
        database.run("INSERT OR REPLACE INTO meta VALUES ('branches_seen', ?)", (seen,))
    return merged


def _tip(root: str, name: str) -> str:
    return git.commit_of(root, f"refs/heads/{name}") or git.commit_of(root, f"refs/remotes/origin/{name}")
