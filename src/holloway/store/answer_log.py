"""Log of hook responses: whether each was full, empty, degraded or dropped, and how long it took.

The log is one bounded file of short lines in the project's folder and holds no content. The module is light: hooks
append to the log, also from the thread that ends a process at its deadline.
"""

from __future__ import annotations

import os
import time

ANSWER_FULL, ANSWER_EMPTY, ANSWER_DEGRADED, ANSWER_DROPPED = "full", "empty", "degraded", "dropped"
LOG_FILE_NAME = "answers.log"
FILE_BYTES_MAX = 512 * 1024
"""Size at which the log is rotated: it becomes the old log. Both together hold the events of weeks."""
SESSION_CHARS_MAX = 80
_FIELD_COUNT = 6


class LoggedAnswer:
    """One logged response: time, session, injection point, outcome, degradation step and duration.

    A plain class, because a dataclass costs a hook milliseconds.
    """

    __slots__ = ("at", "milliseconds", "outcome", "point", "session", "step")

    def __init__(self, at: str, session: str, point: str, outcome: str, step: str, milliseconds: int) -> None:
        self.at = at
        self.session = session
        self.point = point
        self.outcome = outcome
        self.step = step
        self.milliseconds = milliseconds


def append_answer(folder: str, session: str, point: str, outcome: str, step: str, milliseconds: float) -> None:
    """Append one line to the log in the project's folder, or in the data folder while the project is unknown."""
    path = os.path.join(folder, LOG_FILE_NAME)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {_sanitize_session_id(session)} {point} {outcome} {step or '-'} {milliseconds:.0f}\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode("ascii", "replace"))
        is_full = os.fstat(descriptor).st_size > FILE_BYTES_MAX
    finally:
        os.close(descriptor)
    if is_full:
        _rotate_log(path)


def _rotate_log(path: str) -> None:
    """Rename a full log to the old log; of several processes that see it full, only the first does."""
    try:
        if os.stat(path).st_size > FILE_BYTES_MAX:
            os.replace(path, path + ".1")
    except FileNotFoundError:
        pass


def read_answers(folder: str, *, session: str = "", since: str = "") -> list[LoggedAnswer]:
    """Return the logged responses, oldest first, of one session or since a timestamp; damaged lines are skipped."""
    wanted_session = _sanitize_session_id(session) if session else ""
    answers = []
    for name in (LOG_FILE_NAME + ".1", LOG_FILE_NAME):
        for line in _read_lines(os.path.join(folder, name)):
            if wanted_session and wanted_session not in line:
                continue
            fields = line.split()
            if len(fields) != _FIELD_COUNT or not fields[5].isdigit():
                continue
            at, logged_session, point, outcome, step, milliseconds = fields
            if at >= since and (not wanted_session or logged_session == wanted_session):
                answers.append(
                    LoggedAnswer(at, logged_session, point, outcome, "" if step == "-" else step, int(milliseconds))
                )
    return answers


def count_outcomes(answers: list[LoggedAnswer]) -> dict[str, int]:
    """Count full, degraded and dropped responses, the last two also by point and step; empty ones are not counted."""
    counts: dict[str, int] = {ANSWER_FULL: 0, ANSWER_DEGRADED: 0, ANSWER_DROPPED: 0}
    for answer in answers:
        if answer.outcome in counts:
            counts[answer.outcome] += 1
        if answer.outcome in (ANSWER_DEGRADED, ANSWER_DROPPED):
            cause = f"{answer.point}:{answer.step or 'deadline'}"
            counts[cause] = counts.get(cause, 0) + 1
    return counts


def _read_lines(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as log:
            return log.read(2 * FILE_BYTES_MAX).splitlines()
    except OSError:
        return []


def _sanitize_session_id(session: str) -> str:
    """Turn a session id into one word of a log line."""
    sanitized = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "._/-") else "_" for letter in session
    )
    return sanitized[:SESSION_CHARS_MAX] or "unknown"
