"""What became of each answer that a hook owed an agent: given, degraded or dropped, and how long it took.

One bounded file of short lines in the project's folder, without any content. Light: hooks append to it, also from the
thread that ends a process whose deadline has passed.
"""

from __future__ import annotations

import os
import time

FULL, EMPTY, DEGRADED, DROPPED = "full", "empty", "degraded", "dropped"
FILE = "answers.log"
FILE_BYTES_MAX = 512 * 1024
"""A full file becomes the old one; together they hold the events of weeks."""
SESSION_CHARS_MAX = 80
_FIELDS = 6


class LoggedAnswer:
    """One event: when, in which session, at which point, what became of it, how far it was degraded, and its time.

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


def append(folder: str, session: str, point: str, outcome: str, step: str, milliseconds: float) -> None:
    """Write one line; the folder is the project's, or the data folder where the project was not known yet."""
    path = os.path.join(folder, FILE)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {_plain(session)} {point} {outcome} {step or '-'} {milliseconds:.0f}\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode("ascii", "replace"))
        is_full = os.fstat(descriptor).st_size > FILE_BYTES_MAX
    finally:
        os.close(descriptor)
    if is_full:
        _rotate(path)


def _rotate(path: str) -> None:
    """Make the full file the old one; of several processes that find it full, the first does."""
    try:
        if os.stat(path).st_size > FILE_BYTES_MAX:
            os.replace(path, path + ".1")
    except FileNotFoundError:
        pass


def read(folder: str, *, session: str = "", since: str = "") -> list[LoggedAnswer]:
    """The answers that were owed, oldest first: to one session, or since a moment. Damaged lines are skipped."""
    wanted = _plain(session) if session else ""
    answers = []
    for name in (FILE + ".1", FILE):
        for line in _lines(os.path.join(folder, name)):
            if wanted and wanted not in line:
                continue
            fields = line.split()
            if len(fields) != _FIELDS or not fields[5].isdigit():
                continue
            at, told, point, outcome, step, milliseconds = fields
            if at >= since and (not wanted or told == wanted):
                answers.append(LoggedAnswer(at, told, point, outcome, "" if step == "-" else step, int(milliseconds)))
    return answers


def count(answers: list[LoggedAnswer]) -> dict[str, int]:
    """How many answers were given, degraded and dropped, by point and step; one that was not owed is not counted."""
    counts: dict[str, int] = {FULL: 0, DEGRADED: 0, DROPPED: 0}
    for answer in answers:
        if answer.outcome in counts:
            counts[answer.outcome] += 1
        if answer.outcome in (DEGRADED, DROPPED):
            how = f"{answer.point}:{answer.step or 'deadline'}"
            counts[how] = counts.get(how, 0) + 1
    return counts


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as log:
            return log.read(2 * FILE_BYTES_MAX).splitlines()
    except OSError:
        return []


def _plain(session: str) -> str:
    """A session's name as one word of a line."""
    kept = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._/-") else "_" for letter in session)
    return kept[:SESSION_CHARS_MAX] or "unknown"
