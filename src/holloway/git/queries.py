"""Questions about history and work tree that git answers: changed files, commits, and whether a branch is merged."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from functools import lru_cache
from itertools import islice

from holloway.config import GIT_TIMEOUT_S
from holloway.git.folders import common_dir, is_shallow
from holloway.git.refs import (
    HEX_DIGITS,
    branch_commits,
    commit_of,
    current_branch,
    default_branch,
    default_commits,
    head_commit,
)
from holloway.git.runner import (
    GitInterrupted,
    read_work_tree_options,
    run_command,
    run_git,
    run_succeeds,
    stream_git,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

_PATHS_MAX = 500
"""Maximum number of paths per git command, so that they fit into a command line."""
_ROOTS_MAX = 8
"""Maximum number of root commits by which a history is recognised."""
TREES_CACHED_MAX = 8
_MATCHES_READ_MAX = 100_000
_TEXTS_FOUND_MAX = 10
"""Maximum number of files whose texts one search returns."""
WORDS_SHARE_MIN = 0.6
"""Share of the words of a search that a file must have."""
_PLAIN_DIFF = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")


def root_commits(root: str) -> list[str]:
    """Return the root commits of the history; empty for a shallow clone, which does not have them."""
    head = head_commit(root)
    if not head or is_shallow(root):
        return []
    return sorted(run_git(root, "rev-list", "--max-parents=0", head).split())[:_ROOTS_MAX]


def tracked_files(root: str, timeout_s: float = GIT_TIMEOUT_S, among: Sequence[str] = ()) -> list[str] | None:
    """List files that git tracks or would track, relative to the root; only those equal to or below `among`, if given.

    Return None if git fails.
    """
    end = time.monotonic() + timeout_s
    options = read_work_tree_options(root, timeout_s)
    if options is None:
        return None
    command = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    excludes = os.path.join(common_dir(root), "info", "exclude")
    command += [f"--exclude-from={excludes}"] if os.path.isfile(excludes) else []
    left_s = max(end - time.monotonic(), 0.0)
    code, listed = run_command(root, [*command, "--", *among], options=options, timeout_s=left_s)
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
    if not (HEX_DIGITS.issuperset(old) and HEX_DIGITS.issuperset(new) and has_commit(root, old)):
        return None
    command = ("diff", "--numstat", "-z", *_PLAIN_DIFF, old, new, "--", *paths)
    code, output = run_command(root, command)
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
    return changed_files(root, base, max(end - time.monotonic(), 0.0)) or []


def changed_files(root: str, commit: str, timeout_s: float = GIT_TIMEOUT_S) -> list[str] | None:
    """List files of the work tree that differ from a commit, relative to the root; None if git fails.

    The timeout covers all git commands together.
    """
    end = time.monotonic() + timeout_s
    base = head_commit(root) if commit == "HEAD" else commit
    options = read_work_tree_options(root, timeout_s) if base else None
    if options is None:
        return None
    command = ("diff", "--name-only", "--relative", "-z", *_PLAIN_DIFF, base, "--")
    code, listed = run_command(root, command, options=options, timeout_s=max(end - time.monotonic(), 0.0))
    return [name for name in listed.split("\0") if name] if code == 0 else None


_MESSAGE = "%H%x1f%B%x1e"
"""Log format: hash and message, with separators that no message contains."""


def commits_since(root: str, since: str, paths: list[str], limit: int = 50) -> list[tuple[str, str]]:
    """List commits of any branch since a time that touch these files: hash and message, newest first."""
    options = ("--no-merges", f"--since={since}", f"--max-count={limit}", f"--format={_MESSAGE}")
    return _parse_messages(run_git(root, "log", *options, *branch_commits(root), "--", *paths))


def list_committed_since(root: str, since: str, paths: Sequence[str], start: str = "") -> set[str]:
    """List those of these files that a commit of any branch touched since a time and that are not changed again.

    Commits that `start` has already do not count.
    """
    options = ("--no-merges", f"--since={since}", "--format=", "--name-only", "-z")
    excluded = (f"^{start}",) if start and has_commit(root, start) else ()
    listed = run_git(root, "log", *options, *branch_commits(root), *excluded, "--", *paths)
    committed = {name.strip("\n") for name in listed.split("\0")} & set(paths)
    return committed - set(changed_files(root, head_commit(root)) or ()) if committed else set()


def changes_since(root: str, since: str, paths: list[str], limit: int = 50) -> list[str]:
    """List short hashes of commits of this branch since a time that touch these files."""
    head = head_commit(root)
    options = ("--no-merges", f"--since={since}", f"--max-count={limit}", "--format=%h")
    return run_git(root, "log", *options, head, "--", *paths).split() if head else []


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
    cherries = run_git(root, "cherry", target, tip, fork).split("\n")
    marks = {line[0] for line in cherries if line}
    return marks == {"-"} or _is_content_on(root, fork, tip, target) or _is_squashed(root, fork, tip, target)


def _is_content_on(root: str, fork: str, tip: str, target: str) -> bool:
    changed = [name for name in run_git(root, "diff", "--name-only", "-z", *_PLAIN_DIFF, fork, tip).split("\0") if name]
    portions = [changed[at : at + _PATHS_MAX] for at in range(0, len(changed), _PATHS_MAX)]
    same = ("diff", "--quiet", *_PLAIN_DIFF, tip, target, "--")
    return bool(portions) and all(run_succeeds(root, *same, *some) for some in portions)


def _is_squashed(root: str, fork: str, tip: str, target: str) -> bool:
    patch_ids = _patch_ids(root, "diff", *_PLAIN_DIFF, fork, tip)
    log = ("log", "-p", "--format=commit %H", *_PLAIN_DIFF, "--no-merges", "-n", "500")
    return bool(patch_ids) and bool(patch_ids & _patch_ids(root, *log, f"{fork}..{target}"))


def _patch_ids(root: str, *arguments: str) -> set[str]:
    patch = run_git(root, *arguments)
    listed = run_git(root, "patch-id", "--stable", stdin=patch) if patch else ""
    return {line.split()[0] for line in listed.splitlines() if line}


def read_file_at(root: str, commit: str, path: str) -> str:
    """Return the text of a file in a commit, relative to the root; empty if it is not a file there.

    `git show` would print a submodule as a commit.
    """
    base = head_commit(root) if commit == "HEAD" else commit
    return run_git(root, "cat-file", "blob", f"{base}:./{path}") if base else ""


_LINE_NUMBER = re.compile(r"\A\s*\d+(?:→|\t|: )")
"""A line number, as tools that read files print it."""


def has_lines_at(root: str, commit: str, path: str, text: str) -> bool:
    """Return whether a file has all lines of a text in a commit, by default the last one; line numbers are ignored."""
    content = read_file_at(root, commit or "HEAD", path)
    committed = {line.strip() for line in content.splitlines()} | {""}
    lines = [(line.strip(), _LINE_NUMBER.sub("", line).strip()) for line in text.splitlines()]
    return bool(content) and all(not committed.isdisjoint(spellings) for spellings in lines)


def list_committed_files(root: str, commit: str = "") -> list[str]:
    """List the files of a commit, by default the last one, relative to the root; empty if there is no such commit.

    Submodules are no files of it.
    """
    commit = commit or head_commit(root)
    listed = run_git(root, "ls-tree", "-r", "-z", commit) if commit else ""
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return [name for fields, _, name in entries if " commit " not in fields]


def list_accepted_files(root: str, commit: str) -> frozenset[str]:
    """List the files of a commit and of the remote's default branch, with their folders; without it, those of HEAD.

    Work after that commit counts only once the remote has it.
    """
    remote = commit_of(root, f"refs/remotes/origin/{default_branch(root)}")
    start = commit if commit and has_commit(root, commit) else head_commit(root)
    commits = {name for name in (start, remote) if name}
    return frozenset().union(*(_list_tree(root, name) for name in commits))


@lru_cache(maxsize=TREES_CACHED_MAX)
def _list_tree(root: str, commit: str) -> frozenset[str]:
    """List the files and folders of a commit; cached, because an import learns from many sessions of one commit."""
    files = list_committed_files(root, commit)
    folders = {name[:at] for name in files for at, char in enumerate(name) if char == "/"}
    return frozenset(folders.union(files))


def list_files_with(root: str, commit: str, text: str, timeout_s: float = GIT_TIMEOUT_S) -> list[str] | None:
    """List the files of a commit that have a text, relative to the root; None if git fails or takes too long."""
    options = ("--files-with-matches", "--null", "-I", "--fixed-strings", "--no-recurse-submodules")
    code, output = run_command(root, ("grep", *options, "-e", text, commit, "--"), timeout_s=timeout_s)
    if code not in (0, 1):  # 1: no file has it
        return None
    return [name.removeprefix(f"{commit}:") for name in output.split("\0") if name]


def list_files_with_each(
    root: str, commit: str, texts: Sequence[str], timeout_s: float = GIT_TIMEOUT_S
) -> dict[str, set[str]]:
    """List the files of a commit that have each of some texts, in one search of the tree.

    A text is left out if nothing has it, or if it only overlaps with others; all are if git fails or takes too long.
    """
    options = ("--only-matching", "--null", "-I", "--fixed-strings", "--no-recurse-submodules")
    patterns = [item for text in texts for item in ("-e", text)]
    matches: dict[str, set[str]] = {}
    try:
        lines = stream_git(root, "grep", *options, *patterns, commit, "--", separator=b"\n", timeout_s=timeout_s)
        for count, line in enumerate(lines):
            if count >= _MATCHES_READ_MAX:
                return {}
            name, _, text = line.decode("utf-8", "replace").removeprefix(f"{commit}:").partition("\0")
            matches.setdefault(text, set()).add(name)
    except GitInterrupted:
        return {}
    for text in texts:  # where one text is a part of another, git prints the longer one only
        longer = [files for other, files in matches.items() if text in other]
        if longer:
            matches[text] = set().union(*longer)
    return {text: matches[text] for text in texts if text in matches}


def find_texts_with(root: str, commit: str, words: Sequence[str], accepted: Container[str]) -> Iterator[str]:
    """Yield the texts of accepted files that have most of some words in a commit, those with most of them first."""
    commit = commit if commit and has_commit(root, commit) else head_commit(root)
    if not commit or not words:
        return
    options = ("--only-matching", "--null", "-I", "-i", "--fixed-strings", "--no-recurse-submodules")
    patterns = [item for word in words for item in ("-e", word)]
    matches: dict[str, set[str]] = {}
    with suppress(GitInterrupted):  # no match, or too many for the timeout
        lines = stream_git(root, "grep", *options, *patterns, commit, "--", separator=b"\n")
        for line in islice(lines, _MATCHES_READ_MAX):
            name, _, word = line.decode("utf-8", "replace").removeprefix(f"{commit}:").partition("\0")
            matches.setdefault(name, set()).add(word.lower())
    names = [name for name in matches if len(matches[name]) >= WORDS_SHARE_MIN * len(words) and name in accepted]
    for name in sorted(names, key=lambda name: (-len(matches[name]), name))[:_TEXTS_FOUND_MAX]:
        yield read_file_at(root, commit, name)


def read_files_at(root: str, commit: str, paths: Sequence[str]) -> str:
    """Return the texts of some files in a commit, by default the last one, one after the other.

    One process reads them all; a file that is binary or not there gives nothing.
    """
    commit = commit if commit and has_commit(root, commit) else head_commit(root)
    if not commit or not paths:
        return ""
    return run_git(root, "grep", "-h", "-I", "-e", "", commit, "--", *paths)


def find_commit_before(root: str, commit: str, moment: str) -> str:
    """Return the last commit up to a moment in the history of a commit; empty if there is none."""
    return run_git(root, "rev-list", "-1", f"--before={moment}", commit, "--").strip()
