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
      holloway setup codex --scope project --dry-run
      holloway setup claude-code --remove
    """
    from holloway.hooks import install  # loaded when the command runs

    dialect = install.dialect(agent)
    change = _planned(dialect, scope, project, remove=remove)
    if not remove and not dry_run and not change.needed:
        opened(project, create=True).close()
    if as_json and (dry_run or not change.needed):
        emit({"agent": agent, "file": str(change.path), "changed": False, "diff": change.diff()})
        return
    if not change.needed:
        say(f"{dialect.label} is {'not connected' if remove else 'connected already'}: nothing to change.")
        return
    if dry_run:
        say(change.diff())
        _name_leftovers(change)
        say("A dry run: nothing was written.")
        return
    if not as_json:
        _explain(change)
    if not ask(f"Write this to {change.path}?" if change.rewrites else "Delete these?", yes=yes):
        say("Nothing was changed.")
        return
    install.apply(change, home())
    if not remove:
        opened(project, create=True).close()
    if as_json:
        emit({"agent": agent, "file": str(change.path), "changed": True, "diff": change.diff()})
    elif remove:
        say(f"{dialect.label} is disconnected; the memories stay.", "green")
    else:
        where = "a project that holloway knows" if scope == "user" else "this project"
        say(f"{dialect.label} is connected. Its next session in {where} starts with a brief.", "green")
        if dialect.note:
            say(dialect.note, "yellow")
        say(f"Undo: holloway setup {agent} --scope {scope} --remove", "dim")


def _planned(dialect: install.Dialect, scope: str, project: str, *, remove: bool) -> install.Change:
    """The change to the file of that scope; a project's file has to lie in the project."""
    from holloway.hooks import install  # loaded when the command runs
    from holloway.service.opening import project_root

    root = project_root(project)
    path = install.config_file(dialect, scope, root)
    return install.plan(dialect, path, remove=remove, home=home(), within=root if scope == "project" else None)


def _explain(change: install.Change) -> None:
    """The change in a few lines; --dry-run prints it whole."""
    from holloway.hooks import install  # loaded when the command runs

    if not change.rewrites:
        say(f"{change.path} has no hooks of holloway's.", "bold")
        _name_leftovers(change)
        return
    say(f"{change.path}: hooks {'to remove' if change.removes else 'to add'}", "bold")
    if change.target != change.path.absolute():
        say(f"  in     {change.target} (where a link leads)")
    say(f"  on     {', '.join(change.events())}")
    say(f"  run    {change.command()} ... {install.MARK}")
    say("  --dry-run shows the whole change; everything else in the file stays as it is.", "dim")


def _name_leftovers(change: install.Change) -> None:
    for file in change.leftovers:
        say(f"  delete {file}")
