"""The ceremony before the first memory leaves: what a project would send, who could read it, a question per group."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    data_folder,
    format_count,
    open_memory,
    print_json,
    print_text,
)
from holloway.errors import HollowayError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.domain.memory import Memory
    from holloway.service.share import ShareOffer, Sharing, SyncReport
    from holloway.service.share_offer import ProjectOffer, Refusal

GROUP_LABELS = {
    "taught": "taught by you, personal until you say otherwise",
    "rules": "from rules files",
    "learned": "learned from sessions and commits",
}
REFUSED_SHOWN = 10
GROUP_SHOWN = 3
CEREMONY_OPTIONS = (
    click.option("--remote", default="origin", show_default=True, metavar="NAME", help="Remote, by name or address."),
    click.option("--as", "author", default="", metavar="NAME", help="Your name for others (default: git's user.name)."),
    click.option("--device", default="", metavar="NAME", help="Name of this device for others (default: host name)."),
    click.option(
        "--group",
        "groups",
        multiple=True,
        type=click.Choice(tuple(GROUP_LABELS)),
        help="Also share this group of memories whose visibility you did not choose; repeatable.",
    ),
    click.option("--dry-run", is_flag=True, help="Print exactly what would be sent, and send nothing."),
    click.option("--all-projects", is_flag=True, help="Ask about every project of this machine."),
)


@dataclass(frozen=True, slots=True)
class CeremonyOptions:
    """The options of the ceremony; empty names are those of git and of the host."""

    remote: str
    author: str
    device: str
    groups: tuple[str, ...]
    dry_run: bool
    all_projects: bool


def share_project(sharing: Sharing, options: CeremonyOptions, *, yes: bool, as_json: bool) -> None:
    """Show what would leave, ask for each group, and start. With --yes, only the named groups leave unasked."""
    offer = sharing.build_offer(options.remote)
    if options.dry_run:
        _print_dry_run(offer, sharing, options.groups, as_json=as_json)
        return
    print_text(f"Share memories of {offer.project or 'all your projects'} through {offer.shown_address}", "bold")
    for line in sharing.CONSENT:
        print_text(f"  {line}")
    offer = _ask_about_exclusion(sharing, offer, options, yes=yes)
    _print_refused(offer.refused)
    if offer.chosen:
        print_text(f"  {format_count(len(offer.chosen))} with a visibility that you chose")
    groups = [name for name, memories in offer.groups.items() if _ask_about_group(name, memories, options, yes=yes)]
    memories = offer.pick(groups)
    if not (yes or _ask(f"Share {format_count(len(memories))} now?", default=False)):
        _leave_for_later(sharing)
        return
    recorded = sharing.start(offer, groups, author=options.author, device=options.device)
    print_text(f"Sharing {format_count(recorded)}.")
    print_report(sharing, sharing.synchronize())


def share_all_projects(options: CeremonyOptions, *, yes: bool, as_json: bool) -> None:
    """Show what every project would send, and go through those that the person includes."""
    from holloway.service.share_projects import list_project_offers  # loaded when the command runs

    rows = list_project_offers(data_folder(), options.remote)
    if as_json:
        print_json({"projects": [_describe_project(row) for row in rows]})
        return
    offers = [row.offer for row in rows if row.offer]
    total = format_count(sum(offer.total for offer in offers))
    print_text(f"{total} in {format_count(len(offers), 'project')} could be shared.", "bold")
    for row in rows:
        _print_project(row)
    for row in rows:
        if options.dry_run or row.offer is None or row.offer.exclusion or not row.offer.total:
            continue
        if yes or _ask(f"Go through {row.name}?", default=False):
            _share_one_of_many(row, options, yes=yes)


def _share_one_of_many(row: ProjectOffer, options: CeremonyOptions, *, yes: bool) -> None:
    """Share one project; a failure is printed, so that the others are shared all the same."""
    try:
        with open_memory(row.root) as memory:
            share_project(memory.sharing(), options, yes=yes, as_json=False)
    except HollowayError as error:
        print_text(f"{row.name}: {error.message} {error.hint}", "yellow")


def _describe_project(row: ProjectOffer) -> dict[str, object]:
    offer = row.offer
    return {
        "project": row.name,
        "root": row.root,
        "problem": row.problem or None,
        "remote": offer.shown_address if offer else None,
        "excluded": offer.explain_exclusion() or None if offer else None,
        "chosen": len(offer.chosen) if offer else 0,
        "groups": {name: len(memories) for name, memories in offer.groups.items()} if offer else {},
        "refused": len(offer.refused) if offer else 0,
    }


def _print_project(row: ProjectOffer) -> None:
    if row.offer is None:
        print_text(f"  {row.name}  {row.problem}", "dim")
        return
    counts = [f"{len(row.offer.chosen)} chosen"] if row.offer.chosen else []
    counts += [f"{len(memories)} {name}" for name, memories in row.offer.groups.items()]
    counts += [f"{len(row.offer.findings)} with a secret"] if row.offer.findings else []
    print_text(f"  {row.name}  {', '.join(counts) or 'nothing to share'}  {row.offer.shown_address}")
    if row.offer.exclusion:
        print_text(f"      excluded: {row.offer.explain_exclusion()}; --include {row.name} allows it", "yellow")


def _ask_about_exclusion(sharing: Sharing, offer: ShareOffer, options: CeremonyOptions, *, yes: bool) -> ShareOffer:
    """Return the offer, of a project that may be shared. Raises InvalidInput for one that stays excluded."""
    if not offer.exclusion:
        return offer
    print_text(f"{offer.project} is excluded: {offer.explain_exclusion()}.", "yellow")
    if yes or not _ask("Share its memories all the same?", default=False):
        raise InvalidInput("Nothing was shared.", f"`holloway share --include {offer.project}` allows it.")
    sharing.include()
    return sharing.build_offer(options.remote)


def _ask_about_group(name: str, memories: Sequence[Memory], options: CeremonyOptions, *, yes: bool) -> bool:
    """Show a group of memories whose visibility nobody chose; return whether it is shared."""
    print_text(f"  {format_count(len(memories))} {GROUP_LABELS[name]}")
    for card in memories[:GROUP_SHOWN]:
        print_text(f"      {card.summary}", "dim")
    if name in options.groups:
        return True
    if yes:
        print_text(f"      not shared: --group {name} shares them", "dim")
        return False
    return _ask(f"  Share these {len(memories)}?", default=False)


def _leave_for_later(sharing: Sharing) -> None:
    """Note that the person does not want to share now; without a terminal, nobody was asked."""
    if is_terminal():
        print_text(f"Not now; nothing was shared. You are not asked again before {sharing.snooze()[:10]}.")
    else:
        print_text("Not now; nothing was shared. Without a terminal, --yes shares what you chose.")


def is_terminal() -> bool:
    """Return whether there is a person to ask."""
    return sys.stdin.isatty()


def _ask(question: str, *, default: bool) -> bool:
    return is_terminal() and click.confirm(question, default=default)


def _print_dry_run(offer: ShareOffer, sharing: Sharing, groups: Sequence[str], *, as_json: bool) -> None:
    """Print each memory as it would be sent, and why the others stay."""
    memories = offer.pick(groups)
    rows = [sharing.preview(card) for card in memories]
    waiting = {name: group for name, group in offer.groups.items() if name not in groups}
    if as_json:
        print_json(
            {
                "remote": offer.shown_address,
                "excluded": offer.explain_exclusion() or None,
                "memories": rows,
                "not_chosen": {name: [card.id for card in group] for name, group in waiting.items()},
                "refused": [
                    {"id": refusal.memory.id, "reason": refusal.reason, "place": refusal.place or None}
                    for refusal in offer.refused
                ],
            }
        )
        return
    print_text(f"{format_count(len(rows))} would be sent, nothing was:", "bold")
    for card, row in zip(memories, rows, strict=True):
        _print_sent_memory(card, row)
    if offer.exclusion:
        print_text(f"  excluded: {offer.explain_exclusion()}", "yellow")
    for name, group in waiting.items():
        print_text(f"  not chosen: {format_count(len(group))} {GROUP_LABELS[name]} (--group {name})")
    _print_refused(offer.refused)


def _print_sent_memory(card: Memory, row: Mapping[str, object]) -> None:
    """Print a memory with everything of it that is sent."""
    print_text(f"{card.id}  {row['type']}, {row['visibility']}")
    content = row["content"]
    print_text(f"        {content['text'] if isinstance(content, dict) else ''}")
    for name, value in row.items():
        if name in ("content", "type", "visibility") or value in ("", [], 0, False, None):
            continue
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        print_text(f"        {name.replace('_', ' ')}: {text}", "dim")


def _print_refused(refused: Sequence[Refusal]) -> None:
    if refused:
        print_text(f"  not sent: {format_count(len(refused))}")
    for refusal in refused[:REFUSED_SHOWN]:
        print_text(f"      {refusal.memory.id}  {refusal.reason}", "dim")
        if refusal.place:
            print_text(f"              {refusal.place}", "yellow")
            print_text(f"              `holloway edit {refusal.memory.id}` takes it out", "dim")
    if len(refused) > REFUSED_SHOWN:
        print_text(f"      and {len(refused) - REFUSED_SHOWN} more", "dim")


def join_sharing(sharing: Sharing, remote: str, *, author: str = "", device: str = "") -> None:
    """Read what others share through a remote; a failure is printed, because joining can be repeated."""
    try:
        sharing.join(remote, author=author, device=device)
        print_report(sharing, sharing.synchronize())
    except HollowayError as error:
        print_text(f"{error.message} {error.hint}", "yellow")


def print_report(sharing: Sharing, report: SyncReport) -> None:
    """Print what an exchange did, and what waits for the person."""
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
    if strangers := [person.author for person in sharing.list_people() if person.standing == "unknown"]:
        names = ", ".join(dict.fromkeys(strangers))
        print_text(f"  Not accepted yet: {names}. `holloway share --accept NAME` releases what they wrote.", "yellow")
