"""Starts a panel for a project, and makes links to the one that runs."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import Timeout

from holloway import config
from holloway.errors import HollowayError, InvalidInput
from holloway.extras import PackageMissing
from holloway.panel.access import PanelFolder
from holloway.service.project_finder import known_project

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.panel.api import ApiOperation
    from holloway.service.results import Project

    Api = Callable[[Path], list[ApiOperation]]

PANEL_LOCK_WAIT_S = 1.0
"""Others take the lock for a moment to see whether a panel runs."""
PANEL_PACKAGES = ("starlette", "jinja2", "uvicorn")


def check_packages() -> None:
    """Raise PackageMissing, which names the command to install it, if a package of the extra is missing."""
    for name in PANEL_PACKAGES:
        try:
            import_module(name)
        except ImportError as error:
            raise PackageMissing(name, "panel") from error


def is_running(path: str) -> bool:
    """Return whether a panel runs for a project."""
    return bool(PanelFolder(known_project(path).folder).find_panel())


def make_link(path: str, page: str = "/") -> str:
    """Return a new one-time address of a page of the panel that runs for a project. Raises InvalidInput without one."""
    folder = PanelFolder(known_project(path).folder)
    if not (address := folder.find_panel()):
        raise InvalidInput("No panel runs for this project.", "`holloway panel` starts one.")
    return folder.make_link(address, page)


def read_token(path: str) -> str:
    """Return the token with which programs use the panel of a project; it stays the same."""
    return PanelFolder(known_project(path).folder).load_api_token()


def run(
    path: str,
    *,
    announce: Callable[[str], None],
    api: Api,
    port: int = 0,
    read_only: bool = False,
    hosts: tuple[str, ...] = (),
    page: str = "/",
) -> None:
    """Serve the panel of a project until the process is interrupted.

    `announce` gets its one-time address, which opens `page`. `api` returns the operations of the HTTP API for the
    project's root.

    Raises HollowayError if a panel runs already or the port is taken, and PackageMissing without the extra.
    """
    check_packages()
    project = known_project(path)
    folder = PanelFolder(project.folder)
    try:
        with folder.lock().acquire(timeout=PANEL_LOCK_WAIT_S):
            _serve(project, folder, port, read_only=read_only, hosts=hosts, announce=announce, api=api, page=page)
    except Timeout:
        raise HollowayError(
            "A panel runs for this project already.", "`holloway panel --link` prints a new address of it."
        ) from None


def _serve(
    project: Project,
    folder: PanelFolder,
    port: int,
    *,
    read_only: bool,
    hosts: tuple[str, ...],
    announce: Callable[[str], None],
    api: Api,
    page: str,
) -> None:
    from holloway.panel import server  # imports the optional packages
    from holloway.panel.app import create_app
    from holloway.panel.panel import Panel
    from holloway.panel.security import Policy

    with server.bind(port) as listener:
        bound_port: int = listener.getsockname()[1]
        policy = Policy(
            bound_port,
            api_token=folder.load_api_token(),
            host_headers=tuple(host.lower() for host in hosts),
            read_only=read_only,
        )
        app = create_app(Panel(project, Path(config.data_home()), policy), api(project.root))
        announce(folder.make_link(folder.publish(bound_port), page))
        with suppress(KeyboardInterrupt):  # the server has stopped when it passes the interrupt on
            server.make_server(app).run(sockets=[listener])
