"""Runs an agent's program without a person: prompt on stdin, in an empty folder, with a deadline and bounded output.

A supervisor (`agent_supervisor.py`) stands between: it kills the agent, with all that the agent started, as soon as
this process is gone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from holloway.config import LLM_ANSWER_BYTES_MAX
from holloway.llm import agent_supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

FOLDER_PREFIX = "holloway-reader-"
FOLDER_KEEP_S = 24 * 60 * 60
"""Age of a run's folder that no process can need any more: power was cut before it was deleted."""
END_POLL_S = 0.1
STOP_POLL_S = 0.5
END_S = 10.0
"""Longest wait for the supervisor after a run was stopped."""
COMPLAINT_BYTES = 4_096
"""Bytes of standard error that are read."""

PAST_DEADLINE = "deadline"
TOO_LARGE = "size"
TURNED_OFF = "off"


@dataclass(frozen=True, slots=True)
class AgentRun:
    """How a run ended: `cut_short` names why it was stopped (PAST_DEADLINE, TOO_LARGE, TURNED_OFF), or is empty."""

    exit_code: int
    output: str
    complaint: str
    cut_short: str = ""


@contextmanager
def run_folder() -> Iterator[Path]:
    """Make a private folder for one run, with an empty `work` and `tmp` in it, and delete it afterwards."""
    remove_old_folders()
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    try:
        for name in ("work", "tmp"):
            (folder / name).mkdir(mode=0o700)
        yield folder
    finally:
        agent_supervisor.remove_folder(str(folder))


def remove_old_folders() -> None:
    """Delete this user's folders of runs that cannot be running any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            if about.st_uid == os.getuid() and time.time() - about.st_mtime > FOLDER_KEEP_S:
                shutil.rmtree(folder, ignore_errors=True)


def run_agent(
    command: Sequence[str],
    folder: Path,
    prompt: str,
    environment: Mapping[str, str],
    *,
    deadline_s: float,
    is_stopped: Callable[[], bool],
) -> AgentRun:
    """Run a command to its end, to the deadline, to the size limit, or until `is_stopped` returns True.

    Raises OSError if no process can be started.
    """
    # Files, not pipes: neither side can block, and a process that is left over cannot hold a pipe open.
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(prompt.encode("utf-8", "replace"))
        stdin.seek(0)
        status, supervisor_status = os.pipe()
        supervisor_owner, owner = os.pipe()
        arguments = (str(folder), str(supervisor_status), str(supervisor_owner), *command)
        try:
            supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", agent_supervisor.__file__, *arguments],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=dict(environment),
                cwd=folder,
                pass_fds=(supervisor_status, supervisor_owner),
                start_new_session=True,
            )
        except OSError:
            os.close(owner)
            os.close(status)
            raise
        finally:
            os.close(supervisor_status)
            os.close(supervisor_owner)
        try:
            cut_short = _wait_for_end(supervisor, stdout, deadline_s, is_stopped)
        finally:
            os.close(owner)
            _end_processes(supervisor, status)
        return AgentRun(supervisor.returncode, _read_start(stdout), _read_end(stderr), cut_short)


def _wait_for_end(
    supervisor: subprocess.Popen[bytes], stdout: IO[bytes], deadline_s: float, is_stopped: Callable[[], bool]
) -> str:
    """Wait until the run ends by itself or has to be stopped; return the reason to stop it."""
    started = time.monotonic()
    next_stop_check = started
    while True:
        with suppress(subprocess.TimeoutExpired):
            supervisor.wait(END_POLL_S)
            return ""
        now = time.monotonic()
        if now - started > deadline_s:
            return PAST_DEADLINE
        if os.fstat(stdout.fileno()).st_size > LLM_ANSWER_BYTES_MAX:
            return TOO_LARGE
        if now >= next_stop_check:
            next_stop_check = now + STOP_POLL_S
            if is_stopped():
                return TURNED_OFF


def _end_processes(supervisor: subprocess.Popen[bytes], status: int) -> None:
    """Wait for the supervisor, which kills the agent; do it here if the supervisor itself was killed or hangs."""
    try:
        supervisor.wait(END_S)
    except subprocess.TimeoutExpired:
        supervisor.kill()
        supervisor.wait()
    with open(status, "rb") as pipe:
        group = pipe.read(32).strip()
    if supervisor.returncode < 0 and group.isdigit():
        agent_supervisor.kill_group(int(group))


def _read_start(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(LLM_ANSWER_BYTES_MAX).decode("utf-8", "replace")


def _read_end(file: IO[bytes]) -> str:
    file.seek(max(0, os.fstat(file.fileno()).st_size - COMPLAINT_BYTES))
    return file.read(COMPLAINT_BYTES).decode("utf-8", "replace")
