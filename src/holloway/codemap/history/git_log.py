"""Parses git log output: commit messages, changed files and renames. Everything is bounded and untrusted."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holloway import git
from holloway.config import PATH_CHARS_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES_PER_COMMIT_MAX = 50
"""Files. A larger commit is a move, a release or a reformatting and says nothing about co-change; below that, weights
that fall with the number of files suffice: limits of 50 and 100 give the same quality, 10 is worse on eight of nine
histories."""

SUBJECT_CHARS_MAX = 200
BODY_CHARS_MAX = 500
"""Characters that are stored and searched: the first 500 of a body find what 2,000 find."""

RENAME_COMMITS_MAX = 8_000
"""Commits that are searched to follow a file's renames."""

CHURN_MAX = 1_000_000
TIME_MAX_S = 1 << 40
"""Bounds on the values of a commit: changed lines, seconds since 1970."""

LIST_TIMEOUT_S = 30.0
LOG_TIMEOUT_S = 60.0
"""Timeouts in seconds for listing the commits and for reading them; results that arrive in time are used."""

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_RENAME_LIMIT = "-l1000"
# Options that keep a repository's configuration from changing git's output or running programs.
_PLAIN_OPTIONS = (
    *("--encoding=UTF-8", "--no-show-signature", "--no-notes", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--ignore-submodules=all", _RENAME_LIMIT),
)
# The files of a root commit were imported, not changed together; at the cut of a shallow clone they existed before.
_LOG_OPTIONS = ("-c", "log.showRoot=false")
_LOG_ARGUMENTS = (
    *("log", "--no-walk=unsorted", "--stdin", "-z"),
    *("--format=%x01%H%x00%ct%x00%s%x00%b", *_PLAIN_OPTIONS),
)


@dataclass(slots=True)
class Commit:
    """One commit: how many files it changed, and the changed lines of each, unless there are too many."""

    hash: str
    at: int
    subject: str
    body: str
    files: int = 0
    churn: dict[str, int] = field(default_factory=dict)
    renames: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class LogReading:
    """The requested commits that could be read, and the number of file names that could not."""

    commits: list[Commit] = field(default_factory=list)
    skipped_paths: int = 0
    is_complete: bool = True


def is_hash(text: str) -> bool:
    """Whether a text can only be a commit hash, never a command-line option."""
    return bool(_HASH.match(text))


def list_commits(root: str, *selection: str) -> list[str]:
    """Return the hashes of these commits, newest first, without merges."""
    lines = git.stream_git(root, "rev-list", "--no-merges", *selection, separator=b"\n", timeout_s=LIST_TIMEOUT_S)
    return [line.decode("ascii", "replace") for line in lines]


def list_paths_at(root: str, commit: str) -> Iterator[str]:
    """Yield the paths of all files in a commit."""
    records = git.stream_git(
        root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, timeout_s=LIST_TIMEOUT_S
    )
    return (name for record in records if (name := _decode_path(record)))


def read_commits(root: str, hashes: list[str], *, has_contents: bool, body_chars: int = BODY_CHARS_MAX) -> LogReading:
    """Read these commits, in this order; without contents, line counts and renames of edited files are missing."""
    reading = LogReading()
    if not hashes:
        return reading
    changes = ("--numstat", "-M") if has_contents else ("--name-status", "-M100%")
    stdin = "\n".join(hashes) + "\n"
    records = git.stream_git(
        root, *_LOG_ARGUMENTS, *changes, options=_LOG_OPTIONS, stdin=stdin, timeout_s=LOG_TIMEOUT_S
    )
    try:
        for record in records:
            if record.startswith(b"\x01"):
                reading.commits.append(_parse_commit(record, records, body_chars))
            elif reading.commits and record.strip(b"\n"):
                _parse_change(reading, record.lstrip(b"\n"), records)
    except git.GitInterrupted:
        del reading.commits[-1:]
        reading.is_complete = False
    return reading


def _parse_commit(record: bytes, records: Iterator[bytes], body_chars: int) -> Commit:
    at, subject, body = (next(records, b"").decode("utf-8", "replace") for _ in range(3))
    seconds = int(at) if at.isdecimal() else 0
    commit = record[1:].decode("ascii", "replace")
    return Commit(commit, min(seconds, TIME_MAX_S), subject[:SUBJECT_CHARS_MAX], body.strip()[:body_chars])


def _parse_change(reading: LogReading, record: bytes, records: Iterator[bytes]) -> None:
    """Parse one changed file: `3 TAB 1 TAB name` or `M NUL name`; for a rename, the two names follow."""
    commit = reading.commits[-1]
    added, _, tail = record.partition(b"\t")
    removed, is_counted, name = tail.partition(b"\t")
    old = next(records, b"") if (is_counted and not name) or record.startswith(b"R") else b""
    name = name or next(records, b"")
    commit.files += 1
    path, old_path = _decode_path(name), _decode_path(old)
    reading.skipped_paths += not path
    if path and old_path:
        commit.renames.append((old_path, path))
    if commit.files > FILES_PER_COMMIT_MAX:
        commit.churn.clear()
    elif path:
        lines = sum(int(number) for number in (added, removed) if number.isdigit())
        commit.churn[path] = min(lines, CHURN_MAX)


def _decode_path(name: bytes) -> str:
    """Decode a path; empty if it is not UTF-8 or too long."""
    try:
        path = name.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return path if len(path) <= PATH_CHARS_MAX else ""


def find_renames(root: Path, old: str, new: str) -> dict[str, str]:
    """Return the files of one commit that have another name in a later one, over any number of renames."""
    for similarity in ("-M", "-M100%") if is_hash(old) and is_hash(new) else ():
        with suppress(git.GitInterrupted):
            return _diff_renames(str(root), old, new, similarity)
    return {}


def _diff_renames(root: str, old: str, new: str, similarity: str) -> dict[str, str]:
    changes = _list_statuses(root, "diff-tree", "-r", similarity, old, new)
    renames = {was: name for status, was, name in changes if status == "R"}
    deleted = {name for status, _, name in changes if status == "D"}
    added = {name for status, _, name in changes if status == "A"}
    # A file that was renamed and then rewritten is not similar to its old version, but its rename commit shows it.
    return renames | (_follow_renames(root, f"{old}..{new}", similarity, deleted, added) if deleted and added else {})


def _follow_renames(root: str, span: str, similarity: str, deleted: set[str], added: set[str]) -> dict[str, str]:
    became: dict[str, str] = {}
    log_options = ("--topo-order", f"--max-count={RENAME_COMMITS_MAX}", "--format=", "--diff-filter=R")
    for _, old, name in _list_statuses(root, "log", "--no-merges", *log_options, *_PLAIN_OPTIONS, similarity, span):
        became.setdefault(old, name)
    ends = resolve_renames({old: name for old, name in became.items() if old not in added})
    return {old: ends[old] for old in deleted if ends.get(old) in added}


def _list_statuses(root: str, *arguments: str) -> list[tuple[str, str, str]]:
    """Return changed files as (status, old name if renamed, name); names that cannot be decoded are left out."""
    changes: list[tuple[str, str, str]] = []
    records = git.stream_git(root, *arguments, "-z", "--name-status", _RENAME_LIMIT, timeout_s=LIST_TIMEOUT_S)
    for record in records:
        status = record.strip(b"\n").decode("ascii", "replace")[:1]
        if status:
            old_name = next(records, b"") if status == "R" else b""
            name = _decode_path(next(records, b""))
            if name and (old_name == b"" or _decode_path(old_name)):
                changes.append((status, _decode_path(old_name), name))
    return changes


def resolve_renames(became: dict[str, str]) -> dict[str, str]:
    """Return the final name of each old name. Names in a cycle all map to the alphabetically first of them."""
    ends: dict[str, str] = {}
    for start in became:
        trail: list[str] = []
        position: dict[str, int] = {}
        name = start
        while name in became and name not in ends and name not in position:
            position[name] = len(trail)
            trail.append(name)
            name = became[name]
        end = min(trail[position[name] :]) if name in position else ends.get(name, name)
        ends.update(dict.fromkeys(trail, end))
    return {name: end for name, end in ends.items() if name != end}
