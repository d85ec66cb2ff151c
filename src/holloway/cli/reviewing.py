"""The review: what waits for a person, a card at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holloway.cli.common import emit, json_option, notable, opened, project_option, redaction_note, say

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.service.explaining import Summary
    from holloway.service.holloway import Holloway

REASONS = {
    "tainted": "it came in after content from outside",
    "imported": "it was imported from a file of unknown origin",
    "rule": "it was read from a rules file",
    "stale": "the code it speaks of has changed",
    "inferred": "it was inferred from what an agent did",
    "disputed": "an agent that used it says that it does not hold; `holloway why ID` shows its words",
}


@click.command("review")
@click.option("--ok", "ok_ids", multiple=True, metavar="ID", help="Approve this one, without asking.")
@click.option("--drop", "drop_ids", multiple=True, metavar="ID", help="Drop this one, without asking.")
@click.option("--later", "later_ids", multiple=True, metavar="ID", help="Ask again tomorrow.")
@click.option("--ok-all-from", "ok_files", multiple=True, metavar="PATH", help="Approve all of one rules file.")
@json_option
@project_option
def review_command(
    ok_ids: tuple[str, ...],
    drop_ids: tuple[str, ...],
    later_ids: tuple[str, ...],
    ok_files: tuple[str, ...],
    as_json: bool,
    project: str,
) -> None:
    """Go through what waits for you: ok, edit, drop or later. Quarantined memories reach no agent before that.

    It begins with the last session: what it used, what was learned from it, and about how much that saved.

    \b
    Examples:
      holloway review
      holloway review --ok 7f3a2c --drop 19c0d4
      holloway review --ok-all-from CLAUDE.md
      holloway review --json
    """
    from holloway.service.explaining import summary  # loaded when the command runs
    from holloway.service.plain import memory_json
    from holloway.service.rules import approve_file

    with opened(project) as memory:
        for chosen in (*ok_ids, *later_ids, *drop_ids):
            memory.get(chosen)
        for chosen in ok_ids:
            memory.confirm(chosen)
        for chosen in later_ids:
            memory.later(chosen)
        approved = len(ok_ids) + sum(len(approve_file(memory, path)) for path in ok_files)
        if drop_ids:
            memory.forget([memory.get(chosen) for chosen in drop_ids])
        waiting, last = memory.to_review(), summary(memory)
        if as_json:
            shown = [memory_json(each, memory.clock.now()) for each in waiting]
            emit({"results": shown, "last_session": summary_json(last) if last else None})
            return
        if approved or drop_ids or later_ids:
            say(f"Approved {approved}, dropped {len(drop_ids)}, later {len(later_ids)}; {len(waiting)} to go.")
            return
        if last:
            _summary(last)
            known = {each.id for each in waiting}
            waiting += [each for each in last.learned if each.id not in known and each.state == "unconfirmed"]
        if not waiting:
            say("Nothing waits for you.")
        elif sys.stdin.isatty():
            _go_through(memory, waiting)
        else:
            for number, card in enumerate(waiting, 1):
                _card(memory, card, number, len(waiting))
            say("`holloway review --ok ID`, `--drop ID` or `--later ID` decides.", "dim")


def summary_json(last: Summary) -> dict[str, object]:
    """The last session as programs read it."""
    return {
        "session": last.session.id,
        "task": last.session.task,
        "saved_tokens": last.saved_tokens,
        "used": [each.id for each in last.used],
        "learned": [each.id for each in last.learned],
    }


def _summary(last: Summary) -> None:
    saved = f"saved about {last.saved_tokens:,} tokens of searching; " if last.saved_tokens else ""
    say(f"Last session: {last.session.task or last.session.id}", "bold")
    say(f"  {saved}used {len(last.used)}, learned {len(last.learned)}.")
    for each in last.used:
        say(f"  used {each.id}: {each.summary}", "dim")


def _go_through(memory: Holloway, waiting: list[Memory]) -> None:
    for number, each in enumerate(waiting, 1):
        _card(memory, each, number, len(waiting))
        choice = click.prompt(
            "  [o]k, [e]dit, [d]rop, [l]ater, [q]uit", type=click.Choice(list("oedlq")), show_choices=False, default="l"
        )
        if choice == "q":
            return
        if choice == "o":
            memory.confirm(each.id)
        elif choice == "d":
            memory.forget([each])
        elif choice == "l":
            memory.later(each.id)
        elif (text := click.edit(each.content)) is not None:
            redaction_note(memory.edit(each.id, content=text)[1])
        else:
            say("  Not changed; it stays for later.", "dim")


def _card(memory: Holloway, each: Memory, number: int, total: int) -> None:
    from holloway.domain.details import plain  # loaded when the command runs
    from holloway.service.rules import origin_of

    say(f"{number}/{total}  {each.id}  {each.type.label}", "bold cyan")
    say(f"  {each.content}")
    if each.summary not in each.content:
        say(f"  agents see: {each.summary}", "yellow")
    for name, value in (plain(each.details) if each.details else {}).items():
        say(f"  {name}: {value}")
    origin = f" ({origin_of(each)})" if each.origin else ""
    say(f"  {notable(each, memory.clock.now())}", "dim")
    why = f"Waits because {REASONS[each.review]}" if each.review else "Learned from the last session"
    say(f"  {why}{origin}.", "dim")
