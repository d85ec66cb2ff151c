"""Evidence by reading: a session that changed nothing proves a statement by the very file that the statement names."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from holloway.observer.activity import ActivityEntry, SessionActivity

READ_EVIDENCE_STEPS = 40
"""Number of steps before and after a statement within which a look at its file counts."""


def is_confirmed_by_reading(activity: SessionActivity, step: int, file: str, names: Collection[str]) -> bool:
    """Whether the session changed nothing and saw, in the file that a statement names, another name from it.

    `names` are the code names of the statement in lower case; those of the file itself prove nothing.
    """
    wanted = {name for name in names if posixpath.basename(name) != posixpath.basename(file).casefold()}
    if not file or not wanted or activity.edited_files:
        return False
    looks = (entry for entry in activity.entries if abs(entry.step - step) <= READ_EVIDENCE_STEPS)
    return any(_shows_name(entry, file, wanted) for entry in looks)


def _shows_name(entry: ActivityEntry, file: str, names: Collection[str]) -> bool:
    if entry.kind not in ("read", "search") or entry.action.ok is False:
        return False
    if entry.path == file:
        shown_text = entry.action.text.casefold()
    else:  # a search over several files names the file on each line
        lines = entry.action.text.casefold().splitlines() if entry.kind == "search" else []
        shown_text = "\n".join(line for line in lines if file.casefold() in line)
    return any(name in shown_text for name in names)
