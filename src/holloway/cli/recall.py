"""Commands that find: recall, list, show, why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    branch_shown,
    emit,
    json_option,
    line,
    many,
    notable,
    opened,
    project_option,
    say,
    standing,
    text_of,
)
from holloway.cli.memory_filters import Chosen, choosing_options
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.service.ask import Answer
    from holloway.service.holloway import Holloway
    from holloway.service.memory_editor import Provenance
    from holloway.service.results import Result

QUERY_SHOWN_CHARS = 80
"""A question that found nothing is repeated, but not at any length."""
SOURCES = {
    "user_taught": "taught by you",
    "user_correction": "from a correction of yours",
    "agent_explicit": "recorded by an agent",
    "observer_inferred": "inferred from what agents did",
    "error_fix": "from an error that was seen fixed",
    "qa_auto": "from a check of the work",
    "mcp_auto": "recorded over MCP",
    "commit_auto": "from a commit",
    "synthesis": "put together from several sessions",
    "rules_file": "read from a rules file",
    "foreign_file": "imported from a file of unknown origin",
}
"""Who or what said it, in words."""
POINTS = {"asked": "the agent said that it helped", "host": "the agent has it from its rules file"}
"""How a session came to a memory that holloway did not show it."""
PHASES = ("define", "implement", "validate", "refine", "explore", "reflect")


@click.command("recall")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", "-n", default=10, show_default=True, help="At most this many.")
@click.option("--all-projects", is_flag=True, help="Search the memories of every project on this machine.")
@click.option("--near", multiple=True, metavar="PATH", help="A file in play: memories on it and around it count more.")
@click.option("--phase", type=click.Choice(PHASES), help="Prefer the types that this phase of work needs.")
@click.option("--explain", is_flag=True, help="Show what each stage of the search made of a result.")
@choosing_options
@json_option
@project_option
def recall_command(
    words: tuple[str, ...],
    limit: int,
    all_projects: bool,
    near: tuple[str, ...],
    phase: str | None,
    explain: bool,
    chosen: Chosen,
    as_json: bool,
    project: str,
) -> None:
    """Find memories by words and by meaning; identifiers are found whole and in parts.

    \b
    Examples:
      holloway recall redis tests
      holloway recall parseHTTPResponse --type gotcha
      holloway recall "what breaks" --near src/auth/tokens.py --explain
      holloway recall "token refresh" --all-projects
    """
    from holloway.service.json_view import result_json  # loaded when the command runs
    from holloway.text.sanitize import one_line

    with opened(project) as memory:
        query, wanted = text_of(words, "The question"), chosen.filter(memory)
        if all_projects:
            results, unread = memory.recall_everywhere(query, chosen=wanted, limit=limit)
            for error in unread:
                click.echo(f"Not searched: {error.message}", err=True)
        else:
            places = [memory.path_of(path, standing(project)) for path in near]
            results = memory.recall(query, chosen=wanted, limit=limit, phase=phase, files=places)
        for stage, reason in memory.search.degraded.items():
            click.echo(f"Without {stage}: {reason}", err=True)
        now = memory.clock.now()
    if as_json:
        emit({"results": [result_json(result, now) for result in results]})
        return
    _print_results(results, now, named=all_projects, explain=explain)
    if not results:
        where = "any project" if all_projects else memory.project.name
        say(f"Nothing is known about {one_line(query, QUERY_SHOWN_CHARS)!r} in {where} yet.")


def _print_results(results: list[Result], now: datetime, *, named: bool, explain: bool) -> None:
    """Memories as they were found; `named` with the projects that they are of."""
    told = ""
    for result in results:
        if result.project != told and (named or result.project == "user"):
            say(f"{result.project}:", "dim")
        told = result.project
        line(result.memory, now)
        if explain:
            stages = " · ".join(f"{stage} {value:.2f}" for stage, value in result.stages.items())
            say(f"        {stages} → {result.score:.2f}", "dim")


@click.command("ask")
@click.argument("words", nargs=-1, required=True)
@json_option
@project_option
def ask_command(words: tuple[str, ...], as_json: bool, project: str) -> None:
    """Answer a question from memories and code map, with citations.

    Where no language model is configured (`llm.provider`), the ranked evidence is the answer. Nothing is sent anywhere
    unless you configured one.

    \b
    Example:
      holloway ask "how do tokens expire, and what went wrong with them before?"
    """
    from holloway.cli.progress import ready  # loaded when the command runs
    from holloway.service.ask import ask
    from holloway.service.json_view import result_json

    question = text_of(words, "The question")
    with ready(project) as memory:
        found = ask(memory, question)
        now = memory.clock.now()
        if as_json:
            emit(
                {
                    "answer": found.text or None,
                    "cited": list(found.cited),
                    "model": found.model or None,
                    "note": found.note or None,
                    "memories": [result_json(result, now) for result in found.results],
                    "files": [{"path": file.path, "reasons": list(file.reasons)} for file in found.located.files],
                }
            )
            return
    _print_answer(found, now)


def _print_answer(found: Answer, now: datetime) -> None:
    """The answer with what it cites; where none was written, all that was found."""
    if found.text:
        say(f"{found.text}\n")
    for result in found.results:
        if not found.text or result.memory.id in found.cited:
            line(result.memory, now)
    for file in found.located.files:
        say(file.path)
        if file.reasons:
            say(f"        {'; '.join(file.reasons)}", "dim")
    if not found.text:
        click.echo(f"What was found, without a written answer: {found.note}", err=True)


@click.command("list")
@click.option("--limit", "-n", type=click.IntRange(1), default=50, show_default=True, help="At most this many.")
@click.option("--deleted", is_flag=True, help="Show what was forgotten and can be restored.")
@click.option("--superseded", is_flag=True, help="Also show what was replaced.")
@click.option("--pinned", is_flag=True, help="Only pinned ones.")
@click.option("--session", default="", metavar="ID", help="Only those from this session.")
@click.option("--user", is_flag=True, help="Your own memories, for all projects.")
@choosing_options
@json_option
@project_option
def list_command(
    limit: int,
    deleted: bool,
    superseded: bool,
    pinned: bool,
    session: str,
    user: bool,
    chosen: Chosen,
    as_json: bool,
    project: str,
) -> None:
    """List memories, newest first.

    \b
    Examples:
      holloway list --type decision
      holloway list --file src/auth/tokens.py --json
      holloway list --deleted
    """
    from dataclasses import replace  # loaded when the command runs

    from holloway import Filter
    from holloway.service.json_view import memory_json

    with opened(project) as memory:
        wanted = replace(
            chosen.filter(memory), deleted=deleted, superseded=superseded or deleted, pinned=pinned, session=session
        )
        found = memory.memories(wanted, limit=limit, user=user)
        now = memory.clock.now()
        if as_json:
            emit({"results": [memory_json(each, now) for each in found]})
            return
        for each in found:
            line(each, now)
        waiting = 0 if chosen.quarantined or user else memory.count_to_review()
        if waiting:
            say(f"To review: {waiting} (`holloway review`).", "yellow")
        elif not found and (memory.count_user() if user else memory.store.memories.count(Filter())):
            say("Nothing matches.")
        elif not found:
            where, option = ("of your own", " --user") if user else (f"in {memory.project.name}", "")
            say(f'Nothing {where} yet. `holloway remember{option} "..."` teaches the first memory.')


@click.command("show")
@click.argument("memory_id", metavar="ID")
@click.option("--quarantined", is_flag=True, help="Also if it waits for review and no agent sees it.")
@json_option
@project_option
def show_command(memory_id: str, quarantined: bool, as_json: bool, project: str) -> None:
    """Show one memory in full. The beginning of an id is enough if it is unique.

    \b
    Example:
      holloway show 7f3a
    """
    from holloway.service.json_view import memory_json  # loaded when the command runs

    with opened(project) as memory:
        found = memory.get(memory_id)
        if found.state == "quarantined" and not quarantined:
            hint = "`holloway review` shows what waits, or add --quarantined."
            raise InvalidInput(f"{found.id} is quarantined until a person has seen it.", hint)
        if as_json:
            emit(memory_json(found, memory.clock.now()))
            return
        _print_card(memory, found)


def _print_card(memory: Holloway, found: Memory) -> None:
    from holloway.domain import memory_details  # loaded when the command runs

    say(f"{found.id}  {found.type.label}", "bold cyan")
    say(found.content)
    for name, value in memory_details.shown(found.details).items():
        say(f"  {name}: {value if isinstance(value, str) else ', '.join(map(_item, _listed(value)))}")
    say(f"  {notable(found, memory.clock.now())}", "dim")
    taught = f"{SOURCES[found.source]} on {found.created_at[:10]}"
    place = f", branch {branch_shown(found.branch)}" if found.branch else ""
    commit = f", commit {found.commit[:10]}" if found.commit else ""
    used = f", used {many(found.use_count, 'time')}" if found.use_count else ""
    say(f"  {taught}{place}{commit}; shown to agents {many(memory.times_shown(found.id), 'time')}{used}", "dim")


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def _item(value: object) -> str:
    return str(value.get("description", value)) if isinstance(value, dict) else str(value)


@click.command("why")
@click.argument("memory_id", metavar="ID")
@json_option
@project_option
def why_command(memory_id: str, as_json: bool, project: str) -> None:
    """Show where a memory comes from, what happened to it, and which sessions were shown it.

    \b
    Example:
      holloway why 7f3a2c
    """
    from holloway.service.json_view import memory_json  # loaded when the command runs

    with opened(project) as memory:
        found = memory.why(memory_id)
        if as_json:
            emit(
                {
                    "memory": memory_json(found.memory, memory.clock.now()),
                    "history": [{"at": at, "kind": kind, "detail": detail} for at, kind, detail in found.history],
                    "shown": [{"session": session, "point": point, "at": at} for session, point, at in found.shown],
                    "replaced": [memory_json(old, memory.clock.now()) for old in found.replaced],
                    "seen": [
                        {"session": each.session, "signal": each.signal, "step": each.step, "state": each.state}
                        for each in found.seen
                    ],
                }
            )
            return
        _print_card(memory, found.memory)
    _print_past(found)


def _in_words(detail: str) -> str:
    """What the history notes; a source that it names as the store does is put into words."""
    source, comma, agent = detail.removeprefix("by ").partition(", ")
    return SOURCES[source] + comma + agent if detail.startswith("by ") and source in SOURCES else detail


def _print_past(found: Provenance) -> None:
    """What happened to a memory, and who saw it."""
    if found.memory.origin:
        say(f"  from {found.memory.origin}")
    say("History", "bold")
    for at, kind, detail in found.history:
        say(f"  {at[:16].replace('T', ' ')}  {kind}{f': {_in_words(detail)}' if detail else ''}")
    for old in found.replaced:
        say(f"  replaced {old.id}: {old.content}")
    if found.seen:
        say("Seen in sessions", "bold")
        for each in found.seen:
            say(f"  {each.session}, step {each.step}: {each.signal.replace('_', ' ')} ({each.state})")
    if found.shown:
        say("Shown to agents", "bold")
        for session, point, at in found.shown:
            say(f"  {at[:16].replace('T', ' ')}  {POINTS.get(point, point.replace('_', ' '))}, session {session}")
