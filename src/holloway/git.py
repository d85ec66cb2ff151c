"""What we ask of git: roots, identity, history, merged or not.

The first half reads `.git` directly and loads nothing but `os`, so that a hook can find its project without
starting a process; only refs that are kept in tables are left to git. The second half runs git, with a time limit, and
never through a shell.
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
"""How often a ref may name another, as git has it."""
_REF_TIMEOUT_S = 2.0
"""Seconds for a question about one ref, which a hook may ask."""
_FILE_TYPE, _REGULAR_FILE = 0o170000, 0o100000
"""As the stat module has them, which the hook path does not load."""
_HEX = frozenset("0123456789abcdef")
_PIECE_BYTES_MAX = 1 << 16
_PATHS_MAX = 500
"""Paths that git is asked about at once, so that a command line holds them."""

# A repository may bring configuration that runs programs; none of it is needed to read it. Options that only some
# commands take (--no-ext-diff, --no-textconv) stand with those commands, and clean filters in `changed_files`.
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
"""Filter drivers that a repository may configure before its work tree is no longer compared."""

_PLAIN_DIFF = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")


class Interrupted(Exception):
    """Git failed, is missing or took too long: what came before may be a part."""


def find_root(path: str) -> str:
    """The working tree that holds the path, or an empty string outside of git."""
    folder = os.path.realpath(path)
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def git_dir(root: str) -> str:
    """The git folder of a working tree; a worktree or submodule names it in a `.git` file."""
    dot_git = os.path.join(root, ".git")
    if os.path.isdir(dot_git):
        return dot_git
    named = _read(dot_git)
    if not named.startswith("gitdir:"):
        return ""
    return os.path.normpath(os.path.join(root, named[len("gitdir:") :].strip()))


def common_dir(root: str) -> str:
    """The git folder that all worktrees of a repository share."""
    own = git_dir(root)
    named = _read(os.path.join(own, "commondir")).strip() if own else ""
    return os.path.normpath(os.path.join(own, named)) if named else own


def main_root(root: str) -> str:
    """The repository's first working tree, where a worktree was made from."""
    common = common_dir(root)
    return os.path.dirname(common) if os.path.basename(common) == ".git" else root


def origin(root: str) -> str:
    """The address of `origin`, normalised, or an empty string."""
    section = ""
    for line in _read(os.path.join(common_dir(root), "config")).splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section == '[remote "origin"]' and line.replace(" ", "").startswith("url="):
            return normalised_origin(line.split("=", 1)[1].strip().strip('"'), root)
    return ""


def normalised_origin(url: str, root: str = "") -> str:
    """`git@github.com:A/b.git`, `https://user@github.com/a/b` and `ssh://git@github.com/a/b` are one place."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme != "file":
        host, _, path = rest.partition("?")[0].partition("#")[0].partition("/")
        host = host.rpartition("@")[2]
        host = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    elif not separator and ":" in url and "/" not in url.partition(":")[0] and len(url.partition(":")[0]) > 1:
        host, _, path = url.partition(":")
        host = host.rpartition("@")[2]
    else:
        local = os.path.expanduser(rest if separator else url)
        return os.path.realpath(os.path.join(root, local))
    path = path.strip("/")
    return f"{host}/{path.removesuffix('.git')}".lower()


def branch(root: str) -> str:
    """The branch that is checked out; empty when none is (a detached head, no git)."""
    head = _held(root, "HEAD")
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def head_commit(root: str) -> str:
    """The commit that is checked out; empty before the first one."""
    head = _held(root, "HEAD")
    return commit_of(root, head.removeprefix("ref: ")) if head.startswith("ref: ") else _commit(head)


def commit_of(root: str, ref: str) -> str:
    """The commit that a full ref name points to; empty where that is no commit."""
    for _ in range(_REFS_FOLLOWED_MAX):
        # A repository may come with any `.git`: what a ref names is a ref, not a file elsewhere.
        if not ref.startswith("refs/") or ".." in ref:
            return ""
        found = _held(root, ref)
        if not found.startswith("ref: "):
            return _commit(found)
        ref = found.removeprefix("ref: ")
    return ""


def _held(root: str, ref: str) -> str:
    """What a ref holds: a commit, or `ref: ` and the name of another."""
    own, common = git_dir(root), common_dir(root)
    if not own:
        return ""
    if os.path.isdir(os.path.join(common, "reftable")):
        # Refs in git's newer format lie in tables, and the files in their old places lead nowhere.
        named = run(root, "symbolic-ref", "--quiet", ref, timeout_s=_REF_TIMEOUT_S).strip()
        asked = ("show-ref", "--verify", "--hash", ref)
        return f"ref: {named}" if named else run(root, *asked, timeout_s=_REF_TIMEOUT_S).strip()
    found = _read(os.path.join(own, ref)).strip() or _read(os.path.join(common, ref)).strip()
    return found if found.startswith("ref: ") or _commit(found) else _packed(common, ref)


def _packed(common: str, ref: str) -> str:
    lines = _read(os.path.join(common, "packed-refs")).splitlines()
    return next((_commit(line.split(" ", 1)[0]) for line in lines if line.endswith(" " + ref)), "")


def _commit(text: str) -> str:
    """The text, if it is the hash of a commit."""
    return text if len(text) in (40, 64) and _HEX.issuperset(text) else ""


def default_branch(root: str) -> str:
    """The branch that others merge into: what origin says, else main or master, else the current one."""
    named = _held(root, "refs/remotes/origin/HEAD")
    if named.startswith("ref: refs/remotes/origin/"):
        return named.removeprefix("ref: refs/remotes/origin/")
    for name in ("main", "master", "trunk", "develop"):
        if commit_of(root, f"refs/heads/{name}") or commit_of(root, f"refs/remotes/origin/{name}"):
            return name
    return branch(root)


def default_commits(root: str) -> list[str]:
    """Where the default branch stands, here and at origin."""
    name = default_branch(root)
    found = [commit_of(root, f"refs/heads/{name}"), commit_of(root, f"refs/remotes/origin/{name}")] if name else []
    return [commit for commit in dict.fromkeys(found) if commit]


def is_shallow(root: str) -> bool:
    """Whether the history was cut when it was cloned."""
    return os.path.exists(os.path.join(common_dir(root), "shallow"))


def shallow_commits(root: str) -> frozenset[str]:
    """The commits where a shallow history was cut: what they seem to add was there before."""
    return frozenset(_read(os.path.join(common_dir(root), "shallow")).split())


def root_commits(root: str) -> list[str]:
    """The first commits of the history; none for a shallow clone, whose first commit is not the real one."""
    if not head_commit(root) or is_shallow(root):
        return []
    return sorted(run(root, "rev-list", "--max-parents=0", "HEAD").split())[:8]


def tracked_files(root: str, timeout_s: float = GIT_TIMEOUT_S, among: Sequence[str] = ()) -> list[str] | None:
    """Files that git tracks or would track, relative to the root, or of them those that are, or lie in, some names.

    None where git cannot say.
    """
    asked = ("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *among)
    code, listed = _start(root, asked, "", timeout_s)
    return sorted({name for name in listed.split("\0") if name}) if code == 0 else None


def merge_base(root: str, one: str, other: str) -> str:
    """The commit where two lines of history part."""
    return run(root, "merge-base", one, other).strip()


def is_ancestor(root: str, older: str, newer: str) -> bool:
    """Whether one commit lies in the history of another."""
    return bool(older and newer) and succeeds(root, "merge-base", "--is-ancestor", older, newer)


def has_commit(root: str, commit: str) -> bool:
    """Whether a repository holds a commit at all."""
    return succeeds(root, "cat-file", "-e", f"{commit}^{{commit}}")


def churn(root: str, old: str, new: str, paths: list[str]) -> dict[str, tuple[int, int]] | None:
    """Lines that were added and removed in some files between two commits; None where git cannot say."""
    if not (_HEX.issuperset(old) and _HEX.issuperset(new) and has_commit(root, old)):
        return None
    asked = ("--literal-pathspecs", "diff", "--numstat", "-z", *_PLAIN_DIFF, old, new, "--", *paths)
    code, said = _start(root, asked, "", GIT_TIMEOUT_S)
    if code != 0:
        return None
    found: dict[str, tuple[int, int]] = {}
    for row in said.split("\0"):
        added, _, rest = row.partition("\t")
        removed, _, path = rest.partition("\t")
        if added.isdigit() and removed.isdigit():
            found[path] = (int(added), int(removed))
    return found


def underway(root: str, timeout_s: float = GIT_TIMEOUT_S) -> list[str]:
    """Files that differ from where this branch left the default one; what is not committed yet is one of them.

    The time limit is for all that git is asked here.
    """
    end = time.monotonic() + timeout_s
    head = head_commit(root)
    targets = default_commits(root) if head and branch(root) != default_branch(root) else []
    # Of where the default branch stands here and at origin, the nearer one counts: either may be out of date.
    base = run(root, "merge-base", head, *targets, timeout_s=timeout_s).strip() if targets else head
    if not base:
        return []
    return changed_files(root, base, max(end - time.monotonic(), 0.0)) or []


def changed_files(root: str, commit: str, timeout_s: float = GIT_TIMEOUT_S) -> list[str] | None:
    """List files of the work tree that differ from a commit, relative to the root; None where git cannot say.

    To compare contents, git runs the clean filters that the configuration and `.gitattributes` name together. A
    repository may bring both, so each configured filter is replaced by none.
    """
    end = time.monotonic() + timeout_s
    overrides = _filter_overrides(root, timeout_s)
    if overrides is None:
        return None
    question = (*overrides, "diff", "--name-only", "--relative", "-z", *_PLAIN_DIFF, commit, "--")
    code, listed = _start(root, question, "", max(end - time.monotonic(), 0.0))
    return [name for name in listed.split("\0") if name] if code == 0 else None


def _filter_overrides(root: str, timeout_s: float) -> list[str] | None:
    """Options that switch every configured filter driver off; None where one cannot be named in an option."""
    code, listed = _start(root, ("config", "--null", "--name-only", "--get-regexp", r"^filter\."), "", timeout_s)
    if code not in (0, 1):  # 1: no such key
        return None
    drivers = {key.partition(".")[2].rpartition(".")[0] for key in listed.split("\0") if key}
    if len(drivers) > _FILTERS_MAX or any("=" in driver for driver in drivers):
        return None
    off = ("clean=", "smudge=", "process=", "required=false")
    return [word for driver in sorted(drivers) for value in off for word in ("-c", f"filter.{driver}.{value}")]


_MESSAGE = "%H%x1f%B%x1e"
"""A commit's hash and message, with marks between that no message holds."""


def commits_since(root: str, since: str, paths: list[str], limit: int = 50) -> list[tuple[str, str]]:
    """Commits of any branch after a moment that touch some of these files: hash and message, newest first."""
    asked = ("--all", "--no-merges", f"--since={since}", f"--max-count={limit}", f"--format={_MESSAGE}")
    return _messages(run(root, "--literal-pathspecs", "log", *asked, "--", *paths))


def changes_since(root: str, since: str, paths: list[str], limit: int = 50) -> list[str]:
    """Commits of this branch after a moment that touch some of these files, by their short hashes."""
    asked = ("--no-merges", f"--since={since}", f"--max-count={limit}", "--format=%h")
    return run(root, "--literal-pathspecs", "log", *asked, "--", *paths).split()


def commits_between(root: str, old: str, new: str, limit: int = 500) -> list[tuple[str, str]]:
    """Commits from one to another, newest first: hash and message; without the first, the latest up to a limit."""
    span = f"{old}..{new}" if old and has_commit(root, old) else new
    return _messages(run(root, "log", f"--max-count={limit}", f"--format={_MESSAGE}", span, "--"))


def _messages(said: str) -> list[tuple[str, str]]:
    rows = (row.strip("\n").partition("\x1f") for row in said.split("\x1e"))
    return [(sha, message.strip()) for sha, mark, message in rows if mark]


def is_merged(root: str, fork: str, tip: str, target: str) -> bool:
    """Whether the work between fork and tip has reached the target: by ancestry, by patch, or squashed."""
    if not tip or tip == fork:
        return False
    if is_ancestor(root, tip, target):
        return True
    if not fork or not succeeds(root, "cat-file", "-e", tip):
        return False
    cherries = run(root, "cherry", target, tip, fork).split("\n")
    marks = {line[:1] for line in cherries if line}
    return marks == {"-"} or _content_is_on(root, fork, tip, target) or _squashed(root, fork, tip, target)


def _content_is_on(root: str, fork: str, tip: str, target: str) -> bool:
    changed = [name for name in run(root, "diff", "--name-only", "-z", *_PLAIN_DIFF, fork, tip).split("\0") if name]
    portions = [changed[at : at + _PATHS_MAX] for at in range(0, len(changed), _PATHS_MAX)]
    same = ("--literal-pathspecs", "diff", "--quiet", *_PLAIN_DIFF, tip, target, "--")
    return bool(portions) and all(succeeds(root, *same, *some) for some in portions)


def _squashed(root: str, fork: str, tip: str, target: str) -> bool:
    whole = _patch_ids(root, "diff", *_PLAIN_DIFF, fork, tip)
    log = ("log", "-p", "--format=commit %H", *_PLAIN_DIFF, "--no-merges", "-n", "500")
    return bool(whole) and bool(whole & _patch_ids(root, *log, f"{fork}..{target}"))


def _patch_ids(root: str, *arguments: str) -> set[str]:
    patch = run(root, *arguments)
    listed = run(root, "patch-id", "--stable", stdin=patch) if patch else ""
    return {line.split()[0] for line in listed.splitlines() if line}


def succeeds(root: str, *arguments: str) -> bool:
    """Whether git answers the question with yes."""
    return _start(root, arguments, "", GIT_TIMEOUT_S)[0] == 0


def run(root: str, *arguments: str, stdin: str = "", timeout_s: float = GIT_TIMEOUT_S) -> str:
    """What git prints; empty when it fails, is missing or takes too long."""
    code, output = _start(root, arguments, stdin, timeout_s)
    return output if code == 0 else ""


def stream(
    root: str, *arguments: str, stdin: str = "", separator: bytes = b"\0", timeout_s: float = GIT_TIMEOUT_S
) -> Iterator[bytes]:
    """What git prints, piece by piece as it comes, long pieces cut; raises at the end of what is not whole."""
    import subprocess  # the hook path reads files only
    from tempfile import TemporaryFile
    from threading import Timer

    try:
        # A file cannot fill up as a pipe does, whichever of the two processes is slower.
        with TemporaryFile() as given:
            given.write(stdin.encode("utf-8", "surrogateescape"))
            given.seek(0)
            process = subprocess.Popen(
                [_program(), *_SAFE, "-C", root, *arguments],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
    except (OSError, ValueError) as error:
        raise Interrupted(f"git cannot be started in {root}") from error
    deadline = Timer(timeout_s, process.kill)
    deadline.daemon = True
    deadline.start()
    with process:
        try:
            yield from _pieces(process.stdout, separator)
            process.wait()
        finally:
            deadline.cancel()
            process.kill()
    if process.returncode != 0:
        raise Interrupted(f"git {arguments[0]} did not end well in {root}")


def _pieces(output: IO[bytes] | None, separator: bytes) -> Iterator[bytes]:
    held = b""
    while output and (block := output.read(_PIECE_BYTES_MAX)):
        *whole, rest = block.split(separator)
        for piece in whole:
            yield held + piece if held else piece
            held = b""
        held = (held + rest)[:_PIECE_BYTES_MAX]
    if held:
        yield held


def _start(root: str, arguments: tuple[str, ...], stdin: str, timeout_s: float) -> tuple[int, str]:
    import subprocess  # the hook path reads files only

    try:
        done = subprocess.run(
            [_program(), *_SAFE, "-C", root, *arguments],
            input=stdin.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=timeout_s,
            env=_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return -1, ""
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")


def _program() -> str:
    """Find git on the absolute folders of the PATH; a relative one, or on Windows the current folder, is the project's.

    Raises OSError where there is none.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(name)


def file_at(root: str, commit: str, path: str) -> str:
    """The text of a file in a commit, relative to the root; empty where it is no file there.

    `git show` would show a submodule's entry as a commit, through whatever the configuration names for that.
    """
    return run(root, "cat-file", "blob", f"{commit}:./{path}")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Nor may it reach out: a partial clone would fetch what is missing, from wherever its configuration says.
    still = {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        # A name that no repository can guess: git would run a helper, or an alias, of any protocol that is allowed.
        "GIT_ALLOW_PROTOCOL": os.urandom(16).hex(),
    }
    return kept | still | {"LC_ALL": "C"}


def _read(path: str) -> str:
    try:
        # A pipe in the place of a file would hold up whoever opens it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):  # A repository may name a file that no disk can hold.
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
