"""Commands that share memories over git: share and sync."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    collect_options,
    confirm_action,
    data_folder,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_memory,
    print_text,
    project_option,
    yes_option,
)
from holloway.cli.share_ceremony import (
    CEREMONY_OPTIONS,
    CeremonyOptions,
    print_report,
    share_all_projects,
    share_project,
)
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.holloway import Holloway
    from holloway.service.share import Participant, Sharing

user_option = click.option("--user", is_flag=True, help="Your user-level memories, for your own devices.")
STAYING_SHOWN = 10

_ACTION_OPTIONS = (
    click.option("--git", "start", is_flag=True, help="Show what would leave this machine, ask, and start or go on."),
    click.option("--join", is_flag=True, help="Read what others share here, without sharing anything yet."),
    click.option("--status", "show_status", is_flag=True, help="Show where sharing stands (default)."),
    click.option("--pause", is_flag=True, help="Stop exchanging; `--git` goes on."),
    click.option("--leave", is_flag=True, help="Take what you shared off the remote and stop."),
    click.option("--accept", metavar="WHO", help="Accept an author, a device, or `all`: release what they wrote."),
    click.option("--refuse", metavar="WHO", help="Set aside what an author wrote and read no more of it."),
)
_DECISION_OPTIONS = (
    click.option(
        "--exclude", "excluded", multiple=True, metavar="PROJECT", help="Never share a project: its name, or `.`."
    ),
    click.option(
        "--include", "included", multiple=True, metavar="PROJECT", help="Allow sharing it, client work or not."
    ),
    click.option("--with-quotes", "ticked", multiple=True, metavar="ID", help="Let a memory's evidence quotes leave."),
    click.option("--without-quotes", "unticked", multiple=True, metavar="ID", help="Keep its quotes here again."),
)


@dataclass(frozen=True, slots=True)
class ShareAction:
    """The one thing that a call of `share` does."""

    start: bool
    join: bool
    show_status: bool
    pause: bool
    leave: bool
    accept: str | None
    refuse: str | None


@dataclass(frozen=True, slots=True)
class ShareDecisions:
    """Decisions that are recorded before anything else is done."""

    excluded: tuple[str, ...]
    included: tuple[str, ...]
    ticked: tuple[str, ...]
    unticked: tuple[str, ...]


@click.command("share")
@lambda command: collect_options(command, _DECISION_OPTIONS, "decisions", ShareDecisions)
@lambda command: collect_options(command, CEREMONY_OPTIONS, "ceremony", CeremonyOptions)
@lambda command: collect_options(command, _ACTION_OPTIONS, "action", ShareAction)
@click.option("--mine", is_flag=True, help="With --accept: it is another device of yours.")
@user_option
@yes_option
@json_option
@project_option
def share_command(
    action: ShareAction,
    ceremony: CeremonyOptions,
    decisions: ShareDecisions,
    mine: bool,
    user: bool,
    yes: bool,
    as_json: bool,
    project: str,
) -> None:
    """Share memories through a git remote that you already have, without a server.

    Nothing leaves before you agree, and only memories whose visibility you chose. Prompts, sessions and the code map
    never leave, and neither does a memory with a secret. Everyone who can read the remote can read what is shared.

    \b
    Examples:
      holloway share --git --dry-run
      holloway share --git
      holloway share --git --group learned --yes
      holloway share --git --all-projects
      holloway share --join
      holloway share --accept "Ada Lovelace"
      holloway share --exclude acme-shop
      holloway share --git --user --remote git@example.com:ada/private.git
    """
    is_start = action.start or ceremony.dry_run or ceremony.all_projects
    if is_start + sum(map(bool, astuple(action)[1:])) > 1:
        raise InvalidInput("These options exclude each other.", "Give one of them.")
    _decide_projects(decisions)
    if ceremony.all_projects:
        share_all_projects(ceremony, yes=yes, as_json=as_json)
        return
    with open_memory(project, create=is_start or action.join) as memory:
        sharing = memory.sharing(user=user)
        _tick_quotes(sharing, decisions)
        if is_start:
            share_project(sharing, ceremony, yes=yes, as_json=as_json)
        elif action.join:
            sharing.join(ceremony.remote, author=ceremony.author, device=ceremony.device)
            print_report(sharing, sharing.synchronize())
        elif action.pause:
            sharing.membership.set_paused(is_paused=True)
            print_text("Paused. What you change is recorded and sent when you go on: `holloway share --git`.")
        elif action.leave:
            if confirm_action("Take what you shared off the remote and stop sharing?", yes=yes):
                sharing.membership.leave()
                print_text("Left. Your memories stay here; copies that others fetched stay with them.", "green")
        elif action.accept:
            has_begun = bool(sharing.list_onboarding())
            _print_people("Accepted", sharing.accept(action.accept, is_mine=mine))
            if not has_begun:
                _print_onboarding(memory, sharing)
        elif action.refuse:
            _print_people("Refused", sharing.refuse(action.refuse))
        elif not any(astuple(decisions)):
            _print_status(sharing, as_json=as_json)


def _decide_projects(decisions: ShareDecisions) -> None:
    """Record which projects are never shared, and which are although they look like work for a client."""
    from holloway.service.share_projects import decide_projects  # loaded when the command runs

    for reference in decisions.excluded:
        names = ", ".join(decide_projects(reference, data_folder(), excludes=True))
        print_text(f"{names}: not shared from now on. Others keep what they fetched before.", "green")
    for reference in decisions.included:
        names = ", ".join(decide_projects(reference, data_folder(), excludes=False))
        print_text(f"{names}: may be shared. `holloway share --git` shows what would leave.", "green")


def _tick_quotes(sharing: Sharing, decisions: ShareDecisions) -> None:
    """Record whose evidence quotes may leave, and print them."""
    for memory in sharing.tick_quotes(decisions.ticked, is_on=True):
        print_text(f"Quotes of {memory.id} leave with it:", "green")
        for quote in sharing.list_quotes(memory):
            print_text(f"    {quote.voice}: “{quote.text}”", "dim")
    for memory in sharing.tick_quotes(decisions.unticked, is_on=False):
        print_text(f"Quotes of {memory.id} stay here. Others keep what they fetched before.", "green")


def _print_people(verb: str, people: Sequence[Participant]) -> None:
    for person in people:
        print_text(f"{verb} {person.author} ({person.device}).", "green")


def _print_onboarding(memory: Holloway, sharing: Sharing) -> None:
    """Print the memories of others that somebody who joined should read first, with their authors."""
    cards = sharing.list_onboarding()
    people = sharing.find_attributions([card.id for card in cards])
    if cards:
        print_text("Read these first; your agent is told them when its next session starts:", "bold")
    for card in cards:
        print_memory(card, memory.clock.now())
        if card.id in people:
            print_text(f"        {people[card.id].describe()}", "dim")


def _print_status(sharing: Sharing, *, as_json: bool) -> None:
    status = sharing.status()
    if as_json:
        print_json(status)
        return
    print_text(f"{status['state']}" + (f": {status['detail']}" if status["detail"] else ""), "bold")
    if status["remote"]:
        print_text(f"  remote  {status['remote']}")
        print_text(f"  as      {status['author']} ({status['device']})")
        print_text(f"  synced  {status['synced_at'] or 'never'}")
    for person in status["people"]:
        mine = ", yours" if person["is_mine"] and person["standing"] != "own" else ""
        print_text(f"  {person['standing']:<9} {person['author']} ({person['device']}{mine})  {person['replica']}")
    for line in status["refused"]:
        print_text(f"  refused: {line}", "yellow")
    for row in status["staying"][:STAYING_SHOWN]:
        print_text(f"  stays here: {row['id']}  {row['reason']}", "yellow")
    if status["not_chosen"]:
        waiting = format_count(status["not_chosen"])
        print_text(f"  {waiting} whose visibility you did not choose: `holloway share --git` asks", "dim")


@click.command("sync")
@user_option
@project_option
def sync_command(user: bool, project: str) -> None:
    """Exchange shared memories with the remote now, in the foreground. In the background it happens by itself.

    \b
    Example:
      holloway sync
    """
    with open_memory(project) as memory:
        sharing = memory.sharing(user=user)
        print_report(sharing, sharing.synchronize())
