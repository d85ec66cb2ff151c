"""The worker: one at a time, killed at any moment, never left behind."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Self

import pytest
from filelock import FileLock

import holloway
from holloway import worker
from holloway.config import JOB_ATTEMPTS_MAX, WORKER_LOG_BYTES_MAX, WORKER_START_S
from holloway.domain.memory import MemoryType
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError
from holloway.service import background_worker
from holloway.service.doctor import examine
from holloway.service.holloway import Holloway
from holloway.service.jobs import JOBS, Job
from holloway.service.project_finder import find_project
from holloway.store.database import Database
from holloway.store.filter import Filter
from holloway.testing import FakeClock
from tests.conftest import Repository
from tests.hooks.asking import event, hook
from tests.hooks.test_entry import wait_until
from tests.service.on_disk import transcript, watched

QUICK = tuple(chore for chore in JOBS if chore.name not in ("map", "embed"))
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def workers(root: Path) -> list[int]:
    """The workers of a project that this machine runs now."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    found = (line.split(maxsplit=1) for line in listed.splitlines())
    return [int(pid) for pid, told in found if "holloway.worker" in told and told.endswith(str(root))]


def known(memory: Holloway) -> list[tuple[object, ...]]:
    """All that was learned, as it can be compared between stores."""
    kept = memory.store.memories.find_memories(Filter(), limit=-1)
    return sorted((each.type, each.content, each.state, each.sessions, each.confidence) for each in kept)


def log_of(memory: Holloway) -> str:
    path = memory.project.folder / "worker.log"
    return path.read_text() if path.exists() else ""


def doctor(memory: Holloway, home: Path) -> tuple[str, str]:
    (check,) = (each for each in examine(memory.project.root, home) if each.name == "worker")
    return check.verdict, check.seen


def in_a_process_of_its_own(do: Callable[[], object]) -> int:
    """Run something in a copy of this process; returns its exit code, or the signal that ended it."""
    child = os.fork()
    if child == 0:
        try:
            do()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.promise("worker")
def test_two_that_start_at_once_are_one(memory: Holloway, repository: Repository) -> None:
    memory.map.update()
    for number in range(3):
        watched(memory, f"s{number}", number)
    command = [sys.executable, "-P", "-m", "holloway.worker", str(repository.root)]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert log_of(memory).count("learn: ") == 1
    assert "learn: 3 learned" in log_of(memory)
    assert len(memory.store.memories.find_memories(Filter(types=(MemoryType.ERROR_PATTERN,)), limit=-1)) == 3


def test_one_that_finds_another_at_work_ends_at_once(memory: Holloway, home: Path) -> None:
    watched(memory, "s1")
    with FileLock(background_worker.lock_file(str(memory.project.folder))):
        assert background_worker.is_running(str(memory.project.folder))
        assert worker.run_jobs(memory.project, home, jobs=QUICK) is False
    assert known(memory) == []
    assert not background_worker.is_running(str(memory.project.folder))


def test_no_process_is_started_while_one_is_at_work_but_it_is_told(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(memory.project.folder)
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **named: pytest.fail("a second process was started"))
    with FileLock(background_worker.lock_file(folder)):
        assert background_worker.start(folder, str(repository.root)) is False
    assert background_worker.taken(folder)


class StartedProcesses:
    """Stands in for Popen: counts the processes that would have been started; none of them takes the request."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, *given: object, **named: object) -> Self:
        self.count += 1
        return self

    def poll(self) -> int:
        return 0


def test_a_burst_of_requests_starts_one_process(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, processes = str(memory.project.folder), StartedProcesses()
    monkeypatch.setattr(subprocess, "Popen", processes)
    assert [background_worker.start(folder, str(repository.root)) for _ in range(20)] == [True] + [False] * 19
    assert processes.count == 1
    assert background_worker.taken(folder)
    assert background_worker.start(folder, str(repository.root))


@pytest.mark.parametrize("age_s", [WORKER_START_S + 1, -3_600])
def test_a_request_that_no_worker_took_starts_one_process_again(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch, age_s: float
) -> None:
    folder, processes = str(memory.project.folder), StartedProcesses()
    monkeypatch.setattr(subprocess, "Popen", processes)
    background_worker.request(folder)
    made_at = time.time() - age_s
    os.utime(background_worker.request_file(folder), (made_at, made_at))
    assert [background_worker.start(folder, str(repository.root)) for _ in range(2)] == [True, False]


def test_what_is_asked_for_while_it_works_is_done_before_it_ends(
    memory: Holloway, home: Path, clock: FakeClock
) -> None:
    folder, done = str(memory.project.folder), []

    def do(opened: Holloway, seconds: float) -> str:
        done.append(seconds)
        if len(done) == 1:
            watched(memory, "s1")
            background_worker.request(folder)
        return ""

    assert worker.run_jobs(memory.project, home, clock=clock, jobs=(*QUICK, Job("last", lambda opened: True, do)))
    assert len(done) == 2
    assert len(known(memory)) == 1


def test_it_is_not_started_at_every_turn(
    memory: Holloway, home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, started = str(memory.project.folder), []

    class Started:
        """A process that has ended already."""

        def __init__(self, *given: object, **named: object) -> None:
            started.append(given)

        def poll(self) -> int:
            return 0

    monkeypatch.setattr(subprocess, "Popen", Started)
    assert background_worker.start(folder, str(repository.root), seldom=True)
    worker.run_jobs(memory.project, home, jobs=())
    assert not background_worker.start(folder, str(repository.root), seldom=True)
    assert background_worker.start(folder, str(repository.root))
    assert len(started) == 2


@contextmanager
def dying(at: int) -> Iterator[list[int]]:
    """The process dies at the so-many-th moment at which something is written: before it is committed, or after."""
    whole, passed = Database.write_transaction, [0]

    def count() -> None:
        passed[0] += 1
        if passed[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def write(self: Database) -> Iterator[None]:
        with whole(self):
            yield
            count()
        count()

    Database.write_transaction = write  # type: ignore[method-assign]
    try:
        yield passed
    finally:
        Database.write_transaction = whole  # type: ignore[method-assign]


@pytest.mark.promise("worker")
@forks
def test_killed_at_any_moment_it_repeats_nothing_and_loses_nothing(
    memory: Holloway, home: Path, repository: Repository, clock: FakeClock, tmp_path: Path
) -> None:
    watched(memory, "s0", 0)
    watched(memory, "s1", 1, told=str(transcript(repository.root, "s1", 1)))
    watched(memory, "s2", 0)
    memory.close()
    before = tmp_path / "before"
    shutil.copytree(home, before)

    def run() -> object:
        return worker.run_jobs(memory.project, home, clock=clock, jobs=QUICK)

    with dying(0) as moments:
        run()
    with holloway.open(repository.root, clock=clock) as whole:
        wanted = known(whole)
    assert len(wanted) > 1
    step = max(1, moments[0] // 20)
    for at in range(1, moments[0] + 1, step):
        shutil.rmtree(home)
        shutil.copytree(before, home)
        with dying(at):
            assert in_a_process_of_its_own(run) == -signal.SIGKILL
        run()
        with holloway.open(repository.root, clock=clock) as again:
            assert known(again) == wanted, at
            assert list(again.project.journal_folder.glob("*")) == []


@pytest.mark.promise("worker")
def test_a_session_that_ends_is_learned_from_and_no_process_is_left_behind(
    memory: Holloway, repository: Repository
) -> None:
    memory.map.update()
    edit = {"file_path": str(repository.root / "src/shop/auth/tokens.py"), "old_string": "a", "new_string": "b"}
    hook(event(repository, "SessionStart", source="startup"))
    hook(event(repository, "UserPromptSubmit", prompt="Fix the login"))
    hook(event(repository, tool_name="Edit", tool_input=edit, tool_use_id="t1"))
    told = "KeyError: 'SHOP_URL' is not set"
    hook(event(repository, "PostToolUseFailure", tool_name="Bash", tool_input={"command": "pytest -q"}, error=told))
    ran = {"command": "SHOP_URL=fake:// pytest -q"}
    hook(event(repository, tool_name="Bash", tool_input=ran, tool_response="12 passed in 0.3s"))
    hook(event(repository, "SessionEnd", reason="exit"))
    wait_until(lambda: not list(memory.project.journal_folder.glob("*.jsonl")))
    assert any("SHOP_URL" in str(content) for _, content, *_ in known(memory))
    wait_until(lambda: not workers(repository.root))
    assert not background_worker.is_running(str(memory.project.folder))
    assert background_worker.read_state(str(memory.project.folder))["ended"]


def test_a_paused_project_has_no_worker(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holloway.service.project_finder import pause

    pause(str(repository.root))
    hook(event(repository, "SessionStart", source="startup"))
    assert not (memory.project.folder / "worker.wanted").exists()
    assert background_worker.read_state(str(memory.project.folder)) == {}


def test_the_project_may_be_deleted_meanwhile(
    memory: Holloway, home: Path, repository: Repository, clock: FakeClock
) -> None:
    watched(memory, "s1")
    memory.map.update()
    files = memory.map.overview().files
    shutil.rmtree(repository.root)
    project = find_project(str(repository.root), home)
    assert project is not None
    assert worker.run_jobs(project, home, clock=clock, jobs=[each for each in JOBS if each.name != "embed"])
    assert len(known(memory)) == 1
    assert memory.map.overview().files == files
    assert background_worker.read_state(str(memory.project.folder))["failures"] == {}


def test_the_data_may_be_deleted_meanwhile_and_is_not_made_anew(
    memory: Holloway, home: Path, repository: Repository
) -> None:
    project = memory.project
    memory.close()
    shutil.rmtree(home)
    assert find_project(str(repository.root), home) is None
    assert worker.run_jobs(project, home) is False
    assert not home.exists()


@pytest.mark.promise("doctor")
def test_a_chore_that_fails_does_not_stop_the_others_and_is_told(
    memory: Holloway, home: Path, clock: FakeClock
) -> None:
    tried: list[str] = []

    def full(opened: Holloway, seconds: float) -> str:
        tried.append("full")
        raise HollowayError("The disk is full: nothing was written.")

    def fine(opened: Holloway, seconds: float) -> str:
        tried.append("fine")
        return ""

    def both() -> None:
        named = (Job("first", lambda opened: True, full), Job("second", lambda opened: True, fine))
        worker.run_jobs(memory.project, home, clock=clock, jobs=named)

    assert doctor(memory, home) == ("ok", "has not run yet")
    both()
    assert tried == ["full", "fine"]
    verdict, seen = doctor(memory, home)
    assert (verdict, "The disk is full" in seen) == ("warning", True)
    for _ in range(JOB_ATTEMPTS_MAX):
        both()
    assert tried.count("full") == JOB_ATTEMPTS_MAX
    assert tried.count("fine") == JOB_ATTEMPTS_MAX + 1
    clock.advance(days=1)
    both()
    assert tried.count("full") == JOB_ATTEMPTS_MAX + 1


@pytest.mark.promise("worker")
def test_a_chore_that_failed_while_the_clock_was_ahead_is_tried_again_now(
    memory: Holloway, home: Path, clock: FakeClock
) -> None:
    ahead = {"first": [JOB_ATTEMPTS_MAX, format_stamp(clock.now() + timedelta(days=4_000))]}
    background_worker.write_state(str(memory.project.folder), {"failures": ahead})
    done: list[str] = []

    def work(opened: Holloway, seconds: float) -> str:
        done.append("first")
        return ""

    assert worker.run_jobs(memory.project, home, clock=clock, jobs=(Job("first", lambda opened: True, work),))
    assert done == ["first"]


@pytest.mark.promise("worker")
@forks
def test_one_that_hangs_ends_after_its_time_and_that_is_told(
    memory: Holloway, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "MARGIN_S", 0.0)

    def hang(opened: Holloway, seconds: float) -> str:
        threading.Event().wait()
        return ""

    hanging = (Job("hanging", lambda opened: True, hang),)
    began = time.monotonic()
    assert in_a_process_of_its_own(lambda: worker.run_jobs(memory.project, home, jobs=hanging, seconds=0.5)) == 0
    assert time.monotonic() - began >= 0.5
    verdict, seen = doctor(memory, home)
    assert (verdict, "hanging: it took too long" in seen) == ("warning", True)


@forks
def test_one_that_was_killed_in_a_chore_counts_that_as_a_failure(memory: Holloway, home: Path) -> None:
    def die(opened: Holloway, seconds: float) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    deadly = (Job("deadly", lambda opened: True, die),)
    for _ in range(JOB_ATTEMPTS_MAX):
        assert in_a_process_of_its_own(lambda: worker.run_jobs(memory.project, home, jobs=deadly)) == -signal.SIGKILL
    assert worker.run_jobs(memory.project, home, jobs=deadly)
    assert "deadly" in doctor(memory, home)[1]


@pytest.mark.promise("worker")
@pytest.mark.parametrize(
    "failures",
    [
        7,
        ["first"],
        {"first": 7},
        {"first": [2]},
        {"first": ["x", ""]},
        {"first": [9, "yesterday"]},
        {"first": [float("inf"), "2026-01-05T09:00:00.000Z"]},
    ],
)
def test_with_a_damaged_account_of_its_failures_it_works_on(memory: Holloway, home: Path, failures: object) -> None:
    background_worker.write_state(str(memory.project.folder), {"failures": failures, "chore": "first"})
    done: list[str] = []

    def work(opened: Holloway, seconds: float) -> str:
        done.append("first")
        return ""

    assert worker.run_jobs(memory.project, home, jobs=(Job("first", lambda opened: True, work),))
    assert done == ["first"]


@pytest.mark.promise("worker")
def test_its_log_is_bounded(memory: Holloway, home: Path) -> None:
    log = memory.project.folder / "worker.log"
    log.write_bytes(b"an old line\n" * WORKER_LOG_BYTES_MAX)
    worker.run_jobs(memory.project, home, jobs=(Job("said", lambda opened: True, lambda opened, seconds: "done"),))
    assert log.stat().st_size <= WORKER_LOG_BYTES_MAX
    assert log.read_text().splitlines()[0] == "an old line"
    assert log.read_text().endswith("said: done\n")


@pytest.mark.promise("repository-is-not-trusted")
def test_nothing_of_the_project_is_run(memory: Holloway, repository: Repository, tmp_path: Path) -> None:
    mark = tmp_path / "was-run"
    for name in ("json.py", "filelock.py", "holloway/__init__.py"):
        repository.commit(name, f"open({str(mark)!r}, 'w')\n")
    assert background_worker.start(str(memory.project.folder), str(repository.root))
    assert [process.wait(timeout=60) for process in background_worker._started] == [0]
    assert background_worker.read_state(str(memory.project.folder))["ended"]
    assert not mark.exists()
