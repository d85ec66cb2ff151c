"""Refs of a repository: branches and commits, read from `.git` directly; only the reftable format needs git."""

from __future__ import annotations

import os

from holloway.git.folders import common_dir, git_dir, read_file
from holloway.git.runner import read_table_ref

_REFS_FOLLOWED_MAX = 5
"""Maximum number of symbolic refs to follow, as in git."""
_REF_TIMEOUT_S = 2.0
"""Timeout for resolving one ref, which a hook may do."""
_TIPS_MAX = 500
"""Maximum number of branches whose commits are searched; their hashes fit into a command line."""
HEX_DIGITS = frozenset("0123456789abcdef")


def current_branch(root: str) -> str:
    """Return the current branch; empty with a detached HEAD or without git."""
    head = _ref_value(root, "HEAD")
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def head_commit(root: str) -> str:
    """Return the commit that is checked out; empty before the first commit."""
    head = _ref_value(root, "HEAD")
    return commit_of(root, head.removeprefix("ref: ")) if head.startswith("ref: ") else _valid_commit(head)


def commit_of(root: str, ref: str) -> str:
    """Return the commit that a full ref name points to; empty if the ref does not resolve."""
    for _ in range(_REFS_FOLLOWED_MAX):
        # Path traversal: a ref in an untrusted `.git` may only name another ref, not a file elsewhere.
        if not ref.startswith("refs/") or ".." in ref:
            return ""
        value = _ref_value(root, ref)
        if not value.startswith("ref: "):
            return _valid_commit(value)
        ref = value.removeprefix("ref: ")
    return ""


def default_branch(root: str) -> str:
    """Return the default branch: origin's HEAD, else main, master, trunk or develop, else the current branch."""
    named = _ref_value(root, "refs/remotes/origin/HEAD")
    if named.startswith("ref: refs/remotes/origin/"):
        return named.removeprefix("ref: refs/remotes/origin/")
    for name in ("main", "master", "trunk", "develop"):
        if commit_of(root, f"refs/heads/{name}") or commit_of(root, f"refs/remotes/origin/{name}"):
            return name
    return current_branch(root)


def default_commits(root: str) -> list[str]:
    """Return the commits of the default branch, local and at origin."""
    name = default_branch(root)
    commits = [commit_of(root, f"refs/heads/{name}"), commit_of(root, f"refs/remotes/origin/{name}")] if name else []
    return [commit for commit in dict.fromkeys(commits) if commit]


def branch_commits(root: str) -> list[str]:
    """Return the commits of HEAD and of all branches, local and remote, up to a limit; HEAD's is the first.

    In reftable format only HEAD and the default branch count.
    """
    common = common_dir(root)
    packed_lines = read_file(os.path.join(common, "packed-refs")).splitlines()
    packed = [line.partition(" ")[0] for line in packed_lines if " refs/heads/" in line or " refs/remotes/" in line]
    loose = [commit_of(root, ref) for kind in ("heads", "remotes") for ref in _list_loose_refs(common, f"refs/{kind}")]
    commits = [head_commit(root), *default_commits(root), *loose, *map(_valid_commit, packed)]
    return [commit for commit in dict.fromkeys(commits) if commit][:_TIPS_MAX]


def list_refs_named(root: str, part: str) -> list[str]:
    """Return the refs whose names contain a part such as `/holloway/`; empty in reftable format. Runs nothing."""
    common = common_dir(root)
    packed_lines = read_file(os.path.join(common, "packed-refs")).splitlines() if common else []
    packed = [line.partition(" ")[2] for line in packed_lines if not line.startswith("#")]
    loose = _list_loose_refs(common, "refs") if common else []
    return sorted({ref for ref in (*packed, *loose) if part in ref})


def _list_loose_refs(common: str, folder: str) -> list[str]:
    refs: list[str] = []
    for parent, _, names in os.walk(os.path.join(common, folder)):
        below = os.path.relpath(parent, common).replace(os.sep, "/")
        refs += [f"{below}/{name}" for name in names]
        if len(refs) > _TIPS_MAX:
            break
    return refs


def _ref_value(root: str, ref: str) -> str:
    """Return the value of a ref: a commit, or `ref: ` and the name of another ref; empty if it does not exist."""
    own_dir, common = git_dir(root), common_dir(root)
    if not own_dir:
        return ""
    if os.path.isdir(os.path.join(common, "reftable")):
        # In reftable format the ref files in their usual paths are placeholders.
        return read_table_ref(root, ref, _REF_TIMEOUT_S)
    value = read_file(os.path.join(own_dir, ref)).strip() or read_file(os.path.join(common, ref)).strip()
    return value if value.startswith("ref: ") or _valid_commit(value) else _packed_ref(common, ref)


def _packed_ref(common: str, ref: str) -> str:
    lines = read_file(os.path.join(common, "packed-refs")).splitlines()
    return next((_valid_commit(line.partition(" ")[0]) for line in lines if line.endswith(" " + ref)), "")


def _valid_commit(text: str) -> str:
    """Return the text if it is a commit hash, else an empty string."""
    return text if len(text) in (40, 64) and HEX_DIGITS.issuperset(text) else ""
