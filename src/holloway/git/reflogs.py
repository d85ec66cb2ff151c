"""Reflogs: what this machine itself did in a repository, read from `.git/logs`. No clone or fetch brings them along."""

from __future__ import annotations

import os
import re

from holloway.git.folders import common_dir, git_dir, has_own_history, is_path_link, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LOGS_MAX = 500
"""Maximum number of remote branches whose logs are read."""
_ACTIONS_MAX = 200
"""Maximum number of the newest actions that count."""
_CLOCK_SLACK_S = 2.0
_LINE = re.compile(r"[0-9a-f]{40,64} ([0-9a-f]{40,64}) .{0,200}<([^<>\n]{1,200})> (\d{1,12}) [+-]\d{4}\t(.{0,200})")
_PUSH = re.compile(r"update by push\b")
_COMMIT = re.compile(r"commit\b")
_REMOTE_LOGS = "logs/refs/remotes"


def list_pushed_commits(root: str, email: str, now: float) -> list[str]:
    """List commits that this machine pushed to a remote under an e-mail address, of each branch the newest first."""
    common = common_dir(root)
    logs = _list_logs(common) if has_own_history(root) and not is_path_link(common, _REMOTE_LOGS) else ()
    return _list_commits(common, logs, _PUSH, email, now)


def list_made_commits(root: str, email: str, now: float) -> list[str]:
    """List commits that this machine made in this working tree under an e-mail address, the newest first."""
    own_dir = git_dir(root)
    logs = [os.path.join(own_dir, "logs", "HEAD")] if has_own_history(root) else []
    return _list_commits(common_dir(root), logs if not is_path_link(own_dir, "logs/HEAD") else (), _COMMIT, email, now)


def has_remote(root: str) -> bool:
    """Return whether a repository has a remote, or branches of one."""
    common = common_dir(root)
    return (
        os.path.isdir(os.path.join(common, "refs", "remotes"))
        or "[remote " in read_file(os.path.join(common, "config"))
        or " refs/remotes/" in read_file(os.path.join(common, "packed-refs"))
    )


def _list_logs(common: str) -> Iterator[str]:
    count = 0
    for parent, _, names in os.walk(os.path.join(common, _REMOTE_LOGS)):
        for path in (os.path.join(parent, name) for name in sorted(names)):
            count += 1
            if count > _LOGS_MAX:
                return
            if not os.path.islink(path):
                yield path


def _list_commits(
    common: str, logs: Iterator[str] | list[str] | tuple[str, ...], action: re.Pattern[str], email: str, now: float
) -> list[str]:
    """List the commits of an action in logs, unless its time is before the folder came here, or in the future."""
    arrived_at = _find_arrival(common) - _CLOCK_SLACK_S
    commits: dict[str, None] = {}
    for path in logs:
        for line in reversed(read_file(path).splitlines()):
            match = _LINE.match(line)
            if match and match[2] == email and action.match(match[4]):
                commits.update({match[1]: None} if arrived_at <= int(match[3]) <= now + _CLOCK_SLACK_S else {})
    return list(commits)[:_ACTIONS_MAX]


def _find_arrival(common: str) -> float:
    """Return the time from which on a git folder is on this machine at the latest.

    An unpacked folder brings logs and times of its files, but not the time at which a file's entry last changed.
    """
    folders = (common, os.path.join(common, "info"), os.path.join(common, "hooks"))
    changed_at = [status.st_ctime for folder in folders for status in _read_statuses(folder)]
    return min(changed_at, default=float("inf"))


def _read_statuses(folder: str) -> Iterator[os.stat_result]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.stat(follow_symlinks=False)
    except OSError:
        return
