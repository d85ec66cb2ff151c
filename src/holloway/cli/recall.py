"""Search commands: recall and ask; list, show and explain the provenance of memories (why)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    FilterOptions,
    SelectionOptions,
    TextCommand,
    base_folder,
    branch_label,
    describe_memory,
    filter_options,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_memory,
    print_quotes,
    print_relations,
    print_text,
    project_option,
    read_text_argument,
    selection_options,
)
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.service.ask import AskAnswer
    from holloway.service.holloway import Holloway
    from holloway.service.memory_card import MemoryCard
    from holloway.service.memory_editor import Provenance
    from holloway.service.results import RecallResult

QUERY_SHOWN_CHARS = 80
"""Characters of the query that are repeated when nothing was found."""
SOURCE_LABELS = {
    "user_taught": "taught by you",
    "user_correction": "from a correction by you",
    "agent_explicit": "recorded by an agent",
    "observer_inferred": "inferred from what agents did",
    "error_fix": "from an error and its observed fix",
    "qa_auto": "from a check of finished work",
    "mcp_auto": "recorded over MCP",
    "commit_auto": "from a commit",
    "agent_note": "noted by an agent",
    "agent_concluded": "concluded by an agent",
    "synthesis": "synthesised from several sessions",
    "rules_file": "read from a rules file",
    "foreign_file": "imported from a file of unknown origin",
    "colleague": "shared by a colleague",
}
"""Label of each memory source."""
POINT_LABELS = {"asked": "the agent reported that it helped", "host": "the agent has it from its rules file"}
"""Label of each way a session can have a memory that holloway did not inject."""
ORDER_CHOICES = ("newest", "changed", "used")
PHASES = ("define", "implement", "validate", "refine", "explore", "reflect")


@click.command("recall", cls=TextCommand)
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", "-n", default=10, show_default=True, help="Maximum number of results.")
@click.option("--all-projects", is_flag=True, help="Search the memories of every project on this machine.")
@click.option(
    "--near",
    multiple=True,
    metavar="PATH",
    help="A file being worked on: memories about it and its neighbours rank higher.",
)
@click.option("--phase", type=click.Choice(PHASES), help="Rank memory types higher that this phase of work needs.")
@click.option("--explain", is_flag=True, help="Show each result's score at every stage of the search.")
@filter_options
@json_option
@project_option
def recall_command(
    words: tuple[str, ...],
    limit: int,
    all_projects: bool,
    near: tuple[str, ...],
    phase: str | None,
    explain: bool,
    chosen: FilterOptions,
    as_json: bool,
    project: str,
) -> None:
    """Find memories by words and by meaning (full-text and semantic search). Identifiers also match in parts.

    \b
    Examples:
      holloway recall redis tests
      holloway recall parseHTTPResponse --type gotcha
      holloway recall "what breaks" --near src/auth/tokens.py --explain
      holloway recall "token refresh" --all-projects
    """
    from holloway.service.results import result_json  # loaded when the command runs
    from holloway.text.sanitize import one_line

    with open_memory(project) as memory:
        query, wanted = read_text_argument(words, "The question"), chosen.build_filter(memory)
        if all_projects:
            results, unread = memory.recall_everywhere(query, chosen=wanted, limit=limit)
            for error in unread:
                click.echo(f"Not searched: {error.message}", err=True)
        else:
            places = [memory.path_of(path, base_folder(project)) for path in near]
            results = memory.recall(query, chosen=wanted, limit=limit, phase=phase, files=places)
        for stage, reason in memory.search.degraded.items():
            click.echo(f"Without {stage}: {reason}", err=True)
        now = memory.clock.now()
    if as_json:
        print_json({"results": [result_json(result, now) for result in results]})
        return
    _print_results(results, now, named=all_projects, explain=explain)
    if not results:
        searched = "any project" if all_projects else memory.project.name
        print_text(f"No memory matches {one_line(query, QUERY_SHOWN_CHARS)!r} in {searched}.")


def _print_results(results: list[RecallResult], now: datetime, *, named: bool, explain: bool) -> None:
    """Print search results in order; with `named`, under the names of their projects."""
    last_project = ""
    for result in results:
        if result.project != last_project and (named or result.project == "user"):
            print_text(f"{result.project}:", "dim")
        last_project = result.project
        print_memory(result.memory, now)
        if explain:
            stages = " · ".join(f"{stage} {value:.2f}" for stage, value in result.stages.items())
            print_text(f"        {stages} → {result.score:.2f}", "dim")


@click.command("ask", cls=TextCommand)
@click.argument("words", nargs=-1)
@json_option
@project_option
def ask_command(words: tuple[str, ...], as_json: bool, project: str) -> None:
    """Answer a question from memories and the code map, with citations; a question that nothing supports is refused.

    Without a question, on a terminal, it is a conversation: each question is understood from those before it.

    Without a language model (`llm.provider`) the ranked evidence is printed instead. Nothing is sent anywhere unless
    you configured one.

    \b
    Example:
      holloway ask "how do tokens expire, and what went wrong with them before?"
    """
    from holloway.cli.common import open_mapped_memory  # loaded when the command runs
    from holloway.service.ask import ask
    from holloway.service.results import result_json

    if not words and not as_json and sys.stdin.isatty():
        _converse(project)
        return
    question = read_text_argument(words, "The question")
    with open_mapped_memory(project) as memory:
        answer = ask(memory, question)
        now = memory.clock.now()
        if as_json:
            print_json(
                {
                    "answer": answer.text or None,
                    "cited": list(answer.cited),
                    "model": answer.model or None,
                    "note": answer.note or None,
                    "refused": answer.refused,
                    "memories": [result_json(result, now) for result in answer.results],
                    "files": [{"path": file.path, "reasons": list(file.reasons)} for file in answer.located.files],
                }
            )
            return
    _print_answer(answer, now)


def _converse(project: str) -> None:
    """Ask for questions and answer each, until an empty one."""
    from holloway.cli.common import open_mapped_memory  # loaded when the command runs
    from holloway.service.ask import Conversation

    with open_mapped_memory(project) as memory:
        conversation = Conversation()
        print_text("Ask about this project; an empty line ends the conversation.", "dim")
        while question := click.prompt("?", default="", show_default=False, prompt_suffix=" ").strip():
            _print_answer(conversation.ask(memory, question).answer, memory.clock.now())


def _print_answer(answer: AskAnswer, now: datetime) -> None:
    """Print an answer with the memories it cites, or all evidence if no answer was written."""
    if answer.refused:
        print_text(answer.note, "yellow")
    if answer.text:
        print_text(f"{answer.text}\n")
    for result in answer.results:
        if not answer.text or result.memory.id in answer.cited:
            print_memory(result.memory, now)
    for file in answer.located.files:
        print_text(file.path)
        if file.reasons:
            print_text(f"        {'; '.join(file.reasons)}", "dim")
    if not answer.text and not answer.refused:
        click.echo(f"Evidence only, no written answer: {answer.note}", err=True)


@click.command("list")
@click.option("--limit", "-n", type=click.IntRange(1), default=50, show_default=True, help="Maximum number of results.")
@click.option("--deleted", is_flag=True, help="Show forgotten memories that can be restored.")
@click.option("--superseded", is_flag=True, help="Also show replaced memories.")
@click.option("--session", default="", metavar="ID", help="Only memories from this session.")
@click.option(
    "--order", type=click.Choice(ORDER_CHOICES), default="newest", show_default=True, help="Which come first."
)
@click.option("--after", default="", metavar="KEY", help="The page after this key, which --json printed as next_key.")
@click.option("--counts", is_flag=True, help="Instead, count the memories by type, state, source, file and so on.")
@selection_options
@filter_options
@json_option
@project_option
def list_command(
    limit: int,
    deleted: bool,
    superseded: bool,
    session: str,
    order: str,
    after: str,
    counts: bool,
    selection: SelectionOptions,
    chosen: FilterOptions,
    as_json: bool,
    project: str,
) -> None:
    """List memories, newest first.

    --preset chooses a ready-made filter: active (used by a session within thirty days), unused (by none), waiting (for
    your review), fading (set aside within two weeks unless somebody uses them).

    \b
    Examples:
      holloway list --type decision
      holloway list --file src/auth/tokens.py --json
      holloway list --preset unused --older 90 --counts
      holloway list --deleted
    """
    from dataclasses import replace  # loaded when the command runs

    from holloway import Filter
    from holloway.service.memory_list import count_facets, list_memories

    with open_memory(project) as memory:
        query = replace(
            selection.build_query(memory, chosen), session=session, forgotten=deleted, replaced=superseded or deleted
        )
        now = memory.clock.now()
        if counts:
            _print_counts(count_facets(memory, query).to_json(), as_json=as_json)
            return
        page = list_memories(memory, query, order=order, after=after, limit=limit)
        if as_json:
            print_json(page.to_json(now))
            return
        for result in page.memories:
            print_memory(result, now)
        waiting = 0 if chosen.quarantined or query.user else memory.count_to_review()
        if page.next_key:
            print_text(f"{page.total - len(page.memories):,} more: --limit shows them.", "dim")
        if waiting:
            print_text(f"To review: {waiting} (`holloway review`).", "yellow")
        elif not page.memories and (
            memory.count_user() if query.user else memory.store.memories.count_memories(Filter())
        ):
            print_text("No memory matches.")
        elif not page.memories:
            owner_text, option = ("for all projects", " --user") if query.user else (f"in {memory.project.name}", "")
            print_text(f'No memory {owner_text} yet. `holloway remember{option} "..."` stores the first one.')


def _print_counts(facets: dict[str, dict[str, int]], *, as_json: bool) -> None:
    """Print how many memories each facet has."""
    if as_json:
        print_json(facets)
        return
    for facet, numbers in facets.items():
        counts_text = ", ".join(f"{name or '-'} {number:,}" for name, number in numbers.items() if number)
        if counts_text:
            print_text(f"{facet:<12}  {counts_text}")


@click.command("show")
@click.argument("memory_id", metavar="ID")
@click.option("--quarantined", is_flag=True, help="Also show it if it is quarantined (waiting for review).")
@json_option
@project_option
def show_command(memory_id: str, quarantined: bool, as_json: bool, project: str) -> None:
    """Show one memory in full. A unique prefix of the id is enough.

    \b
    Example:
      holloway show 7f3a
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    with open_memory(project) as memory:
        shown_memory = memory.get(memory_id)
        if shown_memory.state == "quarantined" and not quarantined:
            hint = "Review it with `holloway review`, or add --quarantined."
            raise InvalidInput(f"{shown_memory.id} is quarantined until a person reviews it.", hint)
        if as_json:
            print_json(memory_json(shown_memory, memory.clock.now()))
            return
        _print_card(memory, shown_memory)


def _print_card(memory: Holloway, shown_memory: Memory) -> None:
    from holloway.domain import (
        memory_json,
    )

    print_text(f"{shown_memory.id}  {shown_memory.type.label}", "bold cyan")
    print_text(shown_memory.content)
    for name, value in memory_json.shown_details(shown_memory.details).items():
        print_text(f"  {name}: {value if isinstance(value, str) else ', '.join(map(_format_item, _as_list(value)))}")
    print_text(f"  {describe_memory(shown_memory, memory.clock.now())}", "dim")
    source_text = f"{SOURCE_LABELS[shown_memory.source]} on {shown_memory.created_at[:10]}"
    branch_text = f", branch {branch_label(shown_memory.branch)}" if shown_memory.branch else ""
    commit_text = f", commit {shown_memory.commit[:10]}" if shown_memory.commit else ""
    use_text = f", used {format_count(shown_memory.use_count, 'time')}" if shown_memory.use_count else ""
    shown_text = f"shown to agents {format_count(memory.times_shown(shown_memory.id), 'time')}"
    print_text(f"  {source_text}{branch_text}{commit_text}; {shown_text}{use_text}", "dim")
    print_relations(memory, shown_memory)


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def _format_item(value: object) -> str:
    return str(value.get("description", value)) if isinstance(value, dict) else str(value)


@click.command("why")
@click.argument("memory_id", metavar="ID")
@json_option
@project_option
def why_command(memory_id: str, as_json: bool, project: str) -> None:
    """Show a memory's provenance: its origin, its history, and the sessions that saw it.

    \b
    Example:
      holloway why 7f3a2c
    """
    from holloway.service.memory_card import build_card  # loaded when the command runs
    from holloway.service.results import memory_json

    with open_memory(project) as memory:
        card = build_card(memory, memory_id)
        provenance = card.provenance
        if as_json:
            print_json(
                {
                    "memory": memory_json(provenance.memory, memory.clock.now()),
                    **card.to_json(memory.clock.now()),
                    "shown": [
                        {"session": session, "point": point, "at": at} for session, point, at in provenance.shown
                    ],
                    "replaced": [memory_json(old, memory.clock.now()) for old in provenance.replaced],
                    "seen": [
                        {
                            "session": sighting.session,
                            "signal": sighting.signal,
                            "step": sighting.step,
                            "state": sighting.state,
                            "quotes": sighting.draft.get("quotes", []),
                        }
                        for sighting in provenance.seen
                    ],
                }
            )
            return
        _print_card(memory, provenance.memory)
    _print_uses(card)
    _print_history(provenance)


def _print_uses(card: MemoryCard) -> None:
    """Print what sessions made of a memory, what its confidence is made of, and which of its files changed."""
    uses, account = card.uses, card.confidence
    if uses.shown:
        print_text(
            f"  in {format_count(uses.shown, 'session')}: cited in {uses.cited}, acted on in {uses.acted_on}, "
            f"dismissed in {uses.dismissed}, contradicted in {uses.contradicted}",
            "dim",
        )
    decay_text = f", set aside on {account.set_aside_at[:10]} unless it is used" if account.set_aside_at else ""
    print_text(f"  confidence {account.birth:.2f} at birth, {account.base:.2f} before decay{decay_text}", "dim")
    for file in card.files:
        if file.state != "present":
            print_text(f"  {file.path} is {file.state} since", "yellow")
    for derived in card.derived:
        print_text(f"  derived from it: {derived.id}: {derived.summary}", "dim")


def _describe_detail(detail: str) -> str:
    """Return a history entry's detail, with the stored name of a source replaced by its label."""
    source, comma, agent = detail.removeprefix("by ").partition(", ")
    return SOURCE_LABELS[source] + comma + agent if detail.startswith("by ") and source in SOURCE_LABELS else detail


def _print_history(provenance: Provenance) -> None:
    """Print the history of a memory, and the sessions that saw it."""
    from holloway.safety.repository_text import is_path  # loaded when the command runs

    # The origin of unfinished work ends with its branch.
    if provenance.memory.origin and (not provenance.memory.branch or is_path(provenance.memory.branch)):
        print_text(f"  from {provenance.memory.origin}")
    print_text("History", "bold")
    for at, kind, detail in provenance.history:
        print_text(f"  {at[:16].replace('T', ' ')}  {kind}{f': {_describe_detail(detail)}' if detail else ''}")
    for old in provenance.replaced:
        print_text(f"  replaced {old.id}: {old.content}")
    if provenance.seen:
        print_text("Seen in sessions", "bold")
        for sighting in provenance.seen:
            print_text(
                f"  {sighting.session}, step {sighting.step}: {sighting.signal.replace('_', ' ')} ({sighting.state})"
            )
            print_quotes(sighting)
    if provenance.shown:
        print_text("Shown to agents", "bold")
        for session, point, at in provenance.shown:
            print_text(
                f"  {at[:16].replace('T', ' ')}  {POINT_LABELS.get(point, point.replace('_', ' '))}, session {session}"
            )
