"""A program is run in a private folder, with a deadline and a size limit, and nothing of it is left."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.config import LLM_ANSWER_BYTES_MAX
from holloway.llm import agent_process
from holloway.llm.agent_process import PAST_DEADLINE, TOO_LARGE, TURNED_OFF, AgentRun, run_agent, run_folder

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

CHILD = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def run_code(
    code: str, prompt: str = "", *, deadline_s: float = 30.0, is_stopped: Callable[[], bool] = lambda: False
) -> AgentRun:
    environment = {"PATH": os.environ["PATH"], "MARK": f"agent-{os.getpid()}"}
    with run_folder() as folder:
        command = [sys.executable, "-c", code]
        return run_agent(command, folder, prompt, environment, deadline_s=deadline_s, is_stopped=is_stopped)


def count_processes() -> int:
    """Processes that a run of this test started and that are alive."""
    mark = f"MARK=agent-{os.getpid()}".encode()
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            count += mark in (process / "environ").read_bytes()
        except OSError:
            continue
    return count


def test_a_program_gets_the_prompt_on_stdin_in_an_empty_private_folder(temporary: Path) -> None:
    code = (
        "import os, stat, sys; about = os.stat('..');"
        "print(sys.stdin.read(), os.listdir('.'), oct(stat.S_IMODE(about.st_mode)), len(sys.argv))"
    )
    run = run_code(code, "wörter " * 50_000)
    assert run == AgentRun(0, "wörter " * 50_000 + " [] 0o700 1\n", "")
    assert list(temporary.iterdir()) == []


def test_the_exit_code_and_the_last_complaint_are_returned() -> None:
    run = run_code("import sys; sys.stderr.write('x' * 9000 + 'the end'); sys.exit(3)")
    assert (run.exit_code, run.output, run.complaint[-7:], len(run.complaint)) == (3, "", "the end", 4_096)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("code", "deadline_s", "stopped", "reason"),
    [
        (CHILD + "time.sleep(60)", 1.5, False, PAST_DEADLINE),
        (CHILD + "print('x' * 9_000_000, flush=True); time.sleep(60)", 30.0, False, TOO_LARGE),
        (CHILD + "time.sleep(60)", 30.0, True, TURNED_OFF),
        (CHILD, 30.0, False, ""),
    ],
)
def test_a_run_that_is_cut_short_or_over_leaves_no_process_and_no_folder(
    code: str, deadline_s: float, stopped: bool, reason: str, temporary: Path
) -> None:
    started = time.monotonic()
    run = run_code(code, deadline_s=deadline_s, is_stopped=lambda: stopped and time.monotonic() > started + 1)
    assert run.cut_short == reason
    assert len(run.output) <= LLM_ANSWER_BYTES_MAX
    assert count_processes() == 0
    assert list(temporary.iterdir()) == []
    assert time.monotonic() - started < 25


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_an_agent_ends_when_its_supervisor_is_killed() -> None:
    run = run_code(f"import os, signal, time; os.kill(os.getppid(), {int(signal.SIGKILL)}); time.sleep(60)")
    assert run.exit_code == -signal.SIGKILL
    end = time.monotonic() + 20
    while count_processes() and time.monotonic() < end:
        time.sleep(0.1)
    assert count_processes() == 0


def test_a_program_that_cannot_be_started_is_a_failed_run(temporary: Path) -> None:
    with run_folder() as folder:
        run = run_agent(["/nowhere/agent"], folder, "", {}, deadline_s=10, is_stopped=lambda: False)
    assert run.exit_code != 0
    assert "/nowhere/agent" in run.complaint


def test_only_old_folders_of_runs_are_deleted(temporary: Path) -> None:
    old, recent, other = (temporary / name for name in ("holloway-reader-a", "holloway-reader-b", "other"))
    for folder in (old, recent, other):
        (folder / "work").mkdir(parents=True)
    long_ago = time.time() - agent_process.FOLDER_KEEP_S - 60
    for folder in (old, other):
        os.utime(folder, (long_ago, long_ago))
    with run_folder() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert set(temporary.iterdir()) == {recent, other, folder}
