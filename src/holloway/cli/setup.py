"""Commands that connect agents with holloway and disconnect them: setup for one agent, uninstall for all."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    confirm_action,
    data_folder,
    format_count,
    json_option,
    print_json,
    print_text,
    project_option,
    yes_option,
)
from holloway.cli.reader import offer_reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from holloway.service.setup import Dialect, InstallPlan, RulesBlock

ENTRY = re.compile(r'(?P<sign>[+-]) *"(?P<event>\w+)": (?P<entry>\[\{"hooks": .*"timeout": )\d+')
"""Diff line with the hook of one event; the hooks of all events differ only in the timeout."""


@click.command("setup")
@click.argument("agent", required=False, default="", metavar="[AGENT]")
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
    help="Skip the MCP server, the slash commands and the skill, or the status line; repeatable.",
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
    """Connect an agent: add holloway's hooks, MCP server and commands to its configuration.

    AGENT is claude-code, codex, copilot, gemini, qwen, droid, opencode, kilo or pi; without it, every agent found on
    this machine is connected. The full change is shown first, and you are asked to confirm it. Your own entries stay;
    --remove restores every byte.

    \b
    Examples:
      holloway setup
      holloway setup codex --scope project --dry-run
      holloway setup claude-code --remove
    """
    from holloway.service import setup  # loaded when the command runs
    from holloway.service.project_finder import project_root

    root = project_root(project)
    plans: Iterable[InstallPlan]
    if agent:
        plans = [_plan(setup.find_dialect(agent), scope, root, without, remove=remove)]
    else:
        plans = _plan_each(scope, root, without, remove=remove)
    results = [
        _carry_out(plan, project, dry_run=dry_run, yes=yes, as_json=as_json, is_removal=remove) for plan in plans
    ]
    if as_json:
        print_json(results[0] if agent else {"agents": results})
    elif not remove and any(result["changed"] for result in results):
        offer_reader(ask=not yes)


def _plan(dialect: Dialect, scope: str, root: Path, without: tuple[str, ...], *, remove: bool) -> InstallPlan:
    from holloway.service import setup  # loaded when the command runs

    if remove:
        return setup.plan_removal(dialect, scope, root, data_folder())
    return setup.plan_setup(dialect, scope, root, data_folder(), without=without)


def _plan_each(scope: str, root: Path, without: tuple[str, ...], *, remove: bool) -> Iterator[InstallPlan]:
    """Plan for every agent on this machine; one that cannot be connected is named and left out.

    Each plan is made when it is its turn, because agents share files, which the one before may have written.
    """
    from holloway.errors import HollowayError, InvalidInput  # loaded when the command runs
    from holloway.service.setup import DIALECTS

    dialects = [dialect for dialect in DIALECTS.values() if dialect.is_installed()]
    if not dialects:
        supported = f"Name one to connect it all the same: {', '.join(DIALECTS)}."
        raise InvalidInput("No agent that holloway can connect was found on this machine.", supported)
    for dialect in dialects:
        try:
            plan = _plan(dialect, scope, root, without, remove=remove)
        except HollowayError as error:
            click.echo(f"{dialect.label}: {error.message} {error.hint}", err=True)
        else:
            yield plan


def _carry_out(
    plan: InstallPlan, project: str, *, dry_run: bool, yes: bool, as_json: bool, is_removal: bool
) -> dict[str, object]:
    """Show a plan, apply it once it is confirmed, and print the result; return it as JSON fields."""
    from holloway.service.project_finder import begin  # loaded when the command runs

    is_applied = not dry_run and confirm_and_apply(plan, yes=yes, quiet=as_json)
    is_registered = not is_removal and not dry_run and (is_applied or not plan.needed_changes) and begin(project)
    if as_json:
        return plan_json(plan, changed=is_applied)
    if dry_run:
        print_plan(plan)
        print_text("Dry run: nothing was written." if plan.needed_changes else _nothing_to_change(plan))
    elif not plan.needed_changes:
        print_text(_nothing_to_change(plan))
        _print_notes(plan.notes)
    elif is_applied:
        _print_result(plan, is_registered=is_registered)
    else:
        print_text("Nothing was changed.")
    return {"changed": is_applied}


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
    for note in filter(None, (plan.dialect.note, plan.dialect.project_note if scope == "project" else "")):
        print_text(note, "yellow")
    print_text(f"Undo: holloway setup {plan.dialect.agent} --scope {scope} --remove", "dim")


def _print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        print_text(f"  note    {note}", "yellow")


@click.command("uninstall")
@click.option("--data", "with_data", is_flag=True, help="Also permanently delete all memories of all projects.")
@click.option("--dry-run", is_flag=True, help="Show what would be removed without removing it.")
@yes_option
@json_option
@project_option
def uninstall_command(with_data: bool, dry_run: bool, yes: bool, as_json: bool, project: str) -> None:
    """Remove holloway: its entries in all agents' configuration, in every project, and its blocks in rules files.

    Memories stay unless you add --data, which asks separately. Remove the program itself with the installer that you
    used, for example: pip uninstall holloway.

    \b
    Examples:
      holloway uninstall --dry-run
      holloway uninstall
      holloway uninstall --data
    """
    from holloway.service import setup  # loaded when the command runs
    from holloway.service.project_finder import project_root

    folder, root = data_folder(), project_root(project)
    plans, notes = setup.plan_removals(folder, root)
    blocks = [block for checkout in setup.list_roots(folder, root) for block in setup.find_blocks(checkout)]
    if not as_json:
        _print_removals(plans, blocks, notes)
    has_traces = bool(plans) or any(not block.refused for block in blocks)
    is_removed = has_traces and not dry_run and confirm_action("Remove all of this?", yes=yes)
    if is_removed:
        _apply_removals(plans, blocks)
    has_data = bool(setup.list_data(folder))
    is_data_deleted = (
        with_data
        and has_data
        and not dry_run
        and (is_removed or not has_traces)
        and _confirm_deletion(folder, yes=yes, quiet=as_json)
    )
    left = setup.delete_data(folder) if is_data_deleted else []
    if as_json:
        print_json(
            {
                "changed": is_removed,
                "agents": [plan_json(plan, changed=is_removed) for plan in plans],
                "rules": [{"file": str(block.path), "refused": block.refused} for block in blocks],
                "notes": notes,
                "data": str(folder),
                "data_deleted": is_data_deleted,
                "data_left": left,
            }
        )
        return
    _print_uninstall_result(
        folder,
        is_removed=is_removed,
        dry_run=dry_run,
        with_data=with_data,
        has_traces=has_traces,
        has_data=has_data,
        is_data_deleted=is_data_deleted,
        left=left,
    )


def _apply_removals(plans: list[InstallPlan], blocks: list[RulesBlock]) -> None:
    """Apply the removals; each plan is computed again first, because two scopes may share a file."""
    from holloway.service import setup  # loaded when the command runs

    for plan in plans:
        setup.apply_plan(setup.plan_removal(plan.dialect, plan.scope, plan.root, data_folder()), data_folder())
    for block in blocks:
        if not block.refused:
            setup.remove_block(block)


def _print_removals(plans: list[InstallPlan], blocks: list[RulesBlock], notes: list[str]) -> None:
    for plan in plans:
        print_plan(plan, short=True)
    if blocks:
        print_text("Blocks in rules files:", "bold")
    for block in blocks:
        print_text(f"  {'keep' if block.refused else 'remove':<8} {block.path}")
        if block.refused:
            print_text(f"           {block.refused}", "yellow")
    _print_notes(notes)


def _confirm_deletion(folder: Path, *, yes: bool, quiet: bool) -> bool:
    from holloway.service import setup  # loaded when the command runs

    number = setup.count_projects(folder)
    if not quiet:
        print_text(f"{folder} holds the memories of {format_count(number, 'project')}.", "bold")
    return confirm_action("Permanently delete all of them?", yes=yes)


def _print_uninstall_result(
    folder: Path,
    *,
    is_removed: bool,
    dry_run: bool,
    with_data: bool,
    has_traces: bool,
    has_data: bool,
    is_data_deleted: bool,
    left: list[str],
) -> None:
    if not has_traces:
        print_text("holloway has no entries in any agent's configuration or rules file.")
    elif dry_run:
        print_text("Dry run: nothing was changed.")
    else:
        print_text("holloway was removed." if is_removed else "Nothing was changed.", "green" if is_removed else "")
    if is_data_deleted:
        print_text(
            f"{folder} was deleted." if not left else f"{folder} was deleted, except {', '.join(left)}.", "green"
        )
    elif has_data and dry_run and with_data:
        print_text(f"Without --dry-run, {folder} with all memories would be deleted after another question.")
    elif has_data:
        print_text(f"The memories stay in {folder}; `holloway uninstall --data` deletes them.")
    if not dry_run and (is_removed or not has_traces):
        print_text("To remove the program: `pip`, `uv tool` or `pipx uninstall holloway`, as you installed it.")
