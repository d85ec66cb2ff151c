"""The review command: approve, edit or drop waiting memories one at a time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    TASK_SHOWN_CHARS,
    describe_memory,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_quotes,
    print_redaction_note,
    print_relations,
    print_text,
    project_option,
)
from holloway.text.sanitize import first_paragraph, one_line

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway
    from holloway.service.results import Proposal
    from holloway.service.review_cards import SessionReview
    from holloway.service.session_report import Summary

REVIEW_REASONS = {
    "tainted": "its words come from untrusted content, or from a session without a person",
    "guarded": "it suggests to widen trust, to lower a protection or to change settings beyond the project",
    "imported": "it was imported, and nobody who is known here wrote it",
    "rule": "it was read from a rules file",
    "stale": "the code it is about has changed",
    "inferred": "it was inferred from what an agent did",
    "stated": "you said it in a session; confirm it if it holds for good, drop it if it was meant for that task",
    "disputed": "an agent that used it reported that it is wrong; `holloway why ID` shows the report",
}


@click.command("review")
@click.option("--ok", "ok_ids", multiple=True, metavar="ID", help="Approve this memory without asking.")
@click.option("--drop", "drop_ids", multiple=True, metavar="ID", help="Drop this memory without asking.")
@click.option("--later", "later_ids", multiple=True, metavar="ID", help="Ask about this memory again tomorrow.")
@click.option(
    "--ok-all-from", "ok_files", multiple=True, metavar="PATH", help="Approve all memories from this rules file."
)
@click.option(
    "--session", default="", metavar="ID", help="Instead, review one session: its new memories and their use."
)
@json_option
@project_option
def review_command(
    ok_ids: tuple[str, ...],
    drop_ids: tuple[str, ...],
    later_ids: tuple[str, ...],
    ok_files: tuple[str, ...],
    session: str,
    as_json: bool,
    project: str,
) -> None:
    """Review waiting memories: ok, edit, drop or later. Agents do not see quarantined memories before that.

    Statements of agents about the map (purposes and files of modules, relations) wait here too; their ids look like
    map-1a2b3c4d.

    It starts with a summary of the last session: memories used, memories learned and tokens saved (an estimate). The
    length of that summary depends on the trust level (`holloway trust`) and on whether you act on it.

    \b
    Examples:
      holloway review
      holloway review --ok 7f3a2c --drop 19c0d4
      holloway review --ok-all-from CLAUDE.md
      holloway review --session last
      holloway review --json
    """
    from holloway.service import review_cards, session_report  # loaded when the command runs
    from holloway.service.results import memory_json

    with open_memory(project) as memory:
        decided = _apply_options(memory, ok_ids, drop_ids, later_ids, ok_files)
        if session:
            _show_session(memory, review_cards.review_session(memory, session), as_json=as_json)
            return
        waiting, proposals = memory.to_review(), memory.map.proposals()
        if as_json:
            last = session_report.summarize_session(memory)
            cards = [memory_json(card, memory.clock.now()) for card in waiting]
            statements = [
                {"id": proposal.id, "statement": proposal.statement, "agent": proposal.relation.agent}
                for proposal in proposals
            ]
            summary = summary_json(last) if last else None
            due = review_cards.find_due_review(memory)
            due_json = due.to_json(memory.clock.now()) if due else None
            print_json({"results": cards, "proposals": statements, "last_session": summary, "session_review": due_json})
            return
        if decided:
            print_text(f"{decided}; {memory.count_to_review()} left to review.")
            return
        listed_count = len(waiting) + len(proposals)
        if last := session_report.show_summary(memory):
            _print_summary(last)
            waiting_ids = {card.id for card in waiting}
            waiting += [card for card in last.to_decide if card.id not in waiting_ids]
        if offer := memory.trust.offer_more_careful():
            print_text(f"{offer}.", "yellow")
        if not waiting and not proposals:
            print_text("Nothing to review.")
        elif sys.stdin.isatty():
            decided_count = _review_proposals(memory, proposals) + _review_cards(memory, waiting)
            if decided_count:
                session_report.note_decision(memory)
            print_text(
                f"{format_count(decided_count, 'memory')} decided; {memory.count_to_review()} left to review.", "green"
            )
        else:
            for proposal in proposals:
                _print_proposal(proposal)
            for number, card in enumerate(waiting, 1):
                _print_card(memory, card, number, len(waiting))
            if unlisted := memory.count_to_review() - listed_count:
                print_text(f"{unlisted:,} more wait; they are listed once these are decided.")
            print_text("Decide with `holloway review --ok ID`, `--drop ID` or `--later ID`.", "dim")


def _show_session(memory: Holloway, review: SessionReview, *, as_json: bool) -> None:
    """Print the review of one session, and ask about its cards on a terminal."""
    from holloway.service import session_report  # loaded when the command runs

    if as_json:
        print_json(review.to_json(memory.clock.now()))
        return
    print_text(review.title, "bold")
    if review.tokens:
        print_text(
            f"  saved about {review.tokens.net:,} tokens (an estimate, net of {review.tokens.injected:,} injected)."
        )
    for used in review.used:
        files_text = f" for {', '.join(used.files)}" if used.files else ""
        print_text(f"  used {used.memory.id} ({used.use.replace('_', ' ')}{files_text}): {used.memory.summary}", "dim")
    print_text(f"  {format_count(review.learned_total)} learned, {len(review.learned)} to decide")
    cards = [card.memory for card in review.learned]
    if sys.stdin.isatty():
        if _review_cards(memory, cards):
            session_report.note_decision(memory)
        return
    for number, card in enumerate(cards, 1):
        _print_card(memory, card, number, len(cards))


def _apply_options(
    memory: Holloway,
    ok_ids: tuple[str, ...],
    drop_ids: tuple[str, ...],
    later_ids: tuple[str, ...],
    ok_files: tuple[str, ...],
) -> str:
    """Apply the decisions given as options, after checking that every id exists; return a summary text."""
    from holloway.service import session_report  # loaded when the command runs

    proposals = {proposal.id: proposal for proposal in memory.map.proposals()}
    for chosen in (*ok_ids, *later_ids, *drop_ids):
        if chosen not in proposals:
            memory.get(chosen)
    for chosen in ok_ids:
        if proposal := proposals.get(chosen):
            memory.map.accept(proposal)
        else:
            memory.confirm(chosen)
    for chosen in later_ids:
        if chosen not in proposals:  # a statement about the map waits until it is judged
            memory.later(chosen)
    approved = len(ok_ids) + sum(len(memory.approve_rules(path)) for path in ok_files)
    for chosen in drop_ids:
        if proposal := proposals.get(chosen):
            memory.map.drop(proposal)
    if dropped := [memory.get(chosen) for chosen in drop_ids if chosen not in proposals]:
        memory.forget(dropped)
    if not (approved or drop_ids or later_ids):
        return ""
    session_report.note_decision(memory)
    return f"Approved {approved}, dropped {len(drop_ids)}, later {len(later_ids)}"


def summary_json(last: Summary) -> dict[str, object]:
    """Return the summary of the last session as JSON fields."""
    return {
        "session": last.session.id,
        "task": first_paragraph(last.session.task),
        "saved_tokens": last.saved_tokens,
        "used": [memory.id for memory in last.used],
        "learned": [memory.id for memory in last.learned],
    }


def _print_summary(last: Summary) -> None:
    saved = f"saved about {last.saved_tokens:,} tokens of searching (an estimate); " if last.saved_tokens else ""
    counts_text = f"{saved}used {len(last.used)}, learned {len(last.learned)}"
    name = one_line(first_paragraph(last.session.task), TASK_SHOWN_CHARS) or last.session.id
    if last.short:
        print_text(f"Last session: {counts_text}. ({name})", "dim")
        return
    print_text(f"Last session: {name}", "bold")
    print_text(f"  {counts_text}.")
    for word, memories in (("used", last.used), ("learned", last.learned)):
        for memory in memories:
            print_text(f"  {word} {memory.id}: {memory.summary}", "dim")


def _review_proposals(memory: Holloway, proposals: list[Proposal]) -> int:
    """Ask about each statement of an agent about the map; return the number of decisions."""
    decided_count = 0
    for proposal in proposals:
        _print_proposal(proposal)
        choice = click.prompt(
            "  [o]k, [d]rop, [l]ater", type=click.Choice(list("odl")), show_choices=False, default="l"
        )
        if choice == "o":
            memory.map.accept(proposal)
        elif choice == "d":
            memory.map.drop(proposal)
        decided_count += choice != "l"
    return decided_count


def _print_proposal(proposal: Proposal) -> None:
    agent = proposal.relation.agent
    print_text(f"{proposal.id}  map", "bold cyan")
    print_text(f"  {proposal.statement}")
    print_text(f"  To review because an agent said so ({agent}); no agent reads it before you approve it.", "dim")


def _review_cards(memory: Holloway, waiting: list[Memory]) -> int:
    """Ask about each card; return the number of decisions."""
    decided_count = 0
    for number, card in enumerate(waiting, 1):
        _print_card(memory, card, number, len(waiting))
        choice = click.prompt(
            "  [o]k, [e]dit, [d]rop, [l]ater, [q]uit", type=click.Choice(list("oedlq")), show_choices=False, default="l"
        )
        if choice == "q":
            return decided_count
        decided_count += _apply_choice(memory, card, choice)
    return decided_count


def _apply_choice(memory: Holloway, card: Memory, choice: str) -> bool:
    """Apply a choice to one memory; return whether it was a decision."""
    if choice == "l":
        memory.later(card.id)
        return False
    if choice == "o":
        memory.confirm(card.id)
    elif choice == "d":
        memory.forget([card])
    elif (text := click.edit(card.content)) is not None:
        print_redaction_note(memory.edit(card.id, content=text)[1])
    else:
        print_text("  Not changed; it stays in the review.", "dim")
        return False
    return True


def _print_card(memory: Holloway, card: Memory, number: int, total: int) -> None:
    from holloway.domain.memory_json import shown_details  # loaded when the command runs
    from holloway.service.results import describe_origin

    print_text(f"{number}/{total}  {card.id}  {card.type.label}", "bold cyan")
    print_text(f"  {card.content}")
    if card.summary not in card.content:
        print_text(f"  agents see: {card.summary}", "yellow")
    for name, value in shown_details(card.details).items():
        print_text(f"  {name}: {value}")
    origin = f" ({place})" if (place := describe_origin(card)) else ""
    print_text(f"  {describe_memory(card, memory.clock.now())}", "dim")
    why = f"To review because {REVIEW_REASONS[card.review]}" if card.review else "Learned or used in the last session"
    print_text(f"  {why}{origin}.", "dim")
    print_relations(memory, card)
    for sighting in memory.why(card.id).seen[-1:]:
        print_quotes(sighting)
