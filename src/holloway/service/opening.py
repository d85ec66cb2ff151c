"""Finding and opening a project's memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holloway import config
from holloway.service.holloway import Holloway
from holloway.store import project as projects

if TYPE_CHECKING:
    import os

    from holloway.domain.ports import Clock, Ids


def open_project(
    project: str | os.PathLike[str] = ".",
    *,
    home: str | os.PathLike[str] | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> Holloway:
    """Open the memory of the project that holds a folder; it is created where there is none yet.

    >>> with holloway.open("~/code/shop") as memory:
    ...     memory.remember("Money is integer cents", type="decision", pin=True)
    ...     memory.recall("how is money stored")
    """
    folder = Path(home) if home is not None else Path(config.home())
    found = projects.resolve(Path(project).expanduser(), folder)
    return Holloway(found, folder, clock=clock, ids=ids)
