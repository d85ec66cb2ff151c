"""The conflicts command: versions of a memory that two people wrote at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
)
from holloway.cli.share import user_option
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.share import Conflict


@click.command("conflicts")
@click.argument("reference", default="")
@click.option("--keep", metavar="LETTER", default="", help="Keep this version.")
@click.option("--text", default="", metavar="TEXT", help="Replace all versions by this text.")
@user_option
@json_option
@project_option
def conflicts_command(reference: str, keep: str, text: str, user: bool, as_json: bool, project: str) -> None:
    """List memories that two people changed at once, or decide one. Agents get your version until you do.

    \b
    Examples:
      holloway conflicts
      holloway conflicts 7f3a2c --keep b
      holloway conflicts 7f3a2c --text "The tests need Redis 7 and REDIS_URL"
    """
    with open_memory(project) as memory:
        sharing = memory.sharing(user=user)
        if reference and bool(keep) == bool(text):
            raise InvalidInput("Say which version holds.", "Give --keep LETTER or --text TEXT.")
        if reference:
            card = sharing.resolve_conflict(reference, letter=keep, text=text)
            print_text(f"Decided: {card.content}", "green")
            return
        open_conflicts = sharing.list_conflicts()
    if as_json:
        rows = [
            {"id": conflict.memory, "versions": [side._asdict() for side in conflict.sides]}
            for conflict in open_conflicts
        ]
        print_json({"conflicts": rows})
        return
    _print_conflicts(open_conflicts)


def _print_conflicts(open_conflicts: Sequence[Conflict]) -> None:
    if not open_conflicts:
        print_text("No conflicts.")
    for conflict in open_conflicts:
        print_text(conflict.memory, "bold")
        for side in conflict.sides:
            note = ", the version that agents get" if side.letter == "a" else ""
            print_text(f"  {side.letter}  {side.author}, {side.at[:16].replace('T', ' ')}{note}")
            print_text(f"     {side.text}")
