"""The worker from outside: asking for it, seeing whether it runs, how its last run went. Light: hooks load this.

A request is a file. Whoever wants something done leaves one, and starts a process unless one holds the lock; a worker
looks for a request again after it has let the lock go, so that none is lost between the two.
"""

from __future__ import annotations

import json
import os
import sys
import time

from holloway.config import WORKER_AGAIN_AFTER_S, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any

_UNSEEN = 0x00000008 | 0x00000200 | 0x00004000
"""Windows: no console, a process group of its own, a priority below what the person is doing."""

_started: list[subprocess.Popen[bytes]] = []
"""Workers that this process started; one that lives long is told when they end, so that nothing stays of them."""


def start(folder: str, root: str, *, seldom: bool = False) -> bool:
    """Have a process of its own do what is due in the project at `root`, whose data is in `folder`; nobody waits.

    One that runs already is told to look again. With `seldom`, nothing happens shortly after the last run. Returns
    whether a process was started.
    """
    if seldom and 0 <= time.time() - _last_run(folder) < WORKER_AGAIN_AFTER_S:
        return False
    request(folder)
    if is_running(folder):
        return False
    import subprocess  # ten milliseconds, only where a process is started

    # Not the project's folder, and no module from there: what lies in a project is not run.
    arguments = [sys.executable, "-P", "-m", "holloway.worker", root]
    flags: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {"creationflags": _UNSEEN}
    nothing = subprocess.DEVNULL
    _started[:] = [process for process in _started if process.poll() is None]
    _started.append(subprocess.Popen(arguments, stdin=nothing, stdout=nothing, stderr=nothing, cwd=folder, **flags))
    return True


def request(folder: str) -> None:
    """Leave word that there may be something to do."""
    os.close(os.open(request_file(folder), os.O_WRONLY | os.O_CREAT, 0o600))


def taken(folder: str) -> bool:
    """Take a request away; whether there was one."""
    try:
        os.unlink(request_file(folder))
    except OSError:
        return False
    return True


def lock_file(folder: str) -> str:
    """The file that a worker locks for as long as it lives."""
    return os.path.join(folder, "worker.lock")


def is_running(folder: str) -> bool:
    """Whether a worker holds the lock at this moment."""
    try:
        import fcntl
    except ImportError:
        return _is_locked(folder)
    try:
        descriptor = os.open(lock_file(folder), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _is_locked(folder: str) -> bool:
    """The same where there is no `flock`."""
    from filelock import FileLock, Timeout  # takes longer to load than the rest of a hook

    try:
        with FileLock(lock_file(folder), timeout=0, mode=0o600):
            return False
    except Timeout:
        return True


def read_state(folder: str) -> dict[str, Any]:
    """What the worker last wrote down of itself: `started`, `ended`, `chore`, `error`, `failures`."""
    try:
        with open(_state(folder), encoding="utf-8") as file:
            state = json.load(file)
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def write_state(folder: str, state: dict[str, Any]) -> None:
    """Write it down."""
    replace_file(_state(folder), json.dumps(state).encode())


def _last_run(folder: str) -> float:
    try:
        return os.stat(_state(folder)).st_mtime
    except OSError:
        return 0.0


def _state(folder: str) -> str:
    return os.path.join(folder, "worker.json")


def request_file(folder: str) -> str:
    """The file that is a request."""
    return os.path.join(folder, "worker.wanted")
