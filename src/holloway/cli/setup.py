"""The setup command: show, apply or remove the configuration change that connects an agent."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import click

from holloway.cli.common import ask, emit, home, json_option, project_option, say, yes_option

if TYPE_CHECKING:
    from holloway.service.setup import Plan

ENTRY = re.compile(r'(?P<sign>[+-]) *"(?P<event>\w+)": (?P<entry>\[\{"hooks": .*"timeout": )\d+')
"""Diff line with the hook of one event; the hooks of all events differ only in the timeout."""


@click.command("setup")
@click.argument("agent", metavar="{claude-code|codex}")
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="Connect for all your projects, or for this project on this machine only.",
)
@click.option(
    "--without",
    type=click.Choice(["mcp", "commands", "statusline"]),
    multiple=True,
    help="Skip the MCP server, the slash commands or the status line; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Show the change without making it.")
@click.option("--remove", is_flag=True, help="Remove holloway's entries again.")
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
    """Connect an agent (claude-code or codex): add holloway's hooks, MCP server and commands to its configuration.

    The full change is shown first, and you are asked to confirm it. Your own entries stay; --remove restores every
    byte.

    \b
    Examples:
      holloway setup claude-code
      holloway setup codex --scope project --dry-run
      holloway setup claude-code --remove
    """
    from holloway.service import setup  # loaded when the command runs
    from holloway.service.project_finder import begin, project_root

    dialect, root = setup.dialect(agent), project_root(project)
    plan = (
        setup.removal(dialect, scope, root, home())
        if remove
        else setup.setup(dialect, scope, root, home(), without=without)
    )
    is_applied = not dry_run and carried_out(plan, yes=yes, quiet=as_json)
    is_registered = not remove and not dry_run and (is_applied or not plan.needed) and begin(project)
    if as_json:
        emit(plan_json(plan, changed=is_applied))
    elif dry_run:
        show(plan)
        say("Dry run: nothing was written." if plan.needed else _nothing(plan))
    elif not plan.needed:
        say(_nothing(plan))
        _tell(plan.notes)
    elif is_applied:
        _say_done(plan, known=is_registered)
    else:
        say("Nothing was changed.")


def carried_out(plan: Plan, *, yes: bool, quiet: bool) -> bool:
    """Show a plan, ask for confirmation and apply it; return whether it was applied."""
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
    """Return the confirmation question for a plan."""
    number = len(plan.needed)
    return f"{'Undo' if plan.removes else 'Make'} {'this change' if number == 1 else f'these {number} changes'}?"


def show(plan: Plan, *, short: bool = False) -> None:
    """Print the diff of a plan and a line per file; with `short` only the lines."""
    from holloway.service.setup import diff  # loaded when a command runs

    if not short:
        for change in plan.needed:
            say(folded(diff(change)).rstrip("\n"))
    say(f"{plan.dialect.label}, {plan.scope} scope:", "bold")
    for change in plan.needed:
        say(f"  {change.action:<7} {change.path}: {change.part.content.what}")
        if change.part.target != change.path.absolute():
            say(f"          is {change.part.target} (target of the symbolic link)")
        for file in () if change.rewrites else change.leftovers:
            say(f"  delete  {file}")
    if not plan.removes:
        _tell(plan.notes)


def folded(shown: str) -> str:
    """Shorten a diff: print hooks that differ only in event and timeout once, with the other events' names."""
    lines: list[str] = []
    for same, rows in groupby(shown.split("\n"), key=_entry):
        first_line, *repeated = rows
        events = [match["event"] for match in map(ENTRY.match, repeated) if match]
        lines += (
            [first_line, f"{first_line[0]}    the same, each with its timeout: {', '.join(events)}"]
            if events
            else [first_line]
        )
        lines += [] if same else repeated
    return "\n".join(lines)


def _entry(row: str) -> str:
    match = ENTRY.match(row)
    return match["sign"] + match["entry"] if match else ""


def plan_json(plan: Plan, *, changed: bool) -> dict[str, object]:
    """Return a plan as JSON fields."""
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
    return f"{plan.dialect.label} is {'not connected' if plan.removes else 'already connected'}: nothing to change."


def _say_done(plan: Plan, *, known: bool) -> None:
    label, scope = plan.dialect.label, plan.scope
    if plan.removes:
        say(f"{label} is disconnected; the memories stay.", "green")
        _tell(plan.notes)
        return
    scope_text = "any project with a memory" if scope == "user" else "this project"
    say(f"{label} is connected. Its next session in {scope_text} starts with a brief.", "green")
    if not known:
        say("This folder is not a project. Run `holloway init` in one of your projects.", "yellow")
    if plan.dialect.note:
        say(plan.dialect.note, "yellow")
    say(f"Undo: holloway setup {plan.dialect.agent} --scope {scope} --remove", "dim")


def _tell(notes: tuple[str, ...]) -> None:
    for note in notes:
        say(f"  note    {note}", "yellow")
