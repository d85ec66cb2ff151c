import errno
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
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
from holloway.store.database import is_sound, list_rolling_backups
from holloway.store.snapshot import dump_rows
from holloway.store.store import Store
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository, make_repository
from tests.faults.figures import NIGHTLY, record
from tests.faults.performer import OUTDATED, SECRET, Performer

SHIM = Path(__file__).with_name("failing_io.c")
SAMPLED_POINTS = 10
"""Points of failure per case in a commit run; the nightly run tries every one."""
OPERATIONS = {"remember": 40, "replace": SAMPLED_POINTS, "prune": SAMPLED_POINTS, "bring back": SAMPLED_POINTS}
"""Operations with the points of failure of each in a commit run."""
_STEPS = len(migrations.MIGRATIONS)
OLDER_RELEASES = range(1, _STEPS) if NIGHTLY else (1, _STEPS // 2, _STEPS - 1)
"""How many migrations an older release knew. Its file goes through all later ones, so the first covers all of them."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Fault:
    """How the disk fails: with which error, and whether it recovers."""

    error: int
    lasting: bool

    def points(self, calls: str, sampled: int) -> list[int]:
        """The numbers of the calls to fail: nightly all, else some first and last calls of each run of a kind."""
        numbered = [call for call in enumerate(calls, 1) if self.error != errno.ENOSPC or call[1] in "wc"]
        if NIGHTLY:
            return [number for number, _ in numbered]
        runs = [list(run) for _, run in groupby(numbered, key=lambda call: call[1])]
        ends = sorted({number for run in runs for number, _ in (run[0], run[-1])})
        stride = max(1, -(-len(ends) // sampled))
        return sorted({*ends[::stride], ends[-1]})

    def __str__(self) -> str:
        return f"{errno.errorcode[self.error]} {'from then on' if self.lasting else 'once'}"


BROKEN_ONCE, BROKEN = Fault(errno.EIO, lasting=False), Fault(errno.EIO, lasting=True)
FULL_ONCE, FULL = Fault(errno.ENOSPC, lasting=False), Fault(errno.ENOSPC, lasting=True)
FAULTS = (BROKEN_ONCE, FULL, BROKEN, FULL_ONCE) if NIGHTLY else (BROKEN_ONCE, FULL)

pytestmark = pytest.mark.promise("all-or-nothing")


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
    points: int = 0

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

    def faults(self, operation: str, fault: Fault, calls: str) -> Iterator[tuple[dict[str, Any], Path]]:
        """An operation with each of its faults: what it reported, and the folder as it left it."""
        points = fault.points(calls, OPERATIONS.get(operation, SAMPLED_POINTS))
        self.points += len(points)
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


@dataclass
class Releases:
    """Data folders as earlier releases left them, one for each number of migrations, and the schema of each."""

    root: Path
    homes: Path
    schemas: list[list[tuple[object, ...]]]

    def home(self, steps: int) -> Path:
        return self.homes / f"prior-{steps}"


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    folder = tmp_path_factory.mktemp("releases")
    root, all_steps = make_repository(folder / "shop").root, migrations.MIGRATIONS
    made = Releases(root, folder, [])
    with pytest.MonkeyPatch.context() as patch:
        for steps in range(len(all_steps) + 1):
            patch.setattr(migrations, "MIGRATIONS", all_steps[:steps])
            made.schemas.append(prior(root, made.home(steps)))
    return made


@pytest.fixture(scope="module")
def performer(shim: Path) -> Iterator[Performer]:
    with Performer(preload=shim) as performer:
        yield performer


@pytest.fixture
def bench(performer: Performer, repository: Repository, tmp_path: Path) -> Bench:
    (tmp_path / "scratch").mkdir()
    return Bench(performer, tmp_path / "before", repository.root, tmp_path / "scratch")


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
            memory.store.create_backup()
        for number in range(5):
            memory.remember(f"Sentence {number} that no copy knows", type="decision", files=["README.md"])
        memory.project.journal_folder.mkdir()
        (memory.project.journal_folder / "session.jsonl").write_text(
            f'{{"text": "{SECRET}"}}\n{{"text": "other"}}\n', "utf-8"
        )
        shutil.copytree(home, before)


def rows(root: Path, home: Path) -> Rows:
    """Everything that a store holds, read on a disk that works; it is sound."""
    with holloway.open(root, home=home, clock=FakeClock(), ids=CountedIds("reader")) as memory:
        assert memory.store.database.check_integrity() == []
        return list(dump_rows(memory.store))


def copies(home: Path) -> list[Path]:
    [folder] = (home / "projects").glob("*/backups")
    return list_rolling_backups(folder)


def said_clearly(report: dict[str, Any]) -> bool:
    return "error" not in report or (not report.get("raw") and bool(report["message"]) and bool(report["hint"]))


def settle(bench: Bench, unclear: Sequence[object], partly: Sequence[object]) -> None:
    if partly:
        raise Partly(partly)
    if unclear:
        raise Unclear(unclear)
    record("faults", points=bench.points, half_done=0, damaged=0, unclear=0)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_on_a_failing_disk_happens_wholly_or_not_at_all(
    operation: str, fault: Fault, bench: Bench, home: Path
) -> None:
    fill(bench.root, home, bench.before, copies=1)
    was = rows(bench.root, bench.copy("was"))
    calls, done = bench.clean_run(operation)
    after = rows(bench.root, done)
    assert was != after
    unclear, partly = [], []
    for report, left in bench.faults(operation, fault, calls):
        unclear += [] if said_clearly(report) else [report]
        found = rows(bench.root, left)
        partly += [] if found == (was if "error" in report else after) else [(report, found)]
        assert [is_sound(copy) for copy in copies(left)] == [True]
    settle(bench, unclear, partly)


@pytest.mark.promise("forget")
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_hard_forget_on_a_failing_disk_leaves_no_byte_or_can_be_said_again(
    fault: Fault, bench: Bench, home: Path
) -> None:
    fill(bench.root, home, bench.before, copies=1)
    calls, done = bench.clean_run("forget")
    after = rows(bench.root, done)
    assert files_with_secret(bench.before)
    assert not files_with_secret(done)
    unclear, partly = [], []
    for report, left in bench.faults("forget", fault, calls):
        unclear += [] if said_clearly(report) else [report]
        if report.get("left") == []:
            assert not files_with_secret(left), report
        found = rows(bench.root, left)
        assert [row for row in found if row in after] == [
            row for row in after if row["table"] != "tombstones" or row in found
        ]
        if any(row.get("content") == SECRET for row in found):
            bench.run("forget", fault, 0, left)
        if remains := files_with_secret(left):
            partly.append((report, remains))
    settle(bench, unclear, partly)


def files_with_secret(home: Path) -> list[Path]:
    return [
        path.relative_to(home) for path in home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_copy_on_a_failing_disk_is_complete_or_absent_and_the_older_ones_stay(
    fault: Fault, bench: Bench, home: Path
) -> None:
    fill(bench.root, home, bench.before, copies=3)
    was = rows(bench.root, bench.copy("was"))
    older = [copy.name for copy in copies(bench.before)]
    calls, done = bench.clean_run("back up")
    newer = [copy.name for copy in copies(done)]
    assert newer[1:] == older[:2]
    unclear = []
    for report, left in bench.faults("back up", fault, calls):
        unclear += [] if said_clearly(report) else [report]
        names = [copy.name for copy in copies(left)]
        assert names in ([older] if "error" in report else [newer, [newer[0], *older]])
        assert all(is_sound(copy) for copy in copies(left))
        assert rows(bench.root, left) == was
        if names[0] == newer[0]:
            bench.run("bring back", fault, 0, left)
            assert rows(bench.root, left) == was
    settle(bench, unclear, [])


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.promise("old-databases")
@pytest.mark.parametrize("known", OLDER_RELEASES)
def test_a_migration_on_a_failing_disk_stops_between_steps_and_goes_on_later(
    known: int, fault: Fault, bench: Bench, releases: Releases
) -> None:
    bench.root, bench.before, schemas = releases.root, releases.home(known), releases.schemas
    calls, done = bench.clean_run("open")
    after = rows(bench.root, done)
    assert [row["content"] for row in after if row["table"] == "memories"] == ["Old databases open"]
    unclear = []
    for report, left in bench.faults("open", fault, calls):
        unclear += [] if said_clearly(report) else [report]
        steps = schemas.index(schema(left))
        assert steps >= known
        assert "error" in report or steps == len(migrations.MIGRATIONS)
        assert rows(bench.root, left) == after
        assert schema(left) == schemas[-1]
        assert all(is_sound(copy) for copy in list_rolling_backups(next((left / "projects").iterdir()) / "backups"))
    settle(bench, unclear, [])


def prior(root: Path, home: Path) -> list[tuple[object, ...]]:
    """A data folder as an earlier release left it, with a memory in it; returns its schema."""
    store = Store(projects.resolve_project(root, home), clock=FakeClock(), ids=CountedIds("prior"))
    if migrations.MIGRATIONS:
        # The store writes all columns of today; earlier releases lacked the last ones.
        later = {
            "stated_at": (migrations.stated_0014, migrations.STATED),
            "muted": (migrations.muted_0018, migrations.split_statements(migrations.MUTED)[0]),
            "chosen": (migrations.sharing_0019, migrations.CHOSEN),
        }
        missing = [name for name, (step, _) in later.items() if step not in migrations.MIGRATIONS]
        for name in missing:
            store.database.execute(later[name][1])
        store.memories.add_memory(sanitize_draft(Draft("Old databases open", MemoryType.DECISION)))
        for name in missing:
            store.database.execute(f"ALTER TABLE memories DROP COLUMN {name}")
    store.close()
    return schema(home)


def schema(home: Path) -> list[tuple[object, ...]]:
    """The tables, indexes and triggers of the file, and the version in its header; it is sound."""
    [path] = (home / "projects").glob("*/memory.db")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        parts = connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
        return [*connection.execute("PRAGMA user_version"), *parts]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_first_opening_on_a_failing_disk_can_be_repeated(fault: Fault, bench: Bench) -> None:
    bench.before.mkdir()
    calls, done = bench.clean_run("open")
    after = rows(bench.root, done)
    unclear = []
    for report, left in bench.faults("open", fault, calls):
        unclear += [] if said_clearly(report) else [report]
        assert rows(bench.root, left)[1:] == after[1:] == []
    settle(bench, unclear, [])


def test_a_memory_that_outgrows_the_disk_is_refused_whole(bench: Bench, home: Path) -> None:
    fill(bench.root, home, bench.before, copies=1)
    was = rows(bench.root, bench.copy("was"))
    after = rows(bench.root, bench.clean_run("remember")[1])
    [log] = (bench.before / "projects").glob("*/memory.db-wal")
    outcomes = set()
    for step in range(0, 40, 1 if NIGHTLY else 3):
        left = bench.copy(f"step-{step}")
        most = log.stat().st_size + step * 3_000
        report = bench.performer.perform("remember", left, file_bytes_max=most, project=str(bench.root))
        assert said_clearly(report), report
        assert rows(bench.root, left) == (was if "error" in report else after)
        outcomes.add("error" in report)
    assert outcomes == {True, False}
