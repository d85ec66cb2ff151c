"""The supervisor by itself: a process with two pipes, as the program that starts it sees it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from holloway.llm import agent_supervisor

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

SLEEPER = "import time; time.sleep(60)"
LIMIT_S = 30
"""Far above what the run takes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run" / "work").mkdir(parents=True)
    return tmp_path / "run"


@contextmanager
def supervised(folder: Path, code: str) -> Iterator[tuple["subprocess.Popen[bytes]", int, int]]:
    """A supervisor with the id of its agent's group, and the pipe that its owner holds."""
    status, its_status = os.pipe()
    its_owner, owner = os.pipe()
    command = [sys.executable, "-I", "-S", agent_supervisor.__file__, str(folder), str(its_status), str(its_owner)]
    with subprocess.Popen(
        [*command, sys.executable, "-c", code], pass_fds=(its_status, its_owner), stdout=subprocess.PIPE
    ) as supervisor:
        os.close(its_status)
        os.close(its_owner)
        with os.fdopen(status) as reported, suppress(OSError):
            try:
                yield supervisor, int(reported.readline()), owner
            finally:
                supervisor.kill()
                os.close(owner)


def has_ended(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [("", 0), ("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 128 + signal.SIGKILL)],
)
def test_it_ends_as_its_agent_ended_and_leaves_the_folder_to_the_owner(folder: Path, code: str, exit_code: int) -> None:
    with supervised(folder, code) as (supervisor, group, _):
        assert supervisor.wait(LIMIT_S) == exit_code
        assert has_ended(group)
    assert folder.is_dir()


def test_the_agent_works_in_the_folder_of_the_run(folder: Path) -> None:
    with supervised(folder, "import os; print(os.getcwd())") as (supervisor, _, _):
        output, _ = supervisor.communicate(timeout=LIMIT_S)
    assert output.decode().strip() == str((folder / "work").resolve())


def test_an_owner_that_is_gone_ends_the_agent_and_deletes_the_folder(folder: Path) -> None:
    with supervised(folder, SLEEPER) as (supervisor, group, owner):
        os.close(owner)
        assert supervisor.wait(LIMIT_S) == 128 + signal.SIGKILL
        assert has_ended(group)
    assert not folder.exists()


def test_what_an_agent_leaves_behind_ends_with_it(folder: Path) -> None:
    child = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}], stdout=subprocess.DEVNULL)"
    with supervised(folder, child) as (supervisor, group, _):
        assert supervisor.wait(LIMIT_S) == 0
        # A killed process that nobody has waited for yet still belongs to its group.
        assert has_ended(group) or all(state == "Z" for state in group_states(group))


def group_states(group: int) -> list[str]:
    states = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, process_group = path.read_text().rpartition(")")[2].split()[:3]
            states += [state] if int(process_group) == group else []
    return states


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_supervisor_does_not_leave_the_agent_alone(folder: Path, number: signal.Signals) -> None:
    with supervised(folder, SLEEPER) as (supervisor, group, owner):
        supervisor.send_signal(number)
        assert not has_ended(group)
        os.close(owner)
        assert supervisor.wait(LIMIT_S) == 128 + signal.SIGKILL


def test_a_group_that_is_gone_is_no_error() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    process.wait(LIMIT_S)
    agent_supervisor.kill_group(process.pid)


def test_a_folder_is_deleted_though_a_file_appears_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    attempts: list[str] = []
    delete = shutil.rmtree

    def fail_once(path: str, *, ignore_errors: bool) -> None:
        attempts.append(path)
        if len(attempts) > 1:
            delete(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", fail_once)
    agent_supervisor.remove_folder(str(folder))
    assert (len(attempts), folder.exists()) == (2, False)
