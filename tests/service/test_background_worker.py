import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from holloway.config import WORKER_AGAIN_AFTER_S, WORKER_START_S
from holloway.service import background_worker


class Processes:
    """Stands in for Popen: keeps what would have been started."""

    def __init__(self) -> None:
        self.started: list[tuple[list[str], dict[str, Any]]] = []

    def __call__(self, arguments: list[str], **options: Any) -> "Processes":
        self.started.append((arguments, options))
        return self

    def poll(self) -> int | None:
        return 0


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    standing = Processes()
    monkeypatch.setattr(subprocess, "Popen", standing)
    monkeypatch.setattr(background_worker, "_started", [])
    return standing


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path)


def age(path: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_the_worker_is_a_detached_process_that_imports_nothing_of_the_project(
    folder: str, processes: Processes
) -> None:
    assert background_worker.start(folder, "/srv/shop") is True
    ((arguments, options),) = processes.started
    assert arguments == [sys.executable, "-P", "-m", "holloway.worker", "/srv/shop"]
    assert options["cwd"] == folder
    assert options["start_new_session"] is True
    assert {options[name] for name in ("stdin", "stdout", "stderr")} == {subprocess.DEVNULL}


def test_a_burst_of_callers_starts_one_process(folder: str, processes: Processes) -> None:
    assert [background_worker.start(folder, "/srv/shop") for _ in range(3)] == [True, False, False]
    assert len(processes.started) == 1


def test_a_request_that_nobody_took_in_time_is_made_again(folder: str, processes: Processes) -> None:
    background_worker.request(folder)
    request = background_worker.request_file(folder)
    age(request, WORKER_START_S + 1)
    assert background_worker.start(folder, "/srv/shop") is True
    assert time.time() - Path(request).stat().st_mtime < WORKER_START_S
    assert background_worker.start(folder, "/srv/shop") is False
    age(request, -100)
    assert background_worker.start(folder, "/srv/shop") is True


def test_a_request_that_was_taken_meanwhile_counts_as_overdue(folder: str) -> None:
    assert background_worker._is_overdue(folder)
    background_worker.request(folder)
    assert not background_worker._is_overdue(folder)


def test_a_running_worker_gets_a_request_and_no_second_process(folder: str, processes: Processes) -> None:
    with FileLock(background_worker.lock_file(folder)):
        assert background_worker.is_running(folder)
        assert background_worker.start(folder, "/srv/shop") is False
    assert processes.started == []
    assert background_worker.taken(folder)
    assert not background_worker.taken(folder)
    assert not background_worker.is_running(folder)


def test_a_folder_without_a_lock_has_no_worker(folder: str) -> None:
    assert not background_worker.is_running(folder)
    assert not Path(background_worker.lock_file(folder)).exists()


def test_shortly_after_a_run_nothing_is_asked_for_seldom(folder: str, processes: Processes) -> None:
    background_worker.write_state(folder, {"ended": "now"})
    assert background_worker.start(folder, "/srv/shop", seldom=True) is False
    assert not background_worker.taken(folder)
    state = str(Path(folder, "worker.json"))
    age(state, WORKER_AGAIN_AFTER_S + 1)
    assert background_worker.start(folder, "/srv/shop", seldom=True) is True
    background_worker.taken(folder)
    age(state, -100)
    assert background_worker.start(folder, "/srv/shop", seldom=True) is True
    background_worker.taken(folder)
    age(state, 1)
    assert background_worker.start(folder, "/srv/shop") is True


def test_a_worker_that_never_ran_is_started_seldom_too(folder: str, processes: Processes) -> None:
    assert background_worker.start(folder, "/srv/shop", seldom=True) is True


def test_processes_that_ended_are_let_go(folder: str, processes: Processes) -> None:
    for _ in range(2):
        background_worker.start(folder, "/srv/shop")
        background_worker.taken(folder)
    assert len(processes.started) == 2
    assert len(background_worker._started) == 1


def test_a_request_is_private_and_made_once(folder: str) -> None:
    assert [background_worker.request(folder) for _ in range(2)] == [True, False]
    assert Path(background_worker.request_file(folder)).stat().st_mode & 0o777 == 0o600


def test_the_state_comes_back_and_a_broken_one_is_empty(folder: str) -> None:
    assert background_worker.read_state(folder) == {}
    background_worker.write_state(folder, {"failures": {"map": 2}})
    assert background_worker.read_state(folder) == {"failures": {"map": 2}}
    for broken in ("{", "[]"):
        Path(folder, "worker.json").write_text(broken)
        assert background_worker.read_state(folder) == {}


def test_of_processes_that_wait_there_is_one_until_its_time_is_over(folder: str, processes: Processes) -> None:
    assert background_worker.start_later(folder, "/shop", 60)
    assert not background_worker.start_later(folder, "/shop", 60)
    ((arguments, _),) = processes.started
    assert arguments[-3:] == ["holloway.worker", "/shop", "60"]
    long_ago = time.time() - 61
    os.utime(Path(folder, "worker.later"), (long_ago, long_ago))
    assert background_worker.start_later(folder, "/shop", 60)


def test_a_process_that_exits_leaves_its_worker_running_without_a_warning(folder: str, tmp_path: Path) -> None:
    waiting = tmp_path / "waiting"
    waiting.write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
    waiting.chmod(0o700)
    code = (
        "import sys; from holloway.service import background_worker; sys.executable = sys.argv[1]; "
        "background_worker.start(sys.argv[2], '/srv/shop'); print(background_worker._started[0].pid)"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(waiting), folder], capture_output=True, text=True, check=True
    )
    os.kill(int(ended.stdout), signal.SIGKILL)
    assert ended.stderr == ""
