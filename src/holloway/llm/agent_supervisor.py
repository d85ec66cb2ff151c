"""Runs one agent for the process that started it and ends with that process: a program, not a module to import.

`python agent_supervisor.py FOLDER STATUS OWNER COMMAND...` starts the command in a process group, writes the id of that
group to descriptor STATUS and waits. When descriptor OWNER is closed, because the owner stopped the run or was killed,
the group is killed and the folder deleted: a killed worker leaves no agent and no file behind.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

OWNER_POLL_S = 0.2
REMOVAL_ATTEMPTS = 5
"""A killed process may finish writing a file while its folder is deleted."""


def run_command(folder: str, status: int, owner: int, command: list[str]) -> int:
    """Run a command until it ends or the owner is gone, then kill what is left of its group; return its exit code."""
    process = subprocess.Popen(command, cwd=Path(folder) / "work", start_new_session=True)
    os.write(status, f"{process.pid}\n".encode())
    os.close(status)
    is_owned = True
    while is_owned and process.poll() is None:
        readable, _, _ = select.select([owner], [], [], OWNER_POLL_S)
        is_owned = not readable
    kill_group(process.pid)
    code = process.wait()
    if not is_owned:
        remove_folder(folder)
    return code


def kill_group(group: int) -> None:
    """Kill every process of a group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def remove_folder(folder: str) -> None:
    """Delete the folder of a run."""
    for _ in range(REMOVAL_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            return


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: None)  # it ends with its owner; the agent does not inherit handlers
    exit_code = run_command(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
    sys.exit(exit_code if exit_code >= 0 else 128 - exit_code)
