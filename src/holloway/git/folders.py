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


def is_linked_worktree(root: str) -> bool:
    """Return whether a repository lists this folder as its worktree; a `.git` file alone may name any repository."""
    own_dir = git_dir(root)
    repository, folder = os.path.split(os.path.dirname(own_dir))
    if folder != "worktrees" or common_dir(root) != repository:
        return False
    listed = read_file(os.path.join(own_dir, "gitdir")).strip()
    return bool(listed) and _real_path(own_dir, listed) == _real_path(root, ".git")


def main_root(root: str) -> str:
    """Return the main working tree of the repository that lists this folder as its worktree; else the folder itself."""
    common = common_dir(root)
    return os.path.dirname(common) if os.path.basename(common) == ".git" and is_linked_worktree(root) else root


def has_own_history(root: str) -> bool:
    """Return whether the history that git reads in a folder is that of the folder.

    A `.git` file, a `commondir` file or a link in an untrusted folder may lead to the refs of another repository.
    """
    common = common_dir(root)
    if not common or not (is_linked_worktree(root) or _is_git_dir_of(common, root)):
        return False
    branch_ref = read_file(os.path.join(git_dir(root), "HEAD")).strip().removeprefix("ref: ")
    names = ["HEAD", "packed-refs", "reftable", "refs/heads"]
    names += [branch_ref] if branch_ref.startswith("refs/") else []
    return not any(is_path_link(common, name) for name in names)


def is_path_link(folder: str, name: str) -> bool:
    """Return whether a part of a path below a folder is a link."""
    path = folder
    for part in name.split("/"):
        path = os.path.join(path, part)
        if part == ".." or os.path.islink(path):
            return True
    return False


def _is_git_dir_of(common: str, root: str) -> bool:
    """Return whether a git folder is inside a working tree, or names it as its own, as that of a submodule does."""
    if common == os.path.join(root, ".git"):
        return not os.path.islink(common)
    named = _config_value(common, "[core]", "worktree")
    return bool(named) and _real_path(common, named) == os.path.realpath(root)


def _real_path(folder: str, name: str) -> str:
    """Return the real path of a name in a folder; empty if it cannot be a path, as with a null byte."""
    try:
        return os.path.realpath(os.path.join(folder, name))
    except ValueError:
        return ""


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
    url = _config_value(common_dir(root), '[remote "origin"]', "url")
    return normalise_origin(url, root) if url else ""


def _config_value(common: str, wanted_section: str, key: str) -> str:
    """Return the first value of a key in a section of a repository's configuration; empty without one."""
    section = ""
    for line in read_file(os.path.join(common, "config")).splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section == wanted_section and line.replace(" ", "").startswith(f"{key}="):
            return line.split("=", 1)[1].strip().strip('"')
    return ""


def normalise_origin(url: str, root: str = "") -> str:
    """Normalise a remote URL: `git@github.com:A/b.git`, `https://user@github.com/a/b` and `ssh://` forms are equal.

    Returns an empty string for a local path that cannot be one.
    """
    scheme, separator, location = url.partition("://")
    if separator and scheme != "file":
        host, _, path = location.partition("?")[0].partition("#")[0].partition("/")
        host = host.rpartition("@")[2]
        host = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    elif not separator and ":" in url and "/" not in url.partition(":")[0] and len(url.partition(":")[0]) > 1:
        host, _, path = url.partition(":")
        host = host.rpartition("@")[2]
    else:
        local = location if separator else url
        return _real_path(root, local if "\0" in local else os.path.expanduser(local))
    path = path.strip("/")
    return f"{host}/{path.removesuffix('.git')}".lower()


def is_shallow(root: str) -> bool:
    """Return whether the repository is a shallow clone."""
    return os.path.exists(os.path.join(common_dir(root), "shallow"))


def shallow_commits(root: str) -> frozenset[str]:
    """Return the boundary commits of a shallow clone, whose diffs are not meaningful."""
    return frozenset(read_file(os.path.join(common_dir(root), "shallow")).split())
