"""Locating the files of a task in one checkout, with all that its store and its git know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway import git
from holloway.config import GIT_ASIDE_S
from holloway.retrieval.locate import locate_files
from holloway.retrieval.past_sessions import PastSession
from holloway.store import observations

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.codemap.database import MapDatabase
    from holloway.retrieval.locate import LocateResult

PAST_SESSIONS = 300
"""Latest sessions that tell where the next one will work."""


def locate_in_checkout(
    database: MapDatabase,
    connection: sqlite3.Connection,
    root: str,
    task: str,
    *,
    known: Sequence[str] = (),
    limit: int = 10,
    branch: str = "",
    now: datetime,
) -> LocateResult:
    """Locate the files of a task, using the sessions of the store at `connection` and the branch's own changes."""
    past = [PastSession(*session) for session in observations.list_past_sessions(connection, PAST_SESSIONS)]
    branch = branch or git.current_branch(root)
    if branch == git.default_branch(root):
        branch = ""  # All work ends up there, so it is no one piece of work.
    underway = git.files_underway(root, GIT_ASIDE_S)
    return locate_files(
        database, task, files_in_play=known, past=past, branch=branch, underway=underway, limit=limit, now=now
    )
