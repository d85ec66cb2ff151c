"""Own repositories: whether the person works in a repository, so that what its authors wrote may be told to agents."""

from __future__ import annotations

from holloway import git

OWN_COMMITS_CHECKED_MAX = 10
"""Maximum number of the person's commits that are searched for one of this history."""


def find_default_head(root: str) -> str:
    """Return the newest commit of the default branch, or of the current one if there is no default branch."""
    return next(iter(git.default_commits(root)), "") or git.head_commit(root)


def is_own_repository(root: str, now: float) -> bool:
    """Return whether the person works here: the author of a strange repository is not to be believed.

    Anybody can write a commit with the person's e-mail address, so only what this machine did counts: it pushed to a
    remote, or without any remote it made a commit of this history.
    """
    email = git.read_user_email(root)
    if not email:
        return False
    commits = (git.list_pushed_commits if git.has_remote(root) else git.list_made_commits)(root, email, now)
    head = find_default_head(root)
    return any(git.merge_base(root, commit, head) for commit in commits[:OWN_COMMITS_CHECKED_MAX])
