"""The review: what waits for a person, a card at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    TASK_SHOWN_CHARS,
    emit,
    json_option,
    many,
    notable,
    opened,
    project_option,
    redaction_note,
    say,
)
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway
    from holloway.service.session_report import Summary

REASONS = {
    "tainted": "it came in after content from outside, or in a session that nobody watched",
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

    It begins with the last session: what it used, what was learned from it, and about how much that saved. How much of
    that is told goes by the trust level (`holloway trust`), and by whether you decide on any of it.

    \b
    Examples:
      holloway review
      holloway review --ok 7f3a2c --drop 19c0d4
      holloway review --ok-all-from CLAUDE.md
      holloway review --json
    """
    from holloway.service import session_report  # loaded when the command runs
    from holloway.service.json_view import memory_json

    with opened(project) as memory:
        decided = _by_options(memory, ok_ids, drop_ids, later_ids, ok_files)
        waiting = memory.to_review()
        if as_json:
            last = session_report.summarize_session(memory)
            shown = [memory_json(each, memory.clock.now()) for each in waiting]
            emit({"results": shown, "last_session": summary_json(last) if last else None})
            return
        if decided:
            say(f"{decided}; {len(waiting)} to go.")
            return
        if last := session_report.show_summary(memory):
            _summary(last)
            known = {each.id for each in waiting}
            waiting += [each for each in last.to_decide if each.id not in known]
        if offer := memory.trust.offer_more_careful():
            say(f"{offer}.", "yellow")
        if not waiting:
            say("Nothing waits for you.")
        elif sys.stdin.isatty():
            done = _go_through(memory, waiting)
            if done:
                session_report.note_decision(memory)
            say(f"{many(done, 'memory')} decided on; {memory.count_to_review()} to go.", "green")
        else:
            for number, card in enumerate(waiting, 1):
                _card(memory, card, number, len(waiting))
            say("`holloway review --ok ID`, `--drop ID` or `--later ID` decides.", "dim")


def _by_options(
    memory: Holloway,
    ok_ids: tuple[str, ...],
    drop_ids: tuple[str, ...],
    later_ids: tuple[str, ...],
    ok_files: tuple[str, ...],
) -> str:
    """Decide what the options decide, once all that they name is known to be there; what was done, in words."""
    from holloway.service import session_report  # loaded when the command runs

    for chosen in (*ok_ids, *later_ids, *drop_ids):
        memory.get(chosen)
    for chosen in ok_ids:
        memory.confirm(chosen)
    for chosen in later_ids:
        memory.later(chosen)
    approved = len(ok_ids) + sum(len(memory.approve_rules(path)) for path in ok_files)
    if drop_ids:
        memory.forget([memory.get(chosen) for chosen in drop_ids])
    if not (approved or drop_ids or later_ids):
        return ""
    session_report.note_decision(memory)
    return f"Approved {approved}, dropped {len(drop_ids)}, later {len(later_ids)}"


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
    saved = f"saved about {last.saved_tokens:,} tokens of searching (an estimate); " if last.saved_tokens else ""
    told = f"{saved}used {len(last.used)}, learned {len(last.learned)}"
    name = one_line(last.session.task, TASK_SHOWN_CHARS) or last.session.id
    if last.short:
        say(f"Last session: {told}. ({name})", "dim")
        return
    say(f"Last session: {name}", "bold")
    say(f"  {told}.")
    for word, memories in (("used", last.used), ("learned", last.learned)):
        for each in memories:
            say(f"  {word} {each.id}: {each.summary}", "dim")


def _go_through(memory: Holloway, waiting: list[Memory]) -> int:
    """Ask about each; returns how many were decided on."""
    done = 0
    for number, each in enumerate(waiting, 1):
        _card(memory, each, number, len(waiting))
        choice = click.prompt(
            "  [o]k, [e]dit, [d]rop, [l]ater, [q]uit", type=click.Choice(list("oedlq")), show_choices=False, default="l"
        )
        if choice == "q":
            return done
        done += _decide(memory, each, choice)
    return done


def _decide(memory: Holloway, each: Memory, choice: str) -> bool:
    """Do what was chosen for one; whether that was a decision."""
    if choice == "l":
        memory.later(each.id)
        return False
    if choice == "o":
        memory.confirm(each.id)
    elif choice == "d":
        memory.forget([each])
    elif (text := click.edit(each.content)) is not None:
        redaction_note(memory.edit(each.id, content=text)[1])
    else:
        say("  Not changed; it stays for later.", "dim")
        return False
    return True


def _card(memory: Holloway, each: Memory, number: int, total: int) -> None:
    from holloway.domain.memory_details import shown  # loaded when the command runs
    from holloway.service.results import describe_origin

    say(f"{number}/{total}  {each.id}  {each.type.label}", "bold cyan")
    say(f"  {each.content}")
    if each.summary not in each.content:
        say(f"  agents see: {each.summary}", "yellow")
    for name, value in shown(each.details).items():
        say(f"  {name}: {value}")
    origin = f" ({place})" if (place := describe_origin(each)) else ""
    say(f"  {notable(each, memory.clock.now())}", "dim")
    why = f"Waits because {REASONS[each.review]}" if each.review else "Learned or used in the last session"
    say(f"  {why}{origin}.", "dim")
