import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import holloway
from holloway.service import background_worker
from holloway.store.database import Database, list_rolling_backups
from tests.conftest import Repository
from tests.faults.figures import NIGHTLY, record
from tests.faults.worker import BOTH

WORKER = Path(__file__).with_name("worker.py")
WRITERS = 8
TRANSACTIONS = 500 if NIGHTLY else 100
LIMIT_S = 300
"""Far above what the run takes; a process that hangs ends the test instead of the run."""

pytestmark = pytest.mark.promise("many-at-once")


@contextmanager
def started(role: str, project: Path, name: str = "", count: int = 0) -> Iterator["subprocess.Popen[str]"]:
    """A worker that waits for the word to begin."""
    command = [sys.executable, str(WORKER), role, str(project), name, str(count)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as worker:
        try:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
            yield worker
        finally:
            worker.kill()


def begin(workers: list["subprocess.Popen[str]"]) -> None:
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()


def reports(workers: list["subprocess.Popen[str]"]) -> list[dict[str, int]]:
    """What the workers said at their end; an error of theirs is an error of the test."""
    found = []
    for worker in workers:
        out, errors = worker.communicate(timeout=LIMIT_S)
        assert (worker.returncode, errors) == (0, "")
        found.append(json.loads(out))
    return found


def test_eight_writers_a_copier_a_searcher_and_the_worker_never_see_a_lock_and_lose_nothing(
    repository: Repository,
) -> None:
    root = repository.root
    holloway.open(root).close()
    with ExitStack() as running:
        writers = [
            running.enter_context(started("write", root, f"writer {number}", TRANSACTIONS)) for number in range(WRITERS)
        ]
        others = [running.enter_context(started(role, root)) for role in ("copy", "search")]
        begin([*writers, *others])
        chores = running.enter_context(subprocess.Popen([sys.executable, "-P", "-m", "holloway.worker", str(root)]))
        written = reports(writers)
        copied, searched = reports(others)
        assert chores.wait(LIMIT_S) == 0
    assert written == [{"written": TRANSACTIONS}] * WRITERS
    assert copied["unsound"] == 0
    assert searched["torn"] == 0
    assert searched["found"] > 0
    with holloway.open(root) as memory:
        [(counted, held)] = memory.store.database.fetch_rows(BOTH)
        assert (counted, held) == (WRITERS * TRANSACTIONS, WRITERS * TRANSACTIONS)
        state = background_worker.read_state(str(memory.project.folder))
        assert (bool(state["ended"]), state.get("failures", {})) == (True, {})
        contents = {kept.content for kept in memory.memories(limit=-1)}
        assert memory.store.database.check_integrity() == []
    figures = {"copies": copied["copies"], "searches": searched["searches"], "locked": 0, "lost": 0}
    record("many", writers=WRITERS, transactions=WRITERS * TRANSACTIONS, **figures)
    assert contents == {f"writer {name} counted {number}" for name in range(WRITERS) for number in range(TRANSACTIONS)}


def test_a_copy_made_while_others_write_is_a_state_that_was_once_true(repository: Repository) -> None:
    root = repository.root
    with ExitStack() as running:
        writers = [running.enter_context(started("write", root, f"writer {number}", 50)) for number in range(2)]
        copier = running.enter_context(started("copy", root))
        begin([*writers, copier])
        reports(writers)
        reports([copier])
    with holloway.open(root) as memory:
        copies = list_rolling_backups(memory.project.backups_folder)
    assert copies
    for path in copies:
        copy = Database(path)
        try:
            [(counted, held)] = copy.fetch_rows(BOTH)
            assert (counted or 0) == held
            assert copy.check_integrity() == []
        finally:
            copy.close()


def test_a_project_opened_for_the_first_time_by_eight_at_once_is_made_once(repository: Repository) -> None:
    with ExitStack() as running:
        workers = [
            running.enter_context(started("write", repository.root, f"writer {number}", 1)) for number in range(WRITERS)
        ]
        begin(workers)
        assert reports(workers) == [{"written": 1}] * WRITERS
    with holloway.open(repository.root) as memory:
        assert len(memory.memories()) == WRITERS
        assert len(memory.store.memories.load_salts()) == 1
        assert memory.store.database.check_integrity() == []
