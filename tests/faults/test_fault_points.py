import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import holloway
from holloway.domain.memory import Draft, MemoryType
from holloway.store import migrations
from holloway.store import project as projects
from holloway.store.database import Database, is_sound, rolling
from holloway.store.intake import admit
from holloway.store.snapshot import dump
from holloway.store.store import Store
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository
from tests.faults.performer import OUTDATED, SECRET, Performer

SHIM = Path(__file__).with_name("failing_io.c")
NIGHTLY = bool(os.environ.get("HOLLOWAY_NIGHTLY"))
OPERATIONS = ("remember", "replace", "prune", "back up", "bring back")

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Fault:
    """How the disk fails: with which error, and whether it recovers."""

    error: int
    lasting: bool

    def points(self, calls: str, *, every: bool) -> list[int]:
        """The numbers of the calls to fail: all, or the first and the last of each run of calls of a kind."""
        numbered = list(enumerate(calls, 1))
        runs = [list(run) for _, run in groupby(numbered, key=lambda call: call[1])]
        chosen = numbered if every else sorted({end for run in runs for end in (run[0], run[-1])})
        return [number for number, kind in chosen if self.error != errno.ENOSPC or kind in "wc"]

    def __str__(self) -> str:
        return f"{errno.errorcode[self.error]} {'from then on' if self.lasting else 'once'}"


BROKEN_ONCE, FULL = Fault(errno.EIO, lasting=False), Fault(errno.ENOSPC, lasting=True)
FAULTS = (BROKEN_ONCE, FULL, *((Fault(errno.EIO, lasting=True), Fault(errno.ENOSPC, lasting=False)) * NIGHTLY))

pytestmark = [pytest.mark.promise("all-or-nothing")]


class Unclear(AssertionError):
    """An operation failed, and did not say so as a HollowayError with a hint."""


class Partly(AssertionError):
    """An operation was done in part, or did not do what it reported."""


@dataclass
class Bench:
    """A state of a data folder, of which each operation with a fault gets a copy of its own."""

    performer: Performer
    before: Path
    root: Path
    scratch: Path

    def copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.before, self.scratch / name))

    def run(self, operation: str, fault: Fault, at: int, home: Path) -> dict[str, Any]:
        fields = {"at": at, "error": fault.error, "lasting": fault.lasting, "project": str(self.root)}
        return self.performer.perform(operation, home, **fields)

    def clean_run(self, operation: str) -> tuple[str, Path]:
        """The changes to the disk that an operation makes when nothing fails, and the folder after it."""
        home = self.copy("clean")
        report = self.run(operation, BROKEN_ONCE, 0, home)
        assert "error" not in report, report
        return report["calls"], home

    def faults(self, operation: str, fault: Fault, calls: str, *, every: bool) -> Iterator[tuple[dict[str, Any], Path]]:
        """An operation with each of its faults: what it reported, and the folder as it left it."""
        points = fault.points(calls, every=every or NIGHTLY)
        print(f"{operation}, {fault}: {len(points)} of {len(calls)} fault points")
        for at in points:
            home = self.copy(f"at-{at}")
            report = self.run(operation, fault, at, home)
            assert len(report["calls"]) >= at, "the fault was met"
            yield {**report, "at": at}, home
            shutil.rmtree(home)


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("the disk that fails is made with a C compiler, on Linux")
    built = tmp_path_factory.mktemp("shim") / "failing_io.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", built, SHIM, "-ldl"], check=True)
    return built


@pytest.fixture
def bench(shim: Path, repository: Repository, tmp_path: Path) -> Iterator[Bench]:
    with Performer(preload=shim) as performer:
        (tmp_path / "scratch").mkdir()
        yield Bench(performer, tmp_path / "before", repository.root, tmp_path / "scratch")


def fill(root: Path, home: Path, before: Path, copies: int) -> None:
    """Memories old and new, copies that know only the old ones, and a log not yet moved into the file, as a kill leaves
    it."""
    clock = FakeClock(FakeClock().now() - timedelta(days=800))
    with holloway.open(root, clock=clock, ids=CountedIds("before")) as memory:
        memory.remember("Caches were cleared by hand once", type="gotcha")
        dropped = memory.remember("Nobody needs this sentence", type="gotcha").memory
        assert dropped is not None
        memory.forget([dropped])
        clock.advance(days=799)
        for content in (OUTDATED, SECRET, "Money is integer cents"):
            memory.remember(content, type="decision", files=["src/shop/billing/invoice.py"])
        for _ in range(copies):
            clock.advance(hours=1)
            memory.store.backup()
        for number in range(5):
            memory.remember(f"Sentence {number} that no copy knows", type="decision", files=["README.md"])
        memory.project.journal.mkdir()
        (memory.project.journal / "session.jsonl").write_text(f'{{"text": "{SECRET}"}}\n{{"text": "other"}}\n', "utf-8")
        shutil.copytree(home, before)


def rows(root: Path, home: Path) -> Rows:
    """Everything that a store holds, read on a disk that works; it is sound, and so is each of its copies."""
    with holloway.open(root, home=home, clock=FakeClock(), ids=CountedIds("reader")) as memory:
        assert memory.store.database.problems() == []
        return list(dump(memory.store))


def copies(home: Path) -> list[Path]:
    [folder] = (home / "projects").glob("*/backups")
    return rolling(folder)


def said_clearly(report: dict[str, Any]) -> bool:
    return "error" not in report or (not report.get("raw") and bool(report["message"]) and bool(report["hint"]))


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_on_a_failing_disk_happens_wholly_or_not_at_all(
    operation: str, fault: Fault, bench: Bench, home: Path
) -> None:
    fill(bench.root, home, bench.before, copies=3)
    was = rows(bench.root, bench.copy("was"))
    calls, done = bench.clean_run(operation)
    after = rows(bench.root, done)
    assert (was != after) is (operation != "back up")
    unclear, partly = [], []
    for report, left in bench.faults(operation, fault, calls, every=operation == "remember"):
        unclear += [] if said_clearly(report) else [report]
        found, wanted = rows(bench.root, left), was if "error" in report else after
        kept = copies(left)
        assert all(is_sound(copy) for copy in kept)
        assert len(kept) == 3
        if found != wanted or (operation == "back up" and (kept == copies(bench.before)) is not ("error" in report)):
            partly.append((report, len(found)))
    if partly:
        raise Partly(partly)
    if unclear:
        raise Unclear(unclear)
