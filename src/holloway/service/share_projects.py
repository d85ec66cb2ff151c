"""Sharing of several projects: what each would send, and which of them a person excludes or includes by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holloway.errors import InvalidInput
from holloway.service.holloway import Holloway
from holloway.service.share_offer import ProjectOffer, offer_project
from holloway.store import project as projects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.store.project import Project


def list_project_offers(home: Path, remote: str) -> list[ProjectOffer]:
    """Return what sharing each project of this machine would send; a folder that is gone is left out."""
    return [_offer_project(project, home, remote) for project in _list_existing(home)]


def find_projects(reference: str, home: Path) -> list[Project]:
    """Return the projects with a name, or the one at a folder. Raises InvalidInput if there is none."""
    existing = list(_list_existing(home))
    matching = [project for project in existing if project.name.casefold() == reference.casefold()]
    if not matching and Path(reference).expanduser().is_dir():
        root = projects.find_project_root(Path(reference).expanduser(), home)
        project_here = projects.find_project(Path(root), home)
        matching = [project_here] if project_here else []
    if not matching:
        names = ", ".join(sorted({project.name for project in existing})) or "none yet"
        raise InvalidInput(f"No project is called {reference[:80]!r}.", f"Projects: {names}.")
    return matching


def decide_projects(reference: str, home: Path, *, excludes: bool) -> list[str]:
    """Exclude the projects with a name or folder from sharing, or include them; returns their names."""
    names = []
    for project in find_projects(reference, home):
        with Holloway(project, home, settle=False) as memory:
            sharing = memory.sharing()
            if excludes:
                sharing.exclude()
            else:
                sharing.include()
        names.append(project.name)
    return names


def _offer_project(project: Project, home: Path, remote: str) -> ProjectOffer:
    with Holloway(project, home, settle=False) as memory:
        return offer_project(memory.store, remote)


def _list_existing(home: Path) -> Iterator[Project]:
    return (project for project in projects.list_projects(home) if project.root.is_dir())
