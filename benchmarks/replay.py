"""One memory that lives through recorded sessions in time order, in a checkout as it was, and cannot see ahead.

A session is learned from when it ends, on the branch where it ended, and the worker's chores are done then; whoever
asks does so when a session begins, on the branch where it begins, and knows only what had ended by then.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import holloway
from benchmarks import checkout
from benchmarks.baselines import Contents
from holloway.service.jobs import JOBS
from holloway.service.session_learning import Learning
from holloway.testing import FakeClock

if TYPE_CHECKING:
    from benchmarks.checkout import Checkout
    from benchmarks.told import Told
    from holloway.service.holloway import Holloway

REPOSITORY = "cli"
"""The one that the recorded sessions worked on."""
NOT_DUE = ("map", "learn", "records")
"""Chores of the worker that the replay does itself, or that have nothing to do here."""
CHORE_S = 300.0
DETACHED = "HEAD"
"""The branch of a transcript if no branch was checked out."""
QUICK_SESSIONS = 20
"""The first of the sessions, which a quick run goes through."""
_MERGED = re.compile(
    r"Merge (?:pull request #\d+ from [^/\s]+/(\S+)|(?:remote-tracking )?branch '(?:origin/)?([^']+)')"
)
_SAFE_BRANCH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")


@dataclass
class Replay:
    """The memory, the checkout that it belongs to, and what has happened so far."""

    memory: Holloway
    tree: Checkout
    clock: FakeClock
    past: Past
    learned: list[Told] = field(default_factory=list)
    """The sessions that were learned from, in the order of their ends."""
    learning_ms: list[float] = field(default_factory=list)
    """CPU time that learning from each took, chores and vectors included."""
    contents: Contents = field(default_factory=Contents)

    def through(self, sessions: list[Told]) -> Iterator[Told]:
        """Each session when it begins, its checkout and map in place; what ended before is learned."""
        ahead = sorted(sessions, key=lambda session: session.end)
        for session in sorted(sessions, key=lambda session: session.start):
            while ahead and ahead[0].end < session.start:
                self._learn(ahead.pop(0))
            self._stand(session.began_on, session.start)
            self.memory.map.update()
            yield session
        for session in ahead:
            self._learn(session)

    def _stand(self, branch: str, now: float) -> None:
        """Let it be that time, with that branch checked out."""
        self.clock.advance(seconds=now - self.clock.now().timestamp())
        safe = branch if _SAFE_BRANCH.fullmatch(branch) and branch != DETACHED else ""
        self.tree.stand(self.past.commit(branch, now), safe, main=self.past.commit("", now))

    def _learn(self, session: Told) -> None:
        self._stand(session.branch, session.end)
        began = time.process_time()
        Learning(self.memory.opened).learn(session.pad)
        for job in JOBS:
            if job.name not in NOT_DUE and job.is_due(self.memory):
                job.do(self.memory, CHORE_S)
        self.learning_ms.append((time.process_time() - began) * 1000)
        self.learned.append(session)

    def paths(self) -> list[str]:
        """All files of the checkout, as the map has them."""
        return [row[0] for row in self.memory.map.database.fetch_rows("SELECT path FROM files")]

    def underway(self, session: Told) -> list[str]:
        """The files that the branch had changed when a session began, the latest first."""
        main = self.past.commit("", session.start)
        return self.past.changed(self.past.commit(session.began_on, session.start), main)

    def by_contents(self, query: str) -> dict[str, float]:
        """What BM25 over the contents of the source files says, as they are in the checkout."""
        self.contents.follow(self.tree.root)
        return self.contents.index.scores(query)


class Past:
    """The commits of a repository by time, on the main line and on the branches that were merged into it."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._main = _parse_dated_commits(checkout.git(repository, "log", "--first-parent", "--format=%ct %H"))
        self._branches: dict[str, list[tuple[int, str]]] = {}
        for line in checkout.git(repository, "log", "--merges", "--format=%P%x09%s").splitlines():
            parents, _, subject = line.partition("\t")
            merged = _MERGED.match(subject)
            if merged and len(parents.split()) == 2:
                into, tip = parents.split()
                branch_dates = _parse_dated_commits(checkout.git(repository, "log", "--format=%ct %H", tip, f"^{into}"))
                self._branches.setdefault(merged[1] or merged[2], []).extend(branch_dates)

    def changed(self, commit: str, main: str) -> list[str]:
        """The files that a commit's branch has changed since it left the main line, the latest first."""
        if commit == main:
            return []
        log = checkout.git(self._repository, "log", "--format=", "--name-only", commit, f"^{main}")
        return list(dict.fromkeys(log.split("\n")[:-1]))

    def _own(self, branch: str) -> list[tuple[int, str]]:
        """The commits of a branch: of those that were merged under its name, or of the one that still has it."""
        if branch not in self._branches:
            tips = checkout.git(self._repository, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
            log = ("log", "--format=%ct %H", tips.strip(), f"^{self._main[0][1]}")
            self._branches[branch] = (
                _parse_dated_commits(checkout.git(self._repository, *log)) if branch and tips.strip() else []
            )
        return self._branches[branch]

    def commit(self, branch: str, now: float) -> str:
        """Return the commit that was checked out at a time: of the branch if it had one, else of the main line."""
        branch_commits = [commit for commit in self._own(branch) if commit[0] < now]
        main = [commit for commit in self._main if commit[0] < now]
        return max(branch_commits or main)[1] if branch_commits or main else min(self._main)[1]


def _parse_dated_commits(log: str) -> list[tuple[int, str]]:
    return [(int(line.split()[0]), line.split()[1]) for line in log.splitlines()]


@contextmanager
def replay(repository: Path, name: str) -> Iterator[Replay]:
    """A memory that knows nothing yet; `name` tells this benchmark's checkout from others'."""
    clock = FakeClock()
    past = Past(repository)
    with (
        tempfile.TemporaryDirectory() as home,
        checkout.checkout_of(repository, checkout.cache_folder() / name) as tree,
    ):
        tree.move(past.commit("", 0.0))
        with holloway.open(tree.root, home=Path(home), clock=clock) as memory:
            yield Replay(memory, tree, clock, past)
