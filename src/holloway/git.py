"""Git access: repository roots, origin, branches, commits, changed files, and whether a branch is merged.

The first half reads `.git` directly and imports only `os`, so that a hook finds its project without starting a
process; only refs in reftable format need git. The second half runs git with a timeout, and never through a shell.
"""

from __future__ import annotations

import os
import time

from holloway.config import GIT_TIMEOUT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

_READ_MAX = 1 << 20
_REFS_FOLLOWED_MAX = 5
"""Maximum number of symbolic refs to follow, as in git."""
_REF_TIMEOUT_S = 2.0
"""Timeout for resolving one ref, which a hook may do."""
_FILE_TYPE, _REGULAR_FILE = 0o170000, 0o100000
"""Values of the stat module, which the hook path does not import."""
_HEX = frozenset("0123456789abcdef")
_PIECE_BYTES_MAX = 1 << 16
_PATHS_MAX = 500
"""Maximum number of paths per git command, so that they fit into a command line."""

# An untrusted repository may bring configuration that runs programs; reading it needs none of that. Options that only
# some commands take (--no-ext-diff, --no-textconv) are given with those commands; see `changed_files` for filters.
_SAFE = (
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "credential.helper="),
    *("-c", "diff.submodule=short"),
    *("-c", "format.pretty=medium"),
    *("-c", "log.showSignature=false"),
    *("-c", "submodule.recurse=false"),
)

_FILTERS_MAX = 100
"""Maximum number of configured filter drivers; with more, the work tree is not compared."""

_PLAIN_DIFF = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")


class GitInterrupted(Exception):
    """Git failed, is missing or timed out: the output so far may be incomplete."""


def find_root(path: str) -> str:
    """Return the root of the working tree that contains a path; empty outside of git."""
    folder = os.path.realpath(path)
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def git_dir(root: str) -> str:
    """Return the git folder of a working tree; a worktree or submodule names it in a `.git` file."""
    dot_git = os.path.join(root, ".git")
    if os.path.isdir(dot_git):
        return dot_git
    named = _read_file(dot_git)
    if not named.startswith("gitdir:"):
        return ""
    return os.path.normpath(os.path.join(root, named[len("gitdir:") :].strip()))


def common_dir(root: str) -> str:
    """Return the git folder that all worktrees of a repository share."""
    own_dir = git_dir(root)
    named = _read_file(os.path.join(own_dir, "commondir")).strip() if own_dir else ""
    return os.path.normpath(os.path.join(own_dir, named)) if named else own_dir


def main_root(root: str) -> str:
    """Return the main working tree of the repository that a worktree belongs to."""
    common = common_dir(root)
    return os.path.dirname(common) if os.path.basename(common) == ".git" else root


def origin_url(root: str) -> str:
    """Return the normalised URL of the remote `origin`; empty without one."""
    section = ""
    for line in _read_file(os.path.join(common_dir(root), "config")).splitlines():
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


def _ref_value(root: str, ref: str) -> str:
    """Return the value of a ref: a commit, or `ref: ` and the name of another ref; empty if it does not exist."""
    own_dir, common = git_dir(root), common_dir(root)
    if not own_dir:
        return ""
    if os.path.isdir(os.path.join(common, "reftable")):
        # In reftable format the ref files in their usual paths are placeholders.
        target = run_git(root, "symbolic-ref", "--quiet", ref, timeout_s=_REF_TIMEOUT_S).strip()
        command = ("show-ref", "--verify", "--hash", ref)
        return f"ref: {target}" if target else run_git(root, *command, timeout_s=_REF_TIMEOUT_S).strip()
    value = _read_file(os.path.join(own_dir, ref)).strip() or _read_file(os.path.join(common, ref)).strip()
    return value if value.startswith("ref: ") or _valid_commit(value) else _packed_ref(common, ref)


def _packed_ref(common: str, ref: str) -> str:
    lines = _read_file(os.path.join(common, "packed-refs")).splitlines()
    return next((_valid_commit(line.split(" ", 1)[0]) for line in lines if line.endswith(" " + ref)), "")


def _valid_commit(text: str) -> str:
    """Return the text if it is a commit hash, else an empty string."""
    return text if len(text) in (40, 64) and _HEX.issuperset(text) else ""


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


def is_shallow(root: str) -> bool:
    """Return whether the repository is a shallow clone."""
    return os.path.exists(os.path.join(common_dir(root), "shallow"))


def shallow_commits(root: str) -> frozenset[str]:
    """Return the boundary commits of a shallow clone, whose diffs are not meaningful."""
    return frozenset(_read_file(os.path.join(common_dir(root), "shallow")).split())


def root_commits(root: str) -> list[str]:
    """Return the root commits of the history; empty for a shallow clone, which does not have them."""
    if not head_commit(root) or is_shallow(root):
        return []
    return sorted(run_git(root, "rev-list", "--max-parents=0", "HEAD").split())[:8]


def tracked_files(root: str, timeout_s: float = GIT_TIMEOUT_S, among: Sequence[str] = ()) -> list[str] | None:
    """List files that git tracks or would track, relative to the root; only those equal to or below `among`, if given.

    Return None if git fails.
    """
    command = ("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *among)
    code, listed = _run_process(root, command, "", timeout_s)
    return sorted({name for name in listed.split("\0") if name}) if code == 0 else None


def merge_base(root: str, first: str, second: str) -> str:
    """Return the merge base of two commits; empty if their histories are unrelated."""
    return run_git(root, "merge-base", first, second).strip()


def is_ancestor(root: str, older: str, newer: str) -> bool:
    """Return whether one commit is an ancestor of another."""
    return bool(older and newer) and run_succeeds(root, "merge-base", "--is-ancestor", older, newer)


def has_commit(root: str, commit: str) -> bool:
    """Return whether a repository has a commit."""
    return run_succeeds(root, "cat-file", "-e", f"{commit}^{{commit}}")


def count_churn(root: str, old: str, new: str, paths: list[str]) -> dict[str, tuple[int, int]] | None:
    """Count added and removed lines per file between two commits; None if git fails."""
    if not (_HEX.issuperset(old) and _HEX.issuperset(new) and has_commit(root, old)):
        return None
    command = ("--literal-pathspecs", "diff", "--numstat", "-z", *_PLAIN_DIFF, old, new, "--", *paths)
    code, output = _run_process(root, command, "", GIT_TIMEOUT_S)
    if code != 0:
        return None
    line_counts: dict[str, tuple[int, int]] = {}
    for row in output.split("\0"):
        added, _, fields = row.partition("\t")
        removed, _, path = fields.partition("\t")
        if added.isdigit() and removed.isdigit():
            line_counts[path] = (int(added), int(removed))
    return line_counts


def files_underway(root: str, timeout_s: float = GIT_TIMEOUT_S) -> list[str]:
    """List files of the current work: changed since this branch left the default branch, uncommitted ones included.

    The timeout covers all git commands together.
    """
    end = time.monotonic() + timeout_s
    head = head_commit(root)
    targets = default_commits(root) if head and current_branch(root) != default_branch(root) else []
    # The default branch may be outdated locally or at origin: merge-base picks the nearer one.
    base = run_git(root, "merge-base", head, *targets, timeout_s=timeout_s).strip() if targets else head
    if not base:
        return []
    return changed_files(root, base, max(end - time.monotonic(), 0.0)) or []


def changed_files(root: str, commit: str, timeout_s: float = GIT_TIMEOUT_S) -> list[str] | None:
    """List files of the work tree that differ from a commit, relative to the root; None if git fails.

    To compare contents, git runs the clean filters that the configuration and `.gitattributes` name together. An
    untrusted repository may bring both, so every configured filter is disabled.
    """
    end = time.monotonic() + timeout_s
    overrides = _filter_overrides(root, timeout_s)
    if overrides is None:
        return None
    question = (*overrides, "diff", "--name-only", "--relative", "-z", *_PLAIN_DIFF, commit, "--")
    code, listed = _run_process(root, question, "", max(end - time.monotonic(), 0.0))
    return [name for name in listed.split("\0") if name] if code == 0 else None


def _filter_overrides(root: str, timeout_s: float) -> list[str] | None:
    """Return options that disable every configured filter driver; None if one cannot be named in an option."""
    code, listed = _run_process(root, ("config", "--null", "--name-only", "--get-regexp", r"^filter\."), "", timeout_s)
    if code not in (0, 1):  # 1: no such key
        return None
    drivers = {key.partition(".")[2].rpartition(".")[0] for key in listed.split("\0") if key}
    if len(drivers) > _FILTERS_MAX or any("=" in driver for driver in drivers):
        return None
    off = ("clean=", "smudge=", "process=", "required=false")
    return [word for driver in sorted(drivers) for value in off for word in ("-c", f"filter.{driver}.{value}")]


_MESSAGE = "%H%x1f%B%x1e"
"""Log format: hash and message, with separators that no message contains."""


def commits_since(root: str, since: str, paths: list[str], limit: int = 50) -> list[tuple[str, str]]:
    """List commits of any branch since a time that touch these files: hash and message, newest first."""
    options = ("--all", "--no-merges", f"--since={since}", f"--max-count={limit}", f"--format={_MESSAGE}")
    return _parse_messages(run_git(root, "--literal-pathspecs", "log", *options, "--", *paths))


def changes_since(root: str, since: str, paths: list[str], limit: int = 50) -> list[str]:
    """List short hashes of commits of this branch since a time that touch these files."""
    options = ("--no-merges", f"--since={since}", f"--max-count={limit}", "--format=%h")
    return run_git(root, "--literal-pathspecs", "log", *options, "--", *paths).split()


def commits_between(root: str, old: str, new: str, limit: int = 500) -> list[tuple[str, str]]:
    """List commits from `old` to `new`, newest first: hash and message; without `old`, the latest ones."""
    span = f"{old}..{new}" if old and has_commit(root, old) else new
    return _parse_messages(run_git(root, "log", f"--max-count={limit}", f"--format={_MESSAGE}", span, "--"))


def _parse_messages(output: str) -> list[tuple[str, str]]:
    rows = (row.strip("\n").partition("\x1f") for row in output.split("\x1e"))
    return [(sha, message.strip()) for sha, mark, message in rows if mark]


def is_merged(root: str, fork: str, tip: str, target: str) -> bool:
    """Return whether the work from fork to tip is merged into the target: by ancestry, by patch id, or squashed."""
    if not tip or tip == fork:
        return False
    if is_ancestor(root, tip, target):
        return True
    if not fork or not run_succeeds(root, "cat-file", "-e", tip):
        return False
    cherries = run_git(root, "cherry", target, tip, fork).split("\n")
    marks = {line[:1] for line in cherries if line}
    return marks == {"-"} or _is_content_on(root, fork, tip, target) or _is_squashed(root, fork, tip, target)


def _is_content_on(root: str, fork: str, tip: str, target: str) -> bool:
    changed = [name for name in run_git(root, "diff", "--name-only", "-z", *_PLAIN_DIFF, fork, tip).split("\0") if name]
    portions = [changed[at : at + _PATHS_MAX] for at in range(0, len(changed), _PATHS_MAX)]
    same = ("--literal-pathspecs", "diff", "--quiet", *_PLAIN_DIFF, tip, target, "--")
    return bool(portions) and all(run_succeeds(root, *same, *some) for some in portions)


def _is_squashed(root: str, fork: str, tip: str, target: str) -> bool:
    patch_ids = _patch_ids(root, "diff", *_PLAIN_DIFF, fork, tip)
    log = ("log", "-p", "--format=commit %H", *_PLAIN_DIFF, "--no-merges", "-n", "500")
    return bool(patch_ids) and bool(patch_ids & _patch_ids(root, *log, f"{fork}..{target}"))


def _patch_ids(root: str, *arguments: str) -> set[str]:
    patch = run_git(root, *arguments)
    listed = run_git(root, "patch-id", "--stable", stdin=patch) if patch else ""
    return {line.split()[0] for line in listed.splitlines() if line}


def run_succeeds(root: str, *arguments: str) -> bool:
    """Return whether a git command exits with 0."""
    return _run_process(root, arguments, "", GIT_TIMEOUT_S)[0] == 0


def run_git(root: str, *arguments: str, stdin: str = "", timeout_s: float = GIT_TIMEOUT_S) -> str:
    """Run git and return its output; empty if it fails, is missing or times out."""
    code, output = _run_process(root, arguments, stdin, timeout_s)
    return output if code == 0 else ""


def stream_git(
    root: str, *arguments: str, stdin: str = "", separator: bytes = b"\0", timeout_s: float = GIT_TIMEOUT_S
) -> Iterator[bytes]:
    """Run git and yield its output in chunks, long chunks truncated. Raises Interrupted if git fails."""
    import subprocess  # the hook path reads files only
    from tempfile import TemporaryFile
    from threading import Timer

    try:
        # A file cannot block like a full pipe, so neither process waits for the other.
        with TemporaryFile() as input_file:
            input_file.write(stdin.encode("utf-8", "surrogateescape"))
            input_file.seek(0)
            process = subprocess.Popen(
                [_git_program(), *_SAFE, "-C", root, *arguments],
                stdin=input_file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_safe_environment(),
            )
    except (OSError, ValueError) as error:
        raise GitInterrupted(f"git cannot be started in {root}") from error
    deadline = Timer(timeout_s, process.kill)
    deadline.daemon = True
    deadline.start()
    with process:
        try:
            yield from _split_stream(process.stdout, separator)
            process.wait()
        finally:
            deadline.cancel()
            process.kill()
    if process.returncode != 0:
        raise GitInterrupted(f"git {arguments[0]} failed in {root}")


def _split_stream(output: IO[bytes] | None, separator: bytes) -> Iterator[bytes]:
    buffered = b""
    while output and (block := output.read(_PIECE_BYTES_MAX)):
        *complete_pieces, remainder = block.split(separator)
        for piece in complete_pieces:
            yield buffered + piece if buffered else piece
            buffered = b""
        buffered = (buffered + remainder)[:_PIECE_BYTES_MAX]
    if buffered:
        yield buffered


def _run_process(root: str, arguments: tuple[str, ...], stdin: str, timeout_s: float) -> tuple[int, str]:
    import subprocess  # the hook path reads files only

    try:
        completed = subprocess.run(
            [_git_program(), *_SAFE, "-C", root, *arguments],
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=timeout_s,
            env=_safe_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return -1, ""
    return completed.returncode, completed.stdout.decode("utf-8", "surrogateescape")


def _git_program() -> str:
    """Find git in the absolute folders of the PATH; a relative folder may be the untrusted project's.

    Raises FileNotFoundError if git is not installed.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(name)


def read_file_at(root: str, commit: str, path: str) -> str:
    """Return the text of a file in a commit, relative to the root; empty if it is not a file there.

    `git show` would print a submodule as a commit, using programs that the configuration may name.
    """
    return run_git(root, "cat-file", "blob", f"{commit}:./{path}")


def _safe_environment() -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # No network access: a partial clone would fetch missing objects from the URL in its configuration.
    overrides = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        # A random name: git would run the helper of any protocol that is allowed.
        "GIT_ALLOW_PROTOCOL": os.urandom(16).hex(),
    }
    return inherited | overrides | {"LC_ALL": "C"}


def _read_file(path: str) -> str:
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
