"""Control of the background worker: request a run, check whether it runs, read its last state. Light: hooks load this.

A request is a file. The caller that creates it starts a process, unless one holds the lock; a burst of callers finds
the file and starts none. A worker checks for a request again after it has released the lock, so that no request is lost
in between. A request that nobody took in time belongs to a process that died: the next caller starts another.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import time

from holloway.config import WORKER_AGAIN_AFTER_S, WORKER_START_S, replace_file
from holloway.store.process_lock import is_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any

_DETACHED_FLAGS = 0x00000008 | 0x00000200 | 0x00004000
"""Windows flags: no console, a separate process group, a priority below normal."""

_started: list[subprocess.Popen[bytes]] = []
"""Workers that this process started; polled at each start, so that ended ones do not stay as zombies."""


def _leave_running() -> None:
    """Give up the workers when this process exits: Python would warn of each process that outlives its parent."""
    for process in _started:
        process.returncode = process.poll() or 0


atexit.register(_leave_running)


def start(folder: str, root: str, *, seldom: bool = False) -> bool:
    """Start a separate process for the jobs due in the project at `root`, whose data is in `folder`; does not wait.

    A worker that is already running gets a request to check again. With `seldom`, nothing happens shortly after the
    last run. Returns whether a process was started.
    """
    if seldom and 0 <= time.time() - _last_run(folder) < WORKER_AGAIN_AFTER_S:
        return False
    is_first = request(folder)
    if is_running(folder) or not (is_first or _is_overdue(folder)):
        return False
    _spawn(folder, root)
    return True


def start_later(folder: str, root: str, seconds: int) -> bool:
    """Start a process that waits for some seconds and then does the jobs that are due; returns whether none waits yet.

    It holds no lock while it waits. A mark that is older than the wait belongs to a process that died.
    """
    mark = os.path.join(folder, "worker.later")
    try:
        is_waiting = 0 <= time.time() - os.stat(mark).st_mtime < seconds
    except OSError:
        is_waiting = False
    if not is_waiting:
        replace_file(mark, b"")
        _spawn(folder, root, str(seconds))
    return not is_waiting


def _spawn(folder: str, *arguments: str) -> None:
    import subprocess  # takes ten milliseconds, needed only to start a process

    # Runs outside the project's folder and with -P, so that no module of the project is imported.
    command = [sys.executable, "-P", "-m", "holloway.worker", *arguments]
    flags: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {"creationflags": _DETACHED_FLAGS}
    nothing = subprocess.DEVNULL
    _started[:] = [process for process in _started if process.poll() is None]
    _started.append(subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, cwd=folder, **flags))


def request(folder: str) -> bool:
    """Create the request file: there may be jobs to do. Returns whether there was none before."""
    try:
        os.close(os.open(request_file(folder), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


def _is_overdue(folder: str) -> bool:
    """Whether a request waits for longer than a worker takes to start, or comes from a clock that was ahead."""
    try:
        age_s = time.time() - os.stat(request_file(folder)).st_mtime
    except OSError:
        return True  # a worker took it just now and may have finished before it saw the caller's work
    if not 0 <= age_s < WORKER_START_S:
        os.utime(request_file(folder))
        return True
    return False


def taken(folder: str) -> bool:
    """Delete the request file; returns whether there was one."""
    try:
        os.unlink(request_file(folder))
    except OSError:
        return False
    return True


def lock_file(folder: str) -> str:
    """Return the path of the file that a worker locks while it runs."""
    return os.path.join(folder, "worker.lock")


def is_running(folder: str) -> bool:
    """Return whether a worker holds the lock now."""
    return is_locked(lock_file(folder))


def read_state(folder: str) -> dict[str, Any]:
    """Return the state that the worker last wrote: `started`, `ended`, `chore`, `error`, `failures`; may be empty."""
    try:
        with open(_state(folder), encoding="utf-8") as file:
            state = json.load(file)
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def write_state(folder: str, state: dict[str, Any]) -> None:
    """Write the state of the worker."""
    replace_file(_state(folder), json.dumps(state).encode())


def _last_run(folder: str) -> float:
    try:
        return os.stat(_state(folder)).st_mtime
    except OSError:
        return 0.0


def _state(folder: str) -> str:
    return os.path.join(folder, "worker.json")


def request_file(folder: str) -> str:
    """Return the path of the request file."""
    return os.path.join(folder, "worker.wanted")
