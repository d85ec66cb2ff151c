"""Commands that agents start: the MCP server and the status line."""

from __future__ import annotations

from pathlib import Path

import click

from holloway.cli.common import project_option
from holloway.errors import InvalidInput


@click.command("mcp")
@project_option
def mcp_command(project: str) -> None:
    """Serve a project's memory and code map to an agent over stdin and stdout (Model Context Protocol).

    The agent's host starts this, not a person; docs/mcp.md shows the entry for its configuration. It needs an optional
    package; if that is missing, the error names the command that installs it.

    \b
    Example:
      claude mcp add holloway -- holloway mcp
    """
    from holloway.mcp.server import serve_stdio  # the optional package takes seconds to load

    place = Path(project).expanduser().resolve()
    if not place.is_dir():
        raise InvalidInput(f"{place} is not a folder.", "Give the folder of a project with --project.")
    serve_stdio(place)


@click.command("statusline")
def statusline_command() -> None:
    """Print one line for an agent's status bar; the agent sends its state on stdin. Prints nothing without a memory.

    Claude Code runs this, not a person; `holloway setup claude-code` shows the entry for its settings.

    \b
    Example:
      echo '{"cwd": "."}' | holloway statusline
    """
    from holloway.hooks import statusline  # usually run without this command line around it

    statusline.main()
