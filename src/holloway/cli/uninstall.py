"""The uninstall command: remove holloway from agents' configuration and rules files, and delete data on request."""

from __future__ import annotations

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
from holloway.cli.setup import plan_json, print_plan

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.service.setup import InstallPlan, RulesBlock


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
    _print_result(
        folder,
        is_removed=is_removed,
        dry_run=dry_run,
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
    for note in notes:
        print_text(f"  note    {note}", "yellow")


def _confirm_deletion(folder: Path, *, yes: bool, quiet: bool) -> bool:
    from holloway.service import setup  # loaded when the command runs

    number = setup.count_projects(folder)
    if not quiet:
        print_text(f"{folder} holds the memories of {format_count(number, 'project')}.", "bold")
    return confirm_action("Permanently delete all of them?", yes=yes)


def _print_result(
    folder: Path,
    *,
    is_removed: bool,
    dry_run: bool,
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
    elif has_data:
        print_text(f"The memories stay in {folder}; `holloway uninstall --data` deletes them.")
    if not dry_run and (is_removed or not has_traces):
        print_text("To remove the program: `pip`, `uv tool` or `pipx uninstall holloway`, as you installed it.")
