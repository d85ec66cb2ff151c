"""The timeout of a hook, so that it never blocks the agent: at its deadline it gives the best answer so far and exits.

Two budgets hold at once: CPU time bounds our own work, wall time bounds the wait of the agent on a busy machine. An
answer is prepared in stages, each better than the one before, so that a deadline costs quality before it costs the
answer. Light: only built-in modules.
"""

from __future__ import annotations

import os
import time

from holloway.config import HOOK_BUDGETS_MS, HOOK_OTHER_BUDGET_MS, deadline_factor
from holloway.store import answer_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAP_S = 0.005
GRACE_S = 1.0
"""Time for what follows the answer, such as starting the worker."""
TERMINATED, FAILED = "terminated", "failed"
WHOLE = "whole"
"""The last stage of an answer: nothing is missing from it."""
UNKNOWN_POINT, NOTED = "unknown", "event"
"""The points of an event that was not read yet, and of one that is only captured."""


class Deadline:
    """The deadline of the one event of this process. A plain class, as hooks need."""

    __slots__ = ("_began", "_given", "_lock", "_offered", "_watches", "folder", "point", "session")

    def __init__(self) -> None:
        import _thread  # built in; the threading module would cost a tenth of the hook's time

        self._lock = _thread.allocate_lock()
        self._watches = False
        self._given = False
        self._reset()

    def _reset(self) -> None:
        self._began = time.monotonic()
        self._offered: tuple[str, bytes, Callable[[], None] | None] = ("", b"", None)
        self.point = UNKNOWN_POINT
        self.session = ""
        self.folder = ""

    def begin(self, point: str) -> None:
        """Apply the budgets of the event that was read, counted from when this process began.

        This only has an effect in a process that watches its deadline, as a hook does from its first line on.
        """
        if self.point != UNKNOWN_POINT:
            self._reset()  # A test has several events in one process.
        self.point = point
        if self._watches:
            self.watch(point)

    def watch(self, point: str) -> None:
        """Enforce the timeout: exit when a budget of this point is used up, even while SQLite waits for a lock."""
        import _thread

        self._watches = True
        wall_ms, cpu_ms = HOOK_BUDGETS_MS.get(point, HOOK_OTHER_BUDGET_MS)
        wall_s, cpu_s = wall_ms * deadline_factor() / 1000, cpu_ms * deadline_factor() / 1000

        def leave_in_time() -> None:
            while (left := min(self._began + wall_s - time.monotonic(), cpu_s - time.process_time())) > 0:
                time.sleep(max(left, NAP_S))
            self.leave("")

        _thread.start_new_thread(leave_in_time, ())

    def offer(self, step: str, answer: bytes, then: Callable[[], None] | None = None) -> None:
        """Have an answer ready for the case that the time is up; `then` notes what it showed."""
        self._offered = (step, answer, then)

    def give(self, answer: bytes) -> None:
        """Give the whole answer, unless the time was up before; then this process is about to end."""
        self._settle()
        if answer:
            os.write(1, answer)
        self._count(answer_log.ANSWER_FULL if answer else answer_log.ANSWER_EMPTY, "")

    def leave(self, why: str) -> None:
        """End the process from a watching thread, with the best answer so far unless one was given."""
        if self._lock.acquire(False):
            self._give_best(why)
        time.sleep(GRACE_S)  # The answer was given, and the time for the work after it is up too.
        os._exit(0)

    def give_up(self, why: str) -> None:
        """Handle a failure: give the best answer so far, unless one was given, and end the process."""
        if self._lock.acquire(False):
            self._give_best(why)
        elif not self._given:
            time.sleep(GRACE_S)  # A watching thread is giving it.
        os._exit(0)

    def _settle(self) -> None:
        """Claim the right to answer; if a watching thread was first, wait for the end of the process."""
        if not self._lock.acquire(False):
            time.sleep(GRACE_S)
            os._exit(0)
        self._given = True

    def _give_best(self, why: str) -> None:
        step, answer, then = self._offered
        try:
            # A host that ended the hook reads nothing more.
            is_lost = not answer or why == TERMINATED
            outcome = answer_log.ANSWER_FULL if step == WHOLE else answer_log.ANSWER_DEGRADED
            self._count(answer_log.ANSWER_DROPPED if is_lost else outcome, why if is_lost else step)
            if answer:
                os.write(1, answer)
            if answer and then:
                then()
        finally:
            os._exit(0)

    def _count(self, outcome: str, step: str) -> None:
        """Log the outcome of an answer; an event that is only captured, or of no project, needs none."""
        if not self.folder or self.point in (NOTED, UNKNOWN_POINT):
            return
        try:
            took_ms = (time.monotonic() - self._began) * 1000
            answer_log.append_answer(self.folder, self.session, self.point, outcome, step, took_ms)
        except OSError:  # A full disk must not cost the answer.
            pass


def leave_after(milliseconds: int) -> None:
    """Exit silently when the time is up; for output that nobody waits for, such as the status line."""
    import _thread

    def leave() -> None:
        time.sleep(milliseconds * deadline_factor() / 1000)
        os._exit(0)

    _thread.start_new_thread(leave, ())
