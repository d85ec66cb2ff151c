"""Projects by their folder: finding, opening, pausing them and restoring their backups."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from holloway import config, git
from holloway.errors import HollowayError, InvalidInput
from holloway.service.holloway import Holloway
from holloway.store import hook_settings, registry
from holloway.store import project as projects
from holloway.store.database import list_replaced_databases, list_rolling_backups
from holloway.store.pause_state import pause_folder, resume_folder
from holloway.store.store import find_backup_file, restore_backup_file

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
    """Open the memory of the project that holds a folder; it is created if it does not exist yet.

    With `create=False` a folder without a memory reads as an empty one, and nothing is left behind.

    >>> with holloway.open("~/code/shop") as memory:
    ...     memory.remember("Money is integer cents", type="decision", pin=True)
    ...     memory.recall("how is money stored")
    """
    folder = Path(home) if home is not None else Path(config.data_home())
    path = Path(project).expanduser()
    if create or knows(path, folder):
        return Holloway(projects.resolve_project(path, folder), folder, clock=clock, ids=ids)
    return _passing(path, folder, clock, ids)


def _passing(path: Path, home: Path, clock: Clock | None, ids: Ids | None) -> Holloway:
    """Return an empty temporary memory, deleted when it is closed; the user's own memories are visible in it."""
    root = Path(projects.find_project_root(path, home))
    place = TemporaryDirectory(prefix="holloway-")
    try:
        memory = Holloway(projects.Project("", root.name, root, Path(place.name), ()), home, clock=clock, ids=ids)
    except BaseException:
        place.cleanup()
        raise
    memory.at_close(place.cleanup)
    return memory


class NoMemory(HollowayError):
    """Raised if a folder has no memory yet."""


def knows(path: Path, home: Path) -> bool:
    """Return whether a folder belongs to a known project, by the registry or by its history."""
    _must_be_there(path)
    return bool(projects.find_owner(path, home))


def known_project(path: str, *, create: bool = False) -> Project:
    """Return the project that holds a folder, without opening its memory; raises NoMemory if it is unknown."""
    place, home = Path(path).expanduser(), Path(config.data_home())
    if not create and not knows(place, home):
        raise NoMemory(f"There is no memory for {place.resolve()} yet.", "`holloway init` starts one.")
    return projects.resolve_project(place, home)


def find_claim(path: str) -> str:
    """Return a sentence for the person if a folder names the origin of a project whose history it does not share."""
    claim = projects.find_claim(Path(path).expanduser(), Path(config.data_home()))
    return f"{claim.reason}; {projects.JOIN_HINT}." if claim else ""


def join_project(path: str) -> Project:
    """Let a folder share the memory of the project whose origin or first commit it names; raises InvalidInput."""
    place = Path(path).expanduser()
    _must_be_there(place)
    return projects.join_project(place, Path(config.data_home()))


def begin(path: str) -> bool:
    """Register the project that holds a folder; returns False if the folder is neither in git nor known."""
    place = Path(path).expanduser()
    if not git.find_root(str(place)) and not knows(place, Path(config.data_home())):
        return False
    open_project(place).close()
    return True


def project_root(path: str) -> Path:
    """Return the root of the project that holds a folder; creates nothing."""
    place = Path(path).expanduser()
    _must_be_there(place)
    return Path(projects.find_project_root(place, Path(config.data_home())))


def pause(path: str, part: str = "all", *, everywhere: bool = False) -> str:
    """Pause the project that holds a folder, or every project; returns all that is paused there."""
    return pause_folder(_pause_folder(path, everywhere), part)


def resume(path: str, part: str = "all", *, everywhere: bool = False) -> bool:
    """Resume all or a part; returns False if that was not paused there."""
    return resume_folder(_pause_folder(path, everywhere), part)


def paused_where(path: str) -> dict[str, str]:
    """Return what is paused `here`, in the project that holds a folder, and `everywhere`, if anything is."""
    home, key = config.data_home(), known_project(path).key
    folders = {"here": registry.get_project_folder(home, key), "everywhere": home}
    return {scope: mode for scope, folder in folders.items() if (mode := registry.read_paused_mode(folder))}


def refresh_hook_settings() -> None:
    """Write the settings that hooks obey for every project, after a setting was changed."""
    home = Path(config.data_home())
    for project in projects.list_projects(home):
        hook_settings.save_hook_settings(project, config.Settings.load_settings(project.key, str(home)))


def _pause_folder(path: str, everywhere: bool) -> Path:
    return Path(config.data_home()) if everywhere else known_project(path, create=True).folder


def list_backups(path: str) -> list[Path]:
    """Return the backups of the project that holds a folder, newest first, then the states that restores replaced."""
    folder = known_project(path).backups_folder
    return [*list_rolling_backups(folder), *list_replaced_databases(folder)]


def find_backup(path: str, wanted: str) -> Path:
    """Return the backup with a name, or the newest sound one for `latest`."""
    return find_backup_file(known_project(path), wanted)


def restore_backup(path: str, wanted: str) -> tuple[Path, Path | None]:
    """Put a backup in the memory's place; returns it, and the file with the state before, if there was one."""
    return restore_backup_file(known_project(path), wanted)


def find_project(root: str, home: Path) -> Project | None:
    """Return the known project at a folder, by another of its folders if that one is gone; creates nothing."""
    project = projects.find_project(Path(root), home)
    if project is None or project.root.is_dir():
        return project
    return next((other for other in projects.list_projects(home) if other.key == project.key), None)


def _must_be_there(folder: Path) -> None:
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder.", "Give the folder of a project with --project.")
