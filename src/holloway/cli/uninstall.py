"""Leaving: uninstall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import ask, emit, home, json_option, many, project_option, say, yes_option
from holloway.cli.setup import plan_json, show

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.service.setup import Plan, RulesBlock


@click.command("uninstall")
@click.option("--data", "with_data", is_flag=True, help="Also delete all memories of all projects, for good.")
@click.option("--dry-run", is_flag=True, help="Show what would go and stop.")
@yes_option
@json_option
@project_option
def uninstall_command(with_data: bool, dry_run: bool, yes: bool, as_json: bool, project: str) -> None:
    """Take back every trace: entries in all agents' configuration, in every project, and blocks in rules files.

    Memories stay where they are unless you add --data, which is asked for on its own. The program itself goes with
    the installer that brought it, for example: pip uninstall holloway.

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
    blocks = [block for place in setup.list_roots(folder, root) for block in setup.find_blocks(place)]
    if not as_json:
        _show(plans, blocks, notes)
    traces = bool(plans) or any(not block.refused for block in blocks)
    gone = traces and not dry_run and ask("Take all of this back?", yes=yes)
    if gone:
        _take_back(plans, blocks)
    data = bool(setup.list_data(folder))
    deletes = with_data and data and not dry_run and (gone or not traces) and _agreed(folder, yes=yes, quiet=as_json)
    left = setup.delete_data(folder) if deletes else []
    if as_json:
        emit(
            {
                "changed": gone,
                "agents": [plan_json(plan, changed=gone) for plan in plans],
                "rules": [{"file": str(block.path), "refused": block.refused} for block in blocks],
                "notes": notes,
                "data": str(folder),
                "data_deleted": deletes,
                "data_left": left,
            }
        )
        return
    _say_end(folder, gone=gone, dry_run=dry_run, traces=traces, data=data, deletes=deletes, left=left)


def _take_back(plans: list[Plan], blocks: list[RulesBlock]) -> None:
    """Do it; two scopes may share a file, so each is looked at again in its turn."""
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
        say(f"  {'keep' if block.refused else 'take out':<8} {block.path}")
        if block.refused:
            say(f"           {block.refused}", "yellow")
    for note in notes:
        say(f"  note    {note}", "yellow")


def _agreed(folder: Path, *, yes: bool, quiet: bool) -> bool:
    from holloway.service import setup  # loaded when the command runs

    number = setup.count_projects(folder)
    if not quiet:
        say(f"{folder} holds the memories of {many(number, 'project')}.", "bold")
    return ask("Delete all of them for good?", yes=yes)


def _say_end(
    folder: Path, *, gone: bool, dry_run: bool, traces: bool, data: bool, deletes: bool, left: list[str]
) -> None:
    if not traces:
        say("No agent and no rules file has anything of holloway's.")
    elif dry_run:
        say("A dry run: nothing was changed.")
    else:
        say("Every trace is taken back." if gone else "Nothing was changed.", "green" if gone else "")
    if deletes:
        say(f"{folder} is deleted." if not left else f"{folder}: deleted but for {', '.join(left)}.", "green")
    elif data:
        say(f"The memories stay in {folder}; `holloway uninstall --data` deletes them.")
    if not dry_run and (gone or not traces):
        say("The program itself: `pip`, `uv tool` or `pipx uninstall holloway`, as you installed it.")
