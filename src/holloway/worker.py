"""Background worker: `python -m holloway.worker ROOT` runs the jobs that are due in a project, and exits.

Only one worker runs per project: it holds a lock that the system releases when it ends, after ten minutes at most. It
may be killed at any moment: every job writes in its own transactions, and unfinished jobs are due at the next start.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from holloway.config import (
    JOB_ATTEMPTS_MAX,
    JOB_RETRY_AFTER_HOURS,
    WORKER_LOG_BYTES_MAX,
    WORKER_NICENESS,
    WORKER_SECONDS_MAX,
    data_home,
    replace_file,
)
from holloway.domain.ports import SystemClock, format_stamp, parse_stamp
from holloway.errors import HollowayError
from holloway.service import background_worker
from holloway.service.holloway import Holloway
from holloway.service.jobs import JOBS
from holloway.service.project_finder import find_project
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.ports import Clock
    from holloway.service.jobs import Job
    from holloway.service.results import Project

ERROR_CHARS_MAX = 300
WAIT_S_MAX = 3_600
MARGIN_S = 30.0
"""Seconds before its deadline in which a worker starts no job."""


def main() -> None:
    """Run the jobs that are due in the project at the folder given as argument, after a wait if one is given."""
    if len(sys.argv) not in (2, 3) or not all(seconds.isdecimal() for seconds in sys.argv[2:]):
        sys.exit("usage: python -m holloway.worker ROOT [SECONDS]")
    time.sleep(min(sum(map(int, sys.argv[2:])), WAIT_S_MAX))
    with suppress(AttributeError, OSError):  # not every system has it
        os.nice(WORKER_NICENESS)
    project = find_project(sys.argv[1], Path(data_home()))
    if project is not None:
        run_jobs(project, Path(data_home()))


def run_jobs(
    project: Project,
    data: Path,
    *,
    clock: Clock | None = None,
    jobs: Sequence[Job] = JOBS,
    seconds: float = WORKER_SECONDS_MAX,
) -> bool:
    """Run jobs until none is due; return False if another worker holds the lock."""
    folder = str(project.folder)
    end = time.monotonic() + seconds
    ran = False
    while (project.folder / "project.json").exists():
        try:
            with FileLock(background_worker.lock_file(folder), timeout=0, mode=0o600):
                background_worker.taken(folder)
                ran = True
                WorkerRun(project, data, clock or SystemClock(), end).run_jobs(jobs)
        except (Timeout, OSError):
            return ran
        # A process that found the lock held has left a request first; check for one after releasing the lock.
        if time.monotonic() > end - MARGIN_S or not os.path.exists(background_worker.request_file(folder)):  # noqa: PTH110
            return ran
    return ran


class WorkerRun:
    """One pass over the jobs; its state file is read by `holloway doctor`."""

    def __init__(self, project: Project, data: Path, clock: Clock, end: float) -> None:
        self._project = project
        self._data = data
        self._clock = clock
        self._end = end
        self._folder = str(project.folder)
        self._state = background_worker.read_state(self._folder)

    def run_jobs(self, jobs: Sequence[Job]) -> None:
        """Run every job that is due and may be retried."""
        self._begin()
        watch = threading.Timer(max(0.1, self._end - time.monotonic()), self._out_of_time)
        watch.daemon = True
        watch.start()
        try:
            with Holloway(self._project, self._data, clock=self._clock, settle=False) as memory:
                for job in jobs:
                    if self._may(job.name):
                        self._run_job(job, memory)
        except Exception as error:  # the store cannot be opened, and no caller would see the error
            self._failed("open", error)
        finally:
            watch.cancel()
            self._note(ended=self._now(), chore="")

    def _begin(self) -> None:
        if unfinished := self._state.get("chore"):
            self._count(str(unfinished), "the process ended while it ran")
        self._note(started=self._now(), ended="", pid=os.getpid())

    def _may(self, name: str) -> bool:
        """Return whether there is time left, and the job has not failed too many times in a row."""
        if time.monotonic() > self._end - MARGIN_S:
            return False
        failure_count, failed_at = self._failures().get(name, (0, ""))
        # A failure in the future comes from a wrong clock.
        is_resting = bool(failed_at) and timedelta(0) <= self._clock.now() - parse_stamp(failed_at) < timedelta(
            hours=JOB_RETRY_AFTER_HOURS
        )
        return failure_count < JOB_ATTEMPTS_MAX or not is_resting

    def _run_job(self, job: Job, memory: Holloway) -> None:
        try:
            if not job.is_due(memory):
                return
            self._note(chore=job.name)
            message = job.do(memory, self._end - MARGIN_S - time.monotonic())
        except Exception as error:  # a failing job does not stop the others
            self._failed(job.name, error)
            return
        failures = self._failures()
        failures.pop(job.name, None)
        self._note(failures=failures, chore="")
        if message:
            self._log(f"{job.name}: {message}")

    def _failed(self, name: str, error: Exception) -> None:
        message = error.message if isinstance(error, HollowayError) else type(error).__name__
        self._count(name, message)

    def _count(self, name: str, reason: str) -> None:
        failures = self._failures()
        failures[name] = (failures.get(name, (0, ""))[0] + 1, self._now())
        error_text = one_line(f"{name}: {reason}", ERROR_CHARS_MAX)
        self._note(failures=failures, chore="", error=error_text, error_at=self._now())
        self._log(f"failed: {error_text}")

    def _out_of_time(self) -> None:
        """Exit at the timeout, whatever is running: the system releases locks and rolls back transactions."""
        self._count(str(self._state.get("chore") or "open"), "it took too long")
        self._note(ended=self._now())
        os._exit(0)

    def _failures(self) -> dict[str, tuple[int, str]]:
        """Return how often each job failed in a row and when it failed last; empty if the state file is damaged."""
        saved = self._state.get("failures")
        try:
            return {
                name: (int(times), format_stamp(parse_stamp(at))) for name, (times, at) in dict(saved or {}).items()
            }
        except (TypeError, ValueError, OverflowError):
            return {}

    def _now(self) -> str:
        return format_stamp(self._clock.now())

    def _note(self, **changes: Any) -> None:
        self._state |= changes
        # A full disk or a missing folder does not stop the jobs.
        with suppress(HollowayError):
            background_worker.write_state(self._folder, self._state)

    def _log(self, line: str) -> None:
        path = self._project.folder / "worker.log"
        with suppress(OSError, HollowayError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "ab") as log:
                log.write(f"{self._now()} {line}\n".encode("utf-8", "replace"))
            if path.stat().st_size > WORKER_LOG_BYTES_MAX:
                tail = path.read_bytes()[-WORKER_LOG_BYTES_MAX // 2 :]
                replace_file(str(path), tail.partition(b"\n")[2])


if __name__ == "__main__":
    main()
