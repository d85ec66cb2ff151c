"""Branches: a memory learned on a branch stays on it until the branch is merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway import git
from holloway.domain.ports import format_stamp
from holloway.safety import secrets

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.store.database import Database, Row


def record_current_branch(database: Database, root: str) -> str:
    """Record the checked-out branch and return its name; empty on the default branch and outside git.

    A memory taught now belongs to the returned branch.
    """
    name = git.current_branch(root)
    if not name or name == git.default_branch(root) or secrets.redact_path(name) != name:
        return ""
    tip, fork = git.head_commit(root), _find_fork_point(root)
    stored = database.fetch_row("SELECT fork, tip, merged_at FROM branches WHERE name = ?", (name,))
    has_own_work = stored and not stored["merged_at"] and stored["fork"] != stored["tip"]
    with database.write_transaction():
        if stored and has_own_work and (stored["tip"] == tip or git.is_ancestor(root, stored["tip"], tip)):
            database.execute("UPDATE branches SET tip = ? WHERE name = ?", (tip, name))
        else:
            # A new branch, one without commits yet, or a new one that reuses a name: the stored history does not apply.
            database.execute("INSERT OR REPLACE INTO branches(name, fork, tip) VALUES (?, ?, ?)", (name, fork, tip))
    return name


def find_unmerged_branch(database: Database, root: str, name: str) -> str:
    """Return the branch name while memories learned on it must stay there; empty if it is merged or deleted."""
    if name == git.current_branch(root):
        return record_current_branch(database, root)
    tip = _find_tip(root, name)
    if not tip or name == git.default_branch(root) or secrets.redact_path(name) != name:
        return ""
    targets = git.default_commits(root)
    # The fork point of a merged branch is only known if the branch was recorded before; afterwards it is the tip.
    stored = database.fetch_row("SELECT fork FROM branches WHERE name = ?", (name,))
    is_known = stored is not None and git.is_ancestor(root, stored["fork"], tip)
    fork = stored["fork"] if stored and is_known else git.merge_base(root, tip, targets[0]) if targets else ""
    has_nothing_new = not is_known and any(git.is_ancestor(root, tip, target) for target in targets)
    if has_nothing_new or _is_merged(root, fork, tip, targets):
        return ""
    with database.write_transaction():
        database.execute("INSERT OR IGNORE INTO branches(name, fork, tip) VALUES (?, ?, ?)", (name, fork, tip))
    return name


def _find_fork_point(root: str) -> str:
    tip, targets = git.head_commit(root), git.default_commits(root)
    return git.merge_base(root, tip, targets[0]) if tip and targets else ""


def release_merged_branches(database: Database, root: str, now: datetime) -> list[str]:
    """Make memories of merged branches visible everywhere; return the names of those branches.

    Git is only asked when a branch has memories and a tip or the checkout changed since the last call.
    """
    branch_rows = database.fetch_rows(
        "SELECT name, fork, tip FROM branches b WHERE EXISTS (SELECT 1 FROM memories m WHERE m.branch_only = b.name)"
    )
    if not branch_rows or not (targets := git.default_commits(root)):
        return []
    current_branch = git.current_branch(root)
    tips = {row["name"]: _find_tip(root, row["name"]) or row["tip"] for row in branch_rows}
    # Branches with memories have names without secrets; the current one may have any name.
    branch_state = " ".join(
        [secrets.redact_path(current_branch), *targets, *(f"{name}={tip}" for name, tip in sorted(tips.items()))]
    )
    if database.fetch_value("SELECT value FROM meta WHERE key = 'branches_seen'") == branch_state:
        return []
    caught_up = {
        row["name"]
        for row in branch_rows
        if row["name"] == current_branch and _is_caught_up(root, row, tips[current_branch], targets)
    }
    merged = [
        row["name"]
        for row in branch_rows
        if row["name"] not in caught_up and _is_merged(root, row["fork"], tips[row["name"]], targets)
    ]
    with database.write_transaction():
        for name, tip in tips.items():
            database.execute("UPDATE branches SET tip = ? WHERE name = ?", (tip, name))
        for name in caught_up:
            database.execute("UPDATE branches SET fork = tip WHERE name = ?", (name,))
        for name in merged:
            database.execute("UPDATE memories SET branch_only = '' WHERE branch_only = ?", (name,))
            database.execute("UPDATE branches SET merged_at = ? WHERE name = ?", (format_stamp(now), name))
        database.execute("INSERT OR REPLACE INTO meta VALUES ('branches_seen', ?)", (branch_state,))
    return merged


def _is_caught_up(root: str, branch_row: Row, tip: str, targets: list[str]) -> bool:
    """Return whether the checked-out branch was reset to the default branch while its recorded work is not merged."""
    on_default = any(git.is_ancestor(root, tip, target) for target in targets)
    return on_default and not _is_merged(root, branch_row["fork"], branch_row["tip"], targets)


def _is_merged(root: str, fork: str, tip: str, targets: list[str]) -> bool:
    return any(git.is_merged(root, fork, tip, target) for target in targets)


def _find_tip(root: str, name: str) -> str:
    return git.commit_of(root, f"refs/heads/{name}") or git.commit_of(root, f"refs/remotes/origin/{name}")
