"""Branches of a session: which branch is checked out, and which branches and commits hold the work of others.

Forks, pull requests and other people's unmerged branches are foreign. The branches that the session started on or made
itself and the default branches are the project's own.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from holloway.data import load_table
from holloway.observer.fetches import ADDRESS
from holloway.observer.written_files import names_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holloway.text.commands import Step

_DEFAULT_BRANCHES = frozenset(load_table("carriers")["default_branches"])
_CHECKOUTS = frozenset({"git checkout", "git switch", "git restore"})
_REVISION_END = re.compile(r"[:^~]|@\{")
_COMMIT_HASH = re.compile(r"[0-9a-f]{7,64}")
_PULL_REFERENCE = re.compile(r"(?:^\+?|/)(?:pull|merge-requests|pr)/|FETCH_HEAD")
_VALUE_OPTIONS = frozenset(
    "-n -S -G -L -m -C -U --author --committer --grep --since --until --after --before --format --pretty --max-count "
    "--skip --date --source -s --message".split()
)


class SessionBranches:
    """Follows the git commands of one session, in order."""

    def __init__(self, branch: str = "", is_tracked: Callable[[str], bool] | None = None) -> None:
        self._is_tracked = is_tracked
        self._own_branches = {"", "HEAD", "@", "ORIG_HEAD", "stash", branch}
        self._forks: set[str] = set()
        self.has_fetched = False
        """Whether commits of others may have arrived in the history."""
        self.foreign_checkout = ""
        """The source of the checked out files while they are the work of others, else an empty string."""

    def follow_step(self, step: Step) -> None:
        """Follow what a git command fetches, checks out or merges."""
        subcommand = step.program.partition(" ")[2]
        words = list_operands(step)
        if subcommand in ("fetch", "pull"):
            self._follow_fetch(words, is_pull=subcommand == "pull")
        elif subcommand == "remote" and words[:1] == ["add"]:
            self._forks.update(words[1:2])
        elif step.program in _CHECKOUTS and not _restores_files(step):
            self._follow_checkout(words)
        elif subcommand in ("merge", "rebase", "cherry-pick", "am"):
            merged = next(filter(self._is_fork, _list_revisions(step)), "")
            if merged:
                self.foreign_checkout = self.foreign_checkout or f"branch of others: {merged}"

    def _follow_fetch(self, words: list[str], *, is_pull: bool) -> None:
        self.has_fetched = True
        forks = [word for word in words if self._is_fork(word) or _is_address(word)]
        if words[:1] and words[0] != "origin":
            self._forks.update({"FETCH_HEAD", words[0]})
        pulled = [word for word in words[1:] if _PULL_REFERENCE.search(word)]
        self._forks.update(name for word in pulled if ":" in word and (name := word.rpartition(":")[2]))
        if is_pull and (pulled or forks):
            self.foreign_checkout = f"branch of others: {(pulled or forks)[0]}"

    def _follow_checkout(self, words: list[str]) -> None:
        fork = next(filter(self._is_fork, words), "")
        if fork:
            self.foreign_checkout = f"branch of others: {fork}"
            self._forks.update(words)
        elif not self.foreign_checkout:
            self._own_branches.update(words)
        elif words and (words[0] in self._own_branches or words[0] in _DEFAULT_BRANCHES):
            self.foreign_checkout = ""

    def find_restored_source(self, step: Step) -> str:
        """Return the source of single files that a checkout takes from a fork; empty if it takes none."""
        if not _restores_files(step):
            return ""
        fork = next(filter(self._is_fork, (_parse_source_option(step), *list_operands(step))), "")
        return f"branch of others: {fork}" if fork else ""

    def find_foreign_revision(self, step: Step) -> str:
        """Return the first revision of a git command that may hold somebody else's unmerged work; empty if none."""
        return next(filter(self._is_foreign_revision, _list_revisions(step)), "")

    def _is_fork(self, name: str) -> bool:
        return bool(_PULL_REFERENCE.search(name)) or name in self._forks or name.partition("/")[0] in self._forks

    def _is_foreign_revision(self, name: str) -> bool:
        if self._is_fork(name):
            return True
        branch = name.removeprefix("refs/remotes/").removeprefix("refs/heads/").removeprefix("origin/")
        if branch in self._own_branches or branch in _DEFAULT_BRANCHES or name == "origin":
            return False
        return bool(self._forks) if _COMMIT_HASH.fullmatch(name) else not self._is_path(name)

    def _is_path(self, word: str) -> bool:
        is_tracked = self._is_tracked is not None and self._is_tracked(posixpath.normpath(word))
        return is_tracked or names_files(word)


def _is_address(word: str) -> bool:
    """Whether a word names a repository by its address or folder, not by the name of a remote."""
    return bool(ADDRESS.search(word)) or word.startswith(("/", ".", "~"))


def list_operands(step: Step) -> list[str]:
    """List the words of a command that are not options."""
    return [word for word in step.args if not word.startswith("-")]


def _restores_files(step: Step) -> bool:
    """Whether a checkout takes single files from a revision, and leaves the branch as it is."""
    return step.program in _CHECKOUTS and (bool(_parse_source_option(step)) or "--" in step.args)


def _parse_source_option(step: Step) -> str:
    return next((word.partition("=")[2] for word in step.args if word.startswith("--source=")), "")


def _list_revisions(step: Step) -> Iterator[str]:
    """Yield the revisions that a git command names, without options and their values."""
    words = step.args[: step.args.index("--")] if "--" in step.args else step.args
    for option, word in zip(("", *words), words, strict=False):
        if not word.startswith("-") and "=" not in word and option not in _VALUE_OPTIONS:
            ends = re.split(r"\.{2,3}", word)
            yield from (name for end in ends if (name := _REVISION_END.split(end)[0]))
