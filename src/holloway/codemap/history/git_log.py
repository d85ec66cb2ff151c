"""Commits as git tells them: message, changed files, renames. All of it is bounded, none of it believed to be tidy."""

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
"""Files. A larger commit is a move, a release or a reformatting, and ties nothing together; below, a share that falls
with the number of files does the work: caps of 50 and 100 measure alike, one of 10 loses on eight of nine histories."""

SUBJECT_CHARS_MAX = 200
BODY_CHARS_MAX = 500
"""Characters that are kept and searched: the first 500 of a body find what 2,000 find."""

STEPS_MAX = 8_000
"""Commits that are looked through to follow a file from one name to the next."""

CHURN_MAX = 1_000_000
TIME_MAX_S = 1 << 40
"""Bounds on what a commit may claim: changed lines, seconds since 1970."""

LIST_TIMEOUT_S = 30.0
LOG_TIMEOUT_S = 60.0
"""Seconds for listing the commits and for reading them; what came in time is kept."""

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_RENAME_LIMIT = "-l1000"
# What a repository's configuration could otherwise change in what git prints, or make it run.
_PLAIN = (
    *("--encoding=UTF-8", "--no-show-signature", "--no-notes", "--no-color", "--no-ext-diff", "--no-textconv"),
    *("--ignore-submodules=all", _RENAME_LIMIT),
)
# What a first commit holds was brought in, not changed together; where a shallow history is cut, it was there before.
_LOG = (
    *("-c", "log.showRoot=false", "log", "--no-walk=unsorted", "--stdin", "-z"),
    *("--format=%x01%H%x00%ct%x00%s%x00%b", *_PLAIN),
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
class Reading:
    """What could be read of the commits that were asked for, and the file names that could not."""

    commits: list[Commit] = field(default_factory=list)
    skipped_paths: int = 0
    is_whole: bool = True


def is_hash(text: str) -> bool:
    """Whether this can only be the name of a commit, never an option."""
    return bool(_HASH.match(text))


def listed(root: str, *which: str) -> list[str]:
    """The names of these commits, newest first; a merge is no work of its own."""
    pieces = git.stream(root, "rev-list", "--no-merges", *which, separator=b"\n", timeout_s=LIST_TIMEOUT_S)
    return [piece.decode("ascii", "replace") for piece in pieces]


def names_at(root: str, commit: str) -> Iterator[str]:
    """The files that a commit holds."""
    pieces = git.stream(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, timeout_s=LIST_TIMEOUT_S)
    return (name for piece in pieces if (name := _path(piece)))


def read(root: str, hashes: list[str], *, has_contents: bool) -> Reading:
    """These commits, in this order; without contents, no changed lines and only files that moved unchanged."""
    reading = Reading()
    if not hashes:
        return reading
    changes = ("--numstat", "-M") if has_contents else ("--name-status", "-M100%")
    pieces = git.stream(root, *_LOG, *changes, stdin="\n".join(hashes) + "\n", timeout_s=LOG_TIMEOUT_S)
    try:
        for piece in pieces:
            if piece.startswith(b"\x01"):
                reading.commits.append(_begun(piece, pieces))
            elif reading.commits and piece.strip(b"\n"):
                _add_change(reading, piece.lstrip(b"\n"), pieces)
    except git.Interrupted:
        del reading.commits[-1:]
        reading.is_whole = False
    return reading


def _begun(piece: bytes, pieces: Iterator[bytes]) -> Commit:
    at, subject, body = (next(pieces, b"").decode("utf-8", "replace") for _ in range(3))
    seconds = int(at) if at.isdecimal() else 0
    commit = piece[1:].decode("ascii", "replace")
    return Commit(commit, min(seconds, TIME_MAX_S), subject[:SUBJECT_CHARS_MAX], body.strip()[:BODY_CHARS_MAX])


def _add_change(reading: Reading, piece: bytes, pieces: Iterator[bytes]) -> None:
    """One changed file: `3 TAB 1 TAB name` or `M NUL name`; of a rename, the two names follow."""
    commit = reading.commits[-1]
    added, _, rest = piece.partition(b"\t")
    removed, is_counted, name = rest.partition(b"\t")
    old = next(pieces, b"") if (is_counted and not name) or piece.startswith(b"R") else b""
    name = name or next(pieces, b"")
    commit.files += 1
    path, old_path = _path(name), _path(old)
    reading.skipped_paths += not path
    if path and old_path:
        commit.renames.append((old_path, path))
    if commit.files > FILES_PER_COMMIT_MAX:
        commit.churn.clear()
    elif path:
        lines = sum(int(number) for number in (added, removed) if number.isdigit())
        commit.churn[path] = min(lines, CHURN_MAX)


def _path(name: bytes) -> str:
    """A name that can be written down, else nothing."""
    try:
        path = name.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return path if len(path) <= PATH_CHARS_MAX else ""


def renames_between(root: Path, old: str, new: str) -> dict[str, str]:
    """The files of one commit that have another name in a later one, however many steps it took."""
    for likeness in ("-M", "-M100%") if is_hash(old) and is_hash(new) else ():
        with suppress(git.Interrupted):
            return _renames(str(root), old, new, likeness)
    return {}


def _renames(root: str, old: str, new: str, likeness: str) -> dict[str, str]:
    whole = _statuses(root, "diff-tree", "-r", likeness, old, new)
    found = {was: name for status, was, name in whole if status == "R"}
    gone = {name for status, _, name in whole if status == "D"}
    come = {name for status, _, name in whole if status == "A"}
    # What was renamed and then rewritten is no longer like its old self, but the commit of the rename shows it.
    return found | (_followed(root, f"{old}..{new}", likeness, gone, come) if gone and come else {})


def _followed(root: str, span: str, likeness: str, gone: set[str], come: set[str]) -> dict[str, str]:
    became: dict[str, str] = {}
    newest_first = ("--topo-order", f"--max-count={STEPS_MAX}", "--format=", "--diff-filter=R")
    for _, was, name in _statuses(root, "log", "--no-merges", *newest_first, *_PLAIN, likeness, span):
        became.setdefault(was, name)
    ends = ends_of({was: name for was, name in became.items() if was not in come})
    return {was: ends[was] for was in gone if ends.get(was) in come}


def _statuses(root: str, *arguments: str) -> list[tuple[str, str, str]]:
    """Changed files as (status, old name where there is one, name); names that cannot be written down are left out."""
    found: list[tuple[str, str, str]] = []
    pieces = git.stream(root, *arguments, "-z", "--name-status", _RENAME_LIMIT, timeout_s=LIST_TIMEOUT_S)
    for piece in pieces:
        status = piece.strip(b"\n").decode("ascii", "replace")[:1]
        if status:
            was = next(pieces, b"") if status == "R" else b""
            name = _path(next(pieces, b""))
            if name and (was == b"" or _path(was)):
                found.append((status, _path(was), name))
    return found


def ends_of(became: dict[str, str]) -> dict[str, str]:
    """Where each old name leads in the end. Names that lead in a circle all stand for the first of them."""
    ends: dict[str, str] = {}
    for start in became:
        trail: list[str] = []
        place: dict[str, int] = {}
        name = start
        while name in became and name not in ends and name not in place:
            place[name] = len(trail)
            trail.append(name)
            name = became[name]
        end = min(trail[place[name] :]) if name in place else ends.get(name, name)
        ends.update(dict.fromkeys(trail, end))
    return {name: end for name, end in ends.items() if name != end}
