"""Commands that share memories over git: share, sync, conflicts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from holloway.cli.common import (
    confirm_action,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
    yes_option,
)
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway
    from holloway.service.share import Sharing, SyncReport

GROUP_LABELS = {"taught": "taught by you", "rules": "from rules files", "learned": "learned from sessions and commits"}
REFUSED_SHOWN = 10
user_option = click.option("--user", is_flag=True, help="Your user-level memories, for your own devices.")


class Person(NamedTuple):
    """How the person here is called by others; empty: by git's name and the host's."""

    author: str
    device: str


@click.command("share")
@click.option("--git", "start", is_flag=True, help="Show what would leave this machine, ask, and start or go on.")
@click.option("--join", is_flag=True, help="Read what others share here, without sharing anything yet.")
@click.option("--remote", default="origin", show_default=True, metavar="NAME", help="Remote, by name or address.")
@click.option("--as", "author", default="", metavar="NAME", help="Your name for others (default: git's user.name).")
@click.option("--device", default="", metavar="NAME", help="Name of this device for others (default: its host name).")
@click.option("--dry-run", is_flag=True, help="Print exactly what would be sent, and send nothing.")
@click.option("--status", "show_status", is_flag=True, help="Show where sharing stands (default).")
@click.option("--pause", is_flag=True, help="Stop exchanging; `--git` goes on.")
@click.option("--leave", is_flag=True, help="Take what you shared off the remote and stop.")
@click.option("--accept", metavar="WHO", help="Accept an author, a device, or `all`: release what they wrote.")
@click.option("--mine", is_flag=True, help="With --accept: it is another device of yours.")
@click.option("--refuse", metavar="WHO", help="Set aside what an author wrote and read no more of it.")
@user_option
@yes_option
@json_option
@project_option
def share_command(
    start: bool,
    join: bool,
    remote: str,
    author: str,
    device: str,
    dry_run: bool,
    show_status: bool,
    pause: bool,
    leave: bool,
    accept: str | None,
    mine: bool,
    refuse: str | None,
    user: bool,
    yes: bool,
    as_json: bool,
    project: str,
) -> None:
    """Share memories through a git remote that you already have, without a server.

    Nothing leaves before you agree. Evidence, prompts, sessions and the code map never leave, and neither does a memory
    with a secret. Everyone who can read the remote can read what is shared.

    \b
    Examples:
      holloway share --git --dry-run
      holloway share --git
      holloway share --join
      holloway share --accept "Ada Lovelace"
      holloway share --git --user --remote git@example.com:ada/private.git
    """
    if sum(map(bool, (start or dry_run, join, show_status, pause, leave, accept, refuse))) > 1:
        raise InvalidInput("These options exclude each other.", "Give one of them.")
    with open_memory(project, create=start or join) as memory:
        sharing = memory.sharing(user=user)
        if start or dry_run:
            person = Person(author, device)
            _start(memory, sharing, remote, person, dry_run=dry_run, yes=yes, as_json=as_json)
        elif join:
            _join(sharing, remote, Person(author, device))
        elif pause:
            sharing.membership.set_paused(is_paused=True)
            print_text("Paused. What you change is recorded and sent when you go on: `holloway share --git`.")
        elif leave:
            if confirm_action("Take what you shared off the remote and stop sharing?", yes=yes):
                sharing.membership.leave()
                print_text("Left. Your memories stay here; copies that others fetched stay with them.", "green")
        elif accept:
            _print_people("Accepted", sharing.membership.accept(accept, is_mine=mine))
        elif refuse:
            _print_people("Refused", sharing.membership.refuse(refuse))
        else:
            _print_status(sharing, as_json=as_json)


def _start(
    memory: Holloway, sharing: Sharing, remote: str, person: Person, *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Show what would leave, ask for each group, and start."""
    address = sharing.find_address(remote)
    survey = sharing.membership.survey()
    groups = sharing.group_unchosen()
    if dry_run:
        _print_dry_run([*survey.ready, *survey.unchosen], sharing, as_json=as_json)
        return
    print_text(f"Share memories of {memory.project.name} through {sharing.hide_credentials(address)}", "bold")
    for line in sharing.CONSENT:
        print_text(f"  {line}")
    _print_refused(survey.refused)
    if sharing.looks_like_client_work(address):
        print_text("The name of this project or its remote looks like work for a client.", "yellow")
        if yes or not _ask("Share its memories all the same?", default=False):
            raise InvalidInput("Nothing was shared.", "Answer the question at a terminal, without --yes.")
    if survey.ready:
        print_text(f"  {format_count(len(survey.ready))} with a visibility that you chose")
    memories: list[Memory] = list(survey.ready)
    for name, unchosen in groups.items():
        print_text(f"  {format_count(len(unchosen))} {GROUP_LABELS[name]}")
        for card in unchosen[:3]:
            print_text(f"      {card.summary}", "dim")
        if yes or _ask(f"  Share these {len(unchosen)}?", default=name != "taught"):
            memories += unchosen
    if not (yes or _ask(f"Share {format_count(len(memories))} now?", default=False)):
        print_text("Not now; nothing was shared.")
        return
    recorded = sharing.membership.start(address, memories, **person._asdict())
    print_text(f"Sharing {format_count(recorded)}.")
    _print_report(sharing, sharing.membership.synchronize())


def _join(sharing: Sharing, remote: str, person: Person) -> None:
    sharing.membership.start(sharing.find_address(remote), (), **person._asdict())
    _print_report(sharing, sharing.membership.synchronize())


def _ask(question: str, *, default: bool) -> bool:
    return sys.stdin.isatty() and click.confirm(question, default=default)


def _print_dry_run(memories: Sequence[Memory], sharing: Sharing, *, as_json: bool) -> None:
    """Print each memory as it would be sent, and why the others stay."""
    rows = [sharing.preview(card) for card in memories]
    if as_json:
        refused = [{"id": card.id, "reason": reason} for card, reason in sharing.membership.survey().refused]
        print_json({"memories": rows, "refused": refused})
        return
    print_text(f"{format_count(len(rows))} would be sent, nothing was:", "bold")
    for card, row in zip(memories, rows, strict=True):
        print_text(f"{card.id}  {row['type']}, {row['visibility']}")
        print_text(f"        {row['content']['text']}")
        for name in ("files", "modules", "tags"):
            if row[name]:
                print_text(f"        {name}: {', '.join(row[name])}", "dim")
    _print_refused(sharing.membership.survey().refused)


def _print_refused(refused: Sequence[tuple[Memory, str]]) -> None:
    if refused:
        print_text(f"  not sent: {format_count(len(refused))}")
    for card, reason in refused[:REFUSED_SHOWN]:
        print_text(f"      {card.id}  {reason}", "dim")
    if len(refused) > REFUSED_SHOWN:
        print_text(f"      and {len(refused) - REFUSED_SHOWN} more", "dim")


def _print_people(verb: str, people: Sequence[object]) -> None:
    for replica in people:
        print_text(f"{verb} {getattr(replica, 'author', '')} ({getattr(replica, 'device', '')}).", "green")


def _print_report(sharing: Sharing, report: SyncReport) -> None:
    applied = report.applied
    counts = (
        (report.sent, "sent"),
        (applied.added, "new"),
        (applied.changed, "changed"),
        (applied.erased, "erased"),
        (applied.held, "not taken"),
    )
    print_text(
        f"Synced: {', '.join(f'{number} {word}' for number, word in counts if number) or 'nothing new'}.", "green"
    )
    for line in [*report.refused, *applied.problems]:
        print_text(f"  {line}", "yellow")
    if applied.conflicts:
        print_text(f"  {format_count(applied.conflicts, 'conflict')}: `holloway conflicts`", "yellow")
    status = sharing.status()
    if status["unknown"]:
        names = ", ".join(
            dict.fromkeys(f"{person['author']}" for person in status["people"] if person["standing"] == "unknown")
        )
        print_text(f"  Not accepted yet: {names}. `holloway share --accept NAME` releases what they wrote.", "yellow")


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
        print_text(f"  {person['standing']:<9} {person['author']} ({person['device']})  {person['replica']}")
    for line in status["refused"]:
        print_text(f"  refused: {line}", "yellow")


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
        _print_report(sharing, sharing.membership.synchronize())


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
        if not open_conflicts:
            print_text("No conflicts.")
        for conflict in open_conflicts:
            print_text(conflict.memory, "bold")
            for side in conflict.sides:
                note = ", the version that agents get" if side.letter == "a" else ""
                print_text(f"  {side.letter}  {side.author}, {side.at[:16].replace('T', ' ')}{note}")
                print_text(f"     {side.text}")
