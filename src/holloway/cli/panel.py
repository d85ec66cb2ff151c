"""Panel commands: start the web panel, and print a link to the one that runs."""

from __future__ import annotations

import click

from holloway.cli.common import project_option

PORT_MAX = 65_535


@click.command("panel")
@click.option("--port", type=click.IntRange(0, PORT_MAX), default=0, help="Port to listen on (default: a free one).")
@click.option("--open", "opens", is_flag=True, help="Open the panel in the browser.")
@click.option("--link", is_flag=True, help="Print a new one-time address of the panel that runs.")
@click.option("--read-only", is_flag=True, help="Show everything, change nothing.")
@click.option(
    "--host-header",
    "hosts",
    multiple=True,
    metavar="HOST[:PORT]",
    help="Also answer to this name, for a container or a forwarded port.",
)
@project_option
def panel_command(port: int, opens: bool, link: bool, read_only: bool, hosts: tuple[str, ...], project: str) -> None:
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

    def announce(address: str) -> None:
        click.echo(address)
        if opens:
            click.launch(address)

    start.run(project, port=port, read_only=read_only, hosts=hosts, announce=announce)
