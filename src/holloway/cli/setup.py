"""The setup command: show, apply or remove the configuration change that connects an agent."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    confirm_action,
    data_folder,
    json_option,
    print_json,
    print_text,
    project_option,
    yes_option,
)

if TYPE_CHECKING:
    from holloway.service.setup import InstallPlan

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

    dialect, root = setup.find_dialect(agent), project_root(project)
    plan = (
        setup.plan_removal(dialect, scope, root, data_folder())
        if remove
        else setup.plan_setup(dialect, scope, root, data_folder(), without=without)
    )
    is_applied = not dry_run and confirm_and_apply(plan, yes=yes, quiet=as_json)
    is_registered = not remove and not dry_run and (is_applied or not plan.needed_changes) and begin(project)
    if as_json:
        print_json(plan_json(plan, changed=is_applied))
    elif dry_run:
        print_plan(plan)
        print_text("Dry run: nothing was written." if plan.needed_changes else _nothing_to_change(plan))
    elif not plan.needed_changes:
        print_text(_nothing_to_change(plan))
        _print_notes(plan.notes)
    elif is_applied:
        _print_result(plan, is_registered=is_registered)
    else:
        print_text("Nothing was changed.")


def confirm_and_apply(plan: InstallPlan, *, yes: bool, quiet: bool) -> bool:
    """Show a plan, ask for confirmation and apply it; return whether it was applied."""
    from holloway.service.setup import apply_plan  # loaded when a command runs

    if not plan.needed_changes:
        return False
    if not quiet:
        print_plan(plan, short=yes)
    if not confirm_action(confirmation_question(plan), yes=yes):
        return False
    apply_plan(plan, data_folder())
    return True


def confirmation_question(plan: InstallPlan) -> str:
    """Return the confirmation question for a plan."""
    number = len(plan.needed_changes)
    return f"{'Undo' if plan.removes else 'Make'} {'this change' if number == 1 else f'these {number} changes'}?"


def print_plan(plan: InstallPlan, *, short: bool = False) -> None:
    """Print the diff of a plan and a line per file; with `short` only the lines."""
    from holloway.service.setup import render_diff  # loaded when a command runs

    if not short:
        for change in plan.needed_changes:
            print_text(fold_diff(render_diff(change)).rstrip("\n"))
    print_text(f"{plan.dialect.label}, {plan.scope} scope:", "bold")
    for change in plan.needed_changes:
        print_text(f"  {change.action:<7} {change.path}: {change.part.content.description}")
        if change.part.target_path != change.path.absolute():
            print_text(f"          is {change.part.target_path} (target of the symbolic link)")
        for file in () if change.changes_file else change.leftovers:
            print_text(f"  delete  {file}")
    if not plan.removes:
        _print_notes(plan.notes)


def fold_diff(diff_text: str) -> str:
    """Shorten a diff: print hooks that differ only in event and timeout once, with the other events' names."""
    lines: list[str] = []
    for same, rows in groupby(diff_text.split("\n"), key=_entry_key):
        first_line, *repeated = rows
        events = [match["event"] for match in map(ENTRY.match, repeated) if match]
        lines += (
            [first_line, f"{first_line[0]}    the same, each with its timeout: {', '.join(events)}"]
            if events
            else [first_line]
        )
        lines += [] if same else repeated
    return "\n".join(lines)


def _entry_key(row: str) -> str:
    match = ENTRY.match(row)
    return match["sign"] + match["entry"] if match else ""


def plan_json(plan: InstallPlan, *, changed: bool) -> dict[str, object]:
    """Return a plan as JSON fields."""
    from holloway.service.setup import render_diff  # loaded when a command runs

    files = [
        {
            "file": str(change.path),
            "action": change.action,
            "what": change.part.content.description,
            "diff": render_diff(change),
        }
        for change in plan.needed_changes
    ]
    return {
        "agent": plan.dialect.agent,
        "scope": plan.scope,
        "changed": changed,
        "files": files,
        "notes": list(plan.notes),
    }


def _nothing_to_change(plan: InstallPlan) -> str:
    return f"{plan.dialect.label} is {'not connected' if plan.removes else 'already connected'}: nothing to change."


def _print_result(plan: InstallPlan, *, is_registered: bool) -> None:
    label, scope = plan.dialect.label, plan.scope
    if plan.removes:
        print_text(f"{label} is disconnected; the memories stay.", "green")
        _print_notes(plan.notes)
        return
    scope_text = "any project with a memory" if scope == "user" else "this project"
    print_text(f"{label} is connected. Its next session in {scope_text} starts with a brief.", "green")
    if not is_registered:
        print_text("This folder is not a project. Run `holloway init` in one of your projects.", "yellow")
    if plan.dialect.note:
        print_text(plan.dialect.note, "yellow")
    print_text(f"Undo: holloway setup {plan.dialect.agent} --scope {scope} --remove", "dim")


def _print_notes(notes: tuple[str, ...]) -> None:
    for note in notes:
        print_text(f"  note    {note}", "yellow")
