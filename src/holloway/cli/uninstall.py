"""The uninstall command: remove holloway from agents' configuration and rules files, and delete data on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import ask, emit, home, json_option, many, project_option, say, yes_option
from holloway.cli.setup import plan_json, show

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.service.setup import Plan, RulesBlock


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

    folder, root = home(), project_root(project)
    plans, notes = setup.plan_removals(folder, root)
    blocks = [block for checkout in setup.list_roots(folder, root) for block in setup.find_blocks(checkout)]
    if not as_json:
        _show(plans, blocks, notes)
    has_traces = bool(plans) or any(not block.refused for block in blocks)
    is_removed = has_traces and not dry_run and ask("Remove all of this?", yes=yes)
    if is_removed:
        _take_back(plans, blocks)
    has_data = bool(setup.list_data(folder))
    is_data_deleted = (
        with_data
        and has_data
        and not dry_run
        and (is_removed or not has_traces)
        and _agreed(folder, yes=yes, quiet=as_json)
    )
    left = setup.delete_data(folder) if is_data_deleted else []
    if as_json:
        emit(
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
    _say_end(
        folder, gone=is_removed, dry_run=dry_run, traces=has_traces, data=has_data, deletes=is_data_deleted, left=left
    )


def _take_back(plans: list[Plan], blocks: list[RulesBlock]) -> None:
    """Apply the removals; each plan is computed again first, because two scopes may share a file."""
    from holloway.service import setup  # loaded when the command runs

    for plan in plans:
        setup.apply(setup.removal(plan.dialect, plan.scope, plan.root, home()), home())
    for block in blocks:
        if not block.refused:
            setup.remove_block(block)


def _show(plans: list[Plan], blocks: list[RulesBlock], notes: list[str]) -> None:
    for plan in plans:
        show(plan, short=True)
    if blocks:
        say("Blocks in rules files:", "bold")
    for block in blocks:
        say(f"  {'keep' if block.refused else 'remove':<8} {block.path}")
        if block.refused:
            say(f"           {block.refused}", "yellow")
    for note in notes:
        say(f"  note    {note}", "yellow")


def _agreed(folder: Path, *, yes: bool, quiet: bool) -> bool:
    from holloway.service import setup  # loaded when the command runs

    number = setup.count_projects(folder)
    if not quiet:
        say(f"{folder} holds the memories of {many(number, 'project')}.", "bold")
    return ask("Permanently delete all of them?", yes=yes)


def _say_end(
    folder: Path, *, gone: bool, dry_run: bool, traces: bool, data: bool, deletes: bool, left: list[str]
) -> None:
    if not traces:
        say("holloway has no entries in any agent's configuration or rules file.")
    elif dry_run:
        say("Dry run: nothing was changed.")
    else:
        say("holloway was removed." if gone else "Nothing was changed.", "green" if gone else "")
    if deletes:
        say(f"{folder} was deleted." if not left else f"{folder} was deleted, except {', '.join(left)}.", "green")
    elif data:
        say(f"The memories stay in {folder}; `holloway uninstall --data` deletes them.")
    if not dry_run and (gone or not traces):
        say("To remove the program: `pip`, `uv tool` or `pipx uninstall holloway`, as you installed it.")
