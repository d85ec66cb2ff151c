"""Deletes everything that is stored about one project; its memory then begins again."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from holloway.errors import HollowayError
from holloway.service import background_worker
from holloway.store.panel_address import PANEL_FOLDER
from holloway.store.registry import HOOK_SETTINGS

if TYPE_CHECKING:
    from holloway.service.results import Project

KEPT_NAMES = ("project.json", HOOK_SETTINGS, PANEL_FOLDER)
"""Files of a project that say which folder it is, what its person excluded, and where its panel runs."""


def delete_project_data(project: Project) -> None:
    """Delete the memories, sessions, journals, backups and maps of a project for good.

    Memories of all projects, settings and the connections of agents stay. Raises HollowayError, before anything is
    deleted, while the worker runs.
    """
    if background_worker.is_running(str(project.folder)):
        raise HollowayError("The worker is busy in this project; nothing was deleted.", "Try again in a moment.")
    for path in sorted(project.folder.iterdir()):
        if path.name in KEPT_NAMES:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
