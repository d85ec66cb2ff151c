"""A checkout of one's own that a benchmark moves through a repository's history, with no way to see ahead.

It borrows the objects of the repository it is made from, and has no branch, tag, remote or reflog: a program that runs
git in it finds the commit that is checked out and what came before.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import machine

GIT_TIMEOUT_S = 600
SETTINGS = ("core.logAllRefUpdates=false", "gc.auto=0", "core.hooksPath=/dev/null", "core.autocrlf=false")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working tree that can be moved to any commit of the repository behind it."""

    root: Path

    def move(self, commit: str) -> None:
        """Check out a commit and discard the state of the working tree."""
        try:
            git(self.root, "checkout", "--quiet", "--force", "--detach", commit)
        except subprocess.CalledProcessError:
            self._move_in_part(commit)

    def _move_in_part(self, commit: str) -> None:
        """Check out what is there of a commit, because a clone may lack the largest files."""
        git(self.root, "update-ref", "--no-deref", "HEAD", commit)
        git(self.root, "read-tree", commit)
        options = ["git", "-C", os.fspath(self.root), "checkout-index", "-a", "-f", "-q"]
        subprocess.run(options, capture_output=True, check=False, timeout=GIT_TIMEOUT_S, env=machine.environment())
        if absent := [path for path in git(self.root, "ls-files", "-d", "-z").split("\0") if path]:
            git(self.root, "update-index", "--skip-worktree", "--", *absent)
        git(self.root, "clean", "-ffdxq")

    def stand(self, commit: str, branch: str, *, main: str) -> None:
        """Check out a commit as the tip of a branch, with a main branch and no other; without a name, no branch."""
        self.move(commit)
        for name in git(self.root, "for-each-ref", "--format=%(refname)", "refs/heads").split():
            git(self.root, "update-ref", "-d", name)
        git(self.root, "update-ref", "refs/heads/main", commit if branch == "main" else main)
        if branch:
            git(self.root, "checkout", "--quiet", "-B", branch)


@contextmanager
def checkout_of(repository: Path, root: Path) -> Iterator[Checkout]:
    """Make a checkout, or take over the one that an earlier run left; two runs at once would move each other's."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "--quiet")
    with (root / ".git" / "benchmark.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"Another run uses {root}; wait for it, or set TMPDIR to another folder.") from None
        objects = git(repository, "rev-parse", "--path-format=absolute", "--git-path", "objects")
        (root / ".git" / "objects" / "info").mkdir(exist_ok=True)
        (root / ".git" / "objects" / "info" / "alternates").write_text(objects, encoding="utf-8")
        for setting in SETTINGS:
            git(root, "config", *setting.split("="))
        yield Checkout(root)


def cache_folder() -> Path:
    """Folder of checkouts and of the baselines' scores between runs; it may be deleted at any time."""
    folder = Path(tempfile.gettempdir(), "holloway-benchmarks")
    folder.mkdir(exist_ok=True)
    return folder


def git(root: Path, *arguments: str) -> str:
    """Return the output of git; an error of git ends the benchmark."""
    command = ["git", "-C", os.fspath(root), *arguments]
    process = subprocess.run(command, capture_output=True, check=True, timeout=GIT_TIMEOUT_S, env=machine.environment())
    return process.stdout.decode("utf-8", "replace")
