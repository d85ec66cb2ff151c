"""Folders of a repository, found by reading `.git` directly: no process is started. Light: imports only `os`."""

from __future__ import annotations

import os

_READ_MAX = 1 << 20
_FILE_TYPE, _REGULAR_FILE = 0o170000, 0o100000
"""Values of the stat module, which the hook path does not import."""


def find_root(path: str) -> str:
    """Return the root of the working tree that contains a path; empty outside of git."""
    folder = os.path.realpath(path)
    while not os.path.exists(os.path.join(folder, ".git")) and folder:
        parent = os.path.dirname(folder)
        folder = parent if parent != folder else ""
    return folder


def git_dir(root: str) -> str:
    """Return the git folder of a working tree; a worktree or submodule names it in a `.git` file."""
    dot_git = os.path.join(root, ".git")
    if os.path.isdir(dot_git):
        return dot_git
    named = read_file(dot_git)
    if not named.startswith("gitdir:"):
        return ""
    return os.path.normpath(os.path.join(root, named[len("gitdir:") :].strip()))


def common_dir(root: str) -> str:
    """Return the git folder that all worktrees of a repository share."""
    own_dir = git_dir(root)
    named = read_file(os.path.join(own_dir, "commondir")).strip() if own_dir else ""
    return os.path.normpath(os.path.join(own_dir, named)) if named else own_dir


def main_root(root: str) -> str:
    """Return the main working tree of the repository that a worktree belongs to."""
    common = common_dir(root)
    return os.path.dirname(common) if os.path.basename(common) == ".git" else root


def read_file(path: str) -> str:
    """Return the text of a regular file up to a limit; empty if there is none or it cannot be read."""
    try:
        # Opening a named pipe would block.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):  # the path may be invalid
        return ""
    try:
        if os.fstat(descriptor).st_mode & _FILE_TYPE != _REGULAR_FILE:
            return ""
        with open(descriptor, encoding="utf-8", errors="surrogateescape", closefd=False) as file:
            return file.read(_READ_MAX)
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def origin_url(root: str) -> str:
    """Return the normalised URL of the remote `origin`; empty without one."""
    section = ""
    for line in read_file(os.path.join(common_dir(root), "config")).splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section == '[remote "origin"]' and line.replace(" ", "").startswith("url="):
            return normalise_origin(line.split("=", 1)[1].strip().strip('"'), root)
    return ""


def normalise_origin(url: str, root: str = "") -> str:
    """Normalise a remote URL: `git@github.com:A/b.git`, `https://user@github.com/a/b` and `ssh://` forms are equal."""
    scheme, separator, location = url.partition("://")
    if separator and scheme != "file":
        host, _, path = location.partition("?")[0].partition("#")[0].partition("/")
        host = host.rpartition("@")[2]
        host = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    elif not separator and ":" in url and "/" not in url.partition(":")[0] and len(url.partition(":")[0]) > 1:
        host, _, path = url.partition(":")
        host = host.rpartition("@")[2]
    else:
        local = os.path.expanduser(location if separator else url)
        return os.path.realpath(os.path.join(root, local))
    path = path.strip("/")
    return f"{host}/{path.removesuffix('.git')}".lower()


def is_shallow(root: str) -> bool:
    """Return whether the repository is a shallow clone."""
    return os.path.exists(os.path.join(common_dir(root), "shallow"))


def shallow_commits(root: str) -> frozenset[str]:
    """Return the boundary commits of a shallow clone, whose diffs are not meaningful."""
    return frozenset(read_file(os.path.join(common_dir(root), "shallow")).split())
