"""The told command: what agents were told, word for word."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from holloway.cli.common import format_count, json_option, open_memory, print_json, print_text, project_option

if TYPE_CHECKING:
    from holloway.service.results import ToldText


@click.command("told")
@click.option("--today", is_flag=True, help="Only since midnight, by the clock of this machine.")
@click.option("--session", default="", metavar="ID", help="Only in this session.")
@click.option("--limit", "-n", type=click.IntRange(1), default=20, show_default=True, help="Maximum number of texts.")
@click.option("--after", default="", metavar="KEY", help="The page after this key, which --json printed as next_key.")
@json_option
@project_option
def told_command(today: bool, session: str, limit: int, after: str, as_json: bool, project: str) -> None:
    """Show what agents were told, word for word, newest first. It is kept for thirty days.

    \b
    Examples:
      holloway told --today
      holloway told --session last
      holloway told --json
    """
    from holloway.domain.ports import format_stamp  # loaded when the command runs
    from holloway.service.session_report import find_session
    from holloway.service.told import list_told_texts

    with open_memory(project) as memory:
        now = memory.clock.now().astimezone()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
        since = format_stamp(midnight) if today else ""
        chosen_session = find_session(memory, session).id if session else ""
        page = list_told_texts(memory, session=chosen_session, since=since, after=after, limit=limit)
    if as_json:
        print_json(page.to_json())
        return
    for text in page.texts:
        _print_text(text)
    if not page.texts:
        print_text("No agent was told anything" + (" today." if today else " in the last thirty days."))
    elif page.next_key:
        print_text("There is more: --limit shows it.", "dim")


def _print_text(told_text: ToldText) -> None:
    moment = datetime.fromisoformat(told_text.at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    place = (
        f"{told_text.point.replace('_', ' ')} ({told_text.event})"
        if told_text.event
        else told_text.point.replace("_", " ")
    )
    actor = f", subagent {told_text.actor}" if told_text.actor else ""
    print_text(
        f"{moment}  {place}, session {told_text.session}{actor}, about {format_count(told_text.tokens, 'token')}",
        "bold cyan",
    )
    for line in told_text.text.splitlines() or ["(erased)"]:
        print_text(f"  {line}")
