"""Finding and opening a project's memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from holloway import config, git
from holloway.errors import HollowayError, InvalidInput
from holloway.service.holloway import Holloway
from holloway.store import project as projects
from holloway.store import registry

if TYPE_CHECKING:
    import os

    from holloway.domain.ports import Clock, Ids
    from holloway.store.project import Project


def open_project(
    project: str | os.PathLike[str] = ".",
    *,
    home: str | os.PathLike[str] | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    create: bool = True,
) -> Holloway:
    """Open the memory of the project that holds a folder; it is created where there is none yet.

    With `create=False` a folder without a memory reads as an empty one, and nothing is left behind.

    >>> with holloway.open("~/code/shop") as memory:
    ...     memory.remember("Money is integer cents", type="decision", pin=True)
    ...     memory.recall("how is money stored")
    """
    folder = Path(home) if home is not None else Path(config.home())
    path = Path(project).expanduser()
    if create or knows(path, folder):
        return Holloway(projects.resolve(path, folder), folder, clock=clock, ids=ids)
    return _passing(path, folder, clock, ids)


def _passing(path: Path, home: Path, clock: Clock | None, ids: Ids | None) -> Holloway:
    """An empty memory that goes when it is closed; the user's own is seen beside it."""
    root = Path(projects.root_of(path, home))
    place = TemporaryDirectory(prefix="holloway-")
    try:
        memory = Holloway(projects.Project("", root.name, root, Path(place.name), ()), home, clock=clock, ids=ids)
    except BaseException:
        place.cleanup()
        raise
    memory.at_close(place.cleanup)
    return memory


class NoMemory(HollowayError):
    """Nothing was ever remembered here."""


def knows(path: Path, home: Path) -> bool:
    """Whether a folder belongs to a known project; a known root with a new origin counts."""
    key, root = registry.find(str(path), str(home))
    _must_be_there(path)
    return bool(key or root) or any(projects.known_by_history(path, home))


def known_project(path: str, *, create: bool = False) -> Project:
    """The project that holds a folder, without opening its memory."""
    place, home = Path(path).expanduser(), Path(config.home())
    if not create and not knows(place, home):
        raise NoMemory(f"There is no memory for {place.resolve()} yet.", "`holloway init` starts one.")
    return projects.resolve(place, home)


def begin(path: str) -> bool:
    """Know the project that holds a folder from now on; False where the folder is no project: no git, and not known."""
    place = Path(path).expanduser()
    if not git.find_root(str(place)) and not knows(place, Path(config.home())):
        return False
    open_project(place).close()
    return True


def project_root(path: str) -> Path:
    """The root of the project that holds a folder; nothing is created."""
    place = Path(path).expanduser()
    _must_be_there(place)
    return Path(projects.root_of(place, Path(config.home())))


def _must_be_there(folder: Path) -> None:
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder.", "Give the folder of a project with --project.")
