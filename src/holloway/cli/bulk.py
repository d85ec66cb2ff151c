"""The bulk command: one action on all memories that a filter selects, and its undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    FilterOptions,
    SelectionOptions,
    confirm_action,
    filter_options,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
    selection_options,
    yes_option,
)
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from holloway.service.bulk_actions import BulkUndo

UNDO = "undo"
_NOTHING = {"change": None, "action": None, "changed": 0, "selected": 0}


@click.command("bulk")
@click.argument("action", type=click.Choice(["confirm", "pin", "unpin", "mute", "unmute", "later", "forget", UNDO]))
@selection_options
@filter_options
@yes_option
@json_option
@project_option
def bulk_command(
    action: str, selection: SelectionOptions, chosen: FilterOptions, yes: bool, as_json: bool, project: str
) -> None:
    """Confirm, pin, mute, postpone or forget all memories that a filter selects; `undo` takes the last action back.

    The filters are those of `holloway list`, which shows the memories first. Without a filter nothing is done.

    \b
    Examples:
      holloway bulk forget --preset unused --older 90
      holloway bulk confirm --preset waiting --source rules_file
      holloway bulk undo
    """
    from holloway.service import bulk_actions  # loaded when the command runs
    from holloway.service.memory_list import MemoryQuery, list_memories

    with open_memory(project) as memory:
        query = selection.build_query(memory, chosen)
        if action == UNDO:
            _print_undo(bulk_actions.undo_change(memory, user=query.user), as_json=as_json)
            return
        unfiltered = MemoryQuery(user=query.user, told_on=query.told_on, quarantined=query.quarantined)
        if query == unfiltered:
            raise InvalidInput("Nothing was chosen.", "Give a filter, for example --preset unused or --type gotcha.")
        total = list_memories(memory, query, limit=1).total
        if not confirm_action(f"{action.capitalize()} {format_count(total)}?", yes=yes):
            print_json(_NOTHING) if as_json else print_text("Nothing was changed.")
            return
        change = bulk_actions.change_memories(memory, query, action, expected=total)
        if as_json:
            print_json({"change": change.id, "action": change.action, "changed": change.memories, "selected": total})
            return
        print_text(f"Changed {format_count(change.memories)}. Undo with `holloway bulk undo`.", "green")


def _print_undo(undone: BulkUndo, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {"change": undone.change.id, "action": undone.change.action}
            | {"restored": undone.restored, "skipped": undone.skipped}
        )
        return
    skipped_text = f"; {undone.skipped} were changed since and stay" if undone.skipped else ""
    print_text(f"Undid {undone.change.action} of {format_count(undone.restored)}{skipped_text}.", "green")
