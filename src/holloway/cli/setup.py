"""Connecting agents: setup."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import click

from holloway.cli.common import ask, emit, home, json_option, project_option, say, yes_option

if TYPE_CHECKING:
    from holloway.service.setup import Plan

ENTRY = re.compile(r'(?P<sign>[+-]) *"(?P<event>\w+)": (?P<entry>\[\{"hooks": .*"timeout": )\d+')
"""A line of a diff that is the hook of one event; only its timeout differs from those of the others."""


@click.command("setup")
@click.argument("agent", metavar="{claude-code|codex}")
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For all projects of this user, or for this project on this machine.",
)
@click.option(
    "--without",
    type=click.Choice(["mcp", "commands", "statusline"]),
    multiple=True,
    help="Leave the MCP server, the slash commands or the status line out; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Show the change and stop.")
@click.option("--remove", is_flag=True, help="Take holloway's entries out again.")
@yes_option
@json_option
@project_option
def setup_command(
    agent: str,
    scope: str,
    without: tuple[str, ...],
    dry_run: bool,
    remove: bool,
    yes: bool,
    as_json: bool,
    project: str,
) -> None:
    """Connect an agent (claude-code or codex): its own configuration gets holloway's hooks, MCP server and commands.

    The whole change is shown and asked for first. Nothing of yours is replaced; --remove restores every byte.

    \b
    Examples:
      holloway setup claude-code
      holloway setup codex --scope project --dry-run
      holloway setup claude-code --remove
    """
    from holloway.service import setup  # loaded when the command runs
    from holloway.service.project_finder import begin, project_root

    chosen, root = setup.dialect(agent), project_root(project)
    plan = (
        setup.removal(chosen, scope, root, home())
        if remove
        else setup.setup(chosen, scope, root, home(), without=without)
    )
    done = not dry_run and carried_out(plan, yes=yes, quiet=as_json)
    known = not remove and not dry_run and (done or not plan.needed) and begin(project)
    if as_json:
        emit(plan_json(plan, changed=done))
    elif dry_run:
        show(plan)
        say("A dry run: nothing was written." if plan.needed else _nothing(plan))
    elif not plan.needed:
        say(_nothing(plan))
        _tell(plan.notes)
    elif done:
        _say_done(plan, known=known)
    else:
        say("Nothing was changed.")


def carried_out(plan: Plan, *, yes: bool, quiet: bool) -> bool:
    """Show what would be done, ask, do it; whether it was done."""
    from holloway.service.setup import apply  # loaded when a command runs

    if not plan.needed:
        return False
    if not quiet:
        show(plan, short=yes)
    if not ask(question(plan), yes=yes):
        return False
    apply(plan, home())
    return True


def question(plan: Plan) -> str:
    """What a person is asked before anything is written."""
    number = len(plan.needed)
    return f"{'Undo' if plan.removes else 'Make'} {'this change' if number == 1 else f'these {number} changes'}?"


def show(plan: Plan, *, short: bool = False) -> None:
    """The whole change and a line for each file; or only the lines."""
    from holloway.service.setup import diff  # loaded when a command runs

    if not short:
        for change in plan.needed:
            say(folded(diff(change)).rstrip("\n"))
    say(f"{plan.dialect.label}, {plan.scope} scope:", "bold")
    for change in plan.needed:
        say(f"  {change.action:<7} {change.path}: {change.part.content.what}")
        if change.part.target != change.path.absolute():
            say(f"          is {change.part.target} (where a link leads)")
        for file in () if change.rewrites else change.leftovers:
            say(f"  delete  {file}")
    if not plan.removes:
        _tell(plan.notes)


def folded(shown: str) -> str:
    """A diff in which an entry that is the same for many events stands once, with the names of the others."""
    kept: list[str] = []
    for same, rows in groupby(shown.split("\n"), key=_entry):
        first, *others = rows
        events = [found["event"] for found in map(ENTRY.match, others) if found]
        kept += [first, f"{first[0]}    likewise, each with its timeout: {', '.join(events)}"] if events else [first]
        kept += [] if same else others
    return "\n".join(kept)


def _entry(row: str) -> str:
    found = ENTRY.match(row)
    return found["sign"] + found["entry"] if found else ""


def plan_json(plan: Plan, *, changed: bool) -> dict[str, object]:
    """A plan as programs see it."""
    from holloway.service.setup import diff  # loaded when a command runs

    files = [
        {"file": str(change.path), "action": change.action, "what": change.part.content.what, "diff": diff(change)}
        for change in plan.needed
    ]
    return {
        "agent": plan.dialect.agent,
        "scope": plan.scope,
        "changed": changed,
        "files": files,
        "notes": list(plan.notes),
    }


def _nothing(plan: Plan) -> str:
    return f"{plan.dialect.label} is {'not connected' if plan.removes else 'connected already'}: nothing to change."


def _say_done(plan: Plan, *, known: bool) -> None:
    label, scope = plan.dialect.label, plan.scope
    if plan.removes:
        say(f"{label} is disconnected; the memories stay.", "green")
        _tell(plan.notes)
        return
    where = "a project that holloway knows" if scope == "user" else "this project"
    say(f"{label} is connected. Its next session in {where} starts with a brief.", "green")
    if not known:
        say("This folder is no project: `holloway init` in one of yours makes it known.", "yellow")
    if plan.dialect.note:
        say(plan.dialect.note, "yellow")
    say(f"Undo: holloway setup {plan.dialect.agent} --scope {scope} --remove", "dim")


def _tell(notes: tuple[str, ...]) -> None:
    for note in notes:
        say(f"  note    {note}", "yellow")
