"""Panel commands: start the web panel, print a link to the one that runs, and open its form for teaching."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from holloway.cli.common import base_folder, open_memory, project_option

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.panel.api import ApiOperation

PORT_MAX = 65_535


@click.command("panel")
@click.option("--port", type=click.IntRange(0, PORT_MAX), default=0, help="Port to listen on (default: a free one).")
@click.option("--open", "opens", is_flag=True, help="Open the panel in the browser.")
@click.option("--link", is_flag=True, help="Print a new one-time address of the panel that runs.")
@click.option("--token", is_flag=True, help="Print the token of the HTTP API and of MCP over HTTP.")
@click.option("--read-only", is_flag=True, help="Show everything, change nothing.")
@click.option(
    "--host-header",
    "hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="Also answer to this name, for a container or a forwarded port.",
)
@project_option
def panel_command(
    port: int, opens: bool, link: bool, token: bool, read_only: bool, hosts: tuple[str, ...], project: str
) -> None:
    """Serve the web panel of a project on this machine, and print its address.

    The address works once and for ten minutes; your browser then stays signed in until the panel ends. The panel
    listens on this machine only, and it ends with Ctrl-C.

    \b
    Examples:
      holloway panel --open
      holloway panel --link
      holloway panel --port 8800 --read-only
    """
    from holloway.panel import start  # loaded when the command runs

    if link:
        click.echo(start.make_link(project))
        return

    if token:
        click.echo(start.read_token(project))
        return

    announce = partial(_announce, opens=opens)
    start.run(project, port=port, read_only=read_only, hosts=hosts, announce=announce, api=_build_api)


def _announce(address: str, *, opens: bool) -> None:
    """Print the address of a page, and open it in the browser if the person wants that."""
    click.echo(address)
    if opens:
        click.launch(address)


def _build_api(root: Path) -> list[ApiOperation]:
    from holloway.cli.http_api import build_operations  # imports every command

    return build_operations(root)


@click.command("teach")
@click.argument("file", required=False)
@click.option("--text", default="", help="Text of the memory, to be edited before it is stored.")
@click.option("--open", "opens", is_flag=True, help="Open the form in the browser.")
@project_option
def teach_command(file: str | None, text: str, opens: bool, project: str) -> None:
    """Print the address of the panel's form for a new memory, filled in with a file and a text.

    An editor can run this for the file under the cursor. Without a running panel it serves one until Ctrl-C; `holloway
    remember` stores a memory without a panel.

    \b
    Examples:
      holloway teach src/auth/tokens.py --open
      holloway teach --text "Tokens rotate on use"
    """
    from urllib.parse import urlencode  # loaded when the command runs

    from holloway.panel import start

    with open_memory(project) as memory:
        path = memory.path_of(file, base_folder(project)) if file else ""
    fields = {name: value for name, value in (("file", path), ("text", text)) if value}
    page = f"/teach?{urlencode(fields)}" if fields else "/teach"
    announce = partial(_announce, opens=opens)
    if start.is_running(project):
        announce(start.make_link(project, page))
    else:
        start.run(project, announce=announce, api=_build_api, page=page)
