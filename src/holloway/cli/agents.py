"""Connecting agents: setup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import ask, emit, home, json_option, opened, project_option, say, yes_option

if TYPE_CHECKING:
    from holloway.hooks import install


@click.command("setup")
@click.argument("agent", metavar="AGENT")
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For all projects of this user, or for this project on this machine.",
)
@click.option("--dry-run", is_flag=True, help="Show the change and stop.")
@click.option("--remove", is_flag=True, help="Take holloway's entries out again.")
@yes_option
@json_option
@project_option
def setup_command(agent: str, scope: str, dry_run: bool, remove: bool, yes: bool, as_json: bool, project: str) -> None:
    """Connect an agent: its own configuration gets holloway's hooks. The change is shown and asked for first.

    \b
    Examples:
      holloway setup claude-code
      holloway setup claude-code --scope project --dry-run
      holloway setup claude-code --remove
    """
    from holloway.hooks import install  # loaded when the command runs

    dialect = install.dialect(agent)
    with opened(project) as memory:
        root = memory.project.root
    change = install.plan(dialect, install.config_file(dialect, scope, root), remove=remove, home=home())
    if as_json and (dry_run or not change.needed):
        emit({"agent": agent, "file": str(change.path), "changed": False, "diff": change.diff()})
        return
    if not change.needed:
        say(f"{dialect.label} is {'not connected' if remove else 'connected already'}: nothing to change.")
        return
    if dry_run:
        say(change.diff())
        say("A dry run: nothing was written.")
        return
    if not as_json:
        _explain(change, remove=remove)
    if not ask(f"Write this to {change.path}?", yes=yes):
        say("Nothing was changed.")
        return
    install.apply(change, home())
    if as_json:
        emit({"agent": agent, "file": str(change.path), "changed": True, "diff": change.diff()})
    elif remove:
        say(f"{dialect.label} is disconnected; the memories stay.", "green")
    else:
        say(f"{dialect.label} is connected. Its next session in this project starts with a brief.", "green")
        say(f"Undo: holloway setup {agent} --scope {scope} --remove", "dim")


def _explain(change: install.Change, *, remove: bool) -> None:
    """The change in a few lines; --dry-run prints it whole."""
    from holloway.hooks import install  # loaded when the command runs

    entry = change.entry()
    say(f"{change.path}: hooks {'to remove' if remove else 'to add'}", "bold")
    say(f"  on     {', '.join(change.events())}")
    say(f"  run    {entry['command']} ... {install.MARK}")
    say("  --dry-run shows the whole change; everything else in the file stays as it is.", "dim")
