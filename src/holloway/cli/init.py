"""The init command: start a project's memory, map its code, import rules and past sessions, connect agents."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    data_folder,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
    yes_option,
)

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway
    from holloway.service.past_sessions import PastSessions
    from holloway.service.results import Harvest, NotesImported, RulesImported
    from holloway.service.setup import InstallPlan


@click.command("init")
@click.option(
    "--same-project",
    is_flag=True,
    help="Share the memory of the project that has this origin or first commit: for a shallow clone, a fork, or "
    "a folder whose history was rewritten.",
)
@yes_option
@json_option
@project_option
def init_command(same_project: bool, yes: bool, as_json: bool, project: str) -> None:
    """Start a memory for a project: map its code, import its rules files, learn from past sessions, connect agents.

    Notes that agents keep about the project on this disk are imported for your review.

    Each step after the map asks first: rules files (CLAUDE.md, AGENTS.md, .cursorrules, ...) are imported for your
    review, agent sessions on this disk are learned from, and the agents installed here are connected, with the exact
    change shown. Without a terminal only the map is built, unless you add --yes.

    A checkout shares the memory of a project with which it shares its first commit. The name of the origin is not
    enough: a shallow clone or another history gets a separate memory, unless you say --same-project.

    \b
    Example:
      cd ~/code/shop && holloway init
    """
    from holloway.cli.common import ProgressBar  # loaded when the command runs
    from holloway.service import past_sessions

    _settle_project(project, same_project=same_project, as_json=as_json)
    with open_memory(project, create=True) as memory:
        with ProgressBar(hidden=as_json) as tell:
            commits = memory.map.update(workers=0, progress=tell).commits
        if as_json:
            _run_as_json(memory, yes=yes)
            return
        _print_overview(memory, commits)
        _print_harvest(memory.harvest_history())
        _print_notes(memory.import_host_notes())
        _offer_rules(memory, memory.import_rules(dry_run=True), yes=yes)
        _offer_past_sessions(memory, past_sessions.find(memory), yes=yes)
        _offer_published(memory, yes=yes)
        _offer_to_join(memory)
        connected = _offer_agents(memory, yes=yes)
        _offer_ollama(memory)
        _print_brief(memory)
        _print_next_steps(project, connected=connected)


def _settle_project(project: str, *, same_project: bool, as_json: bool) -> None:
    """Decide whether a folder shares the memory of the project whose origin it names; at a terminal, ask."""
    from holloway.service.project_finder import find_claim, join_project  # loaded when the command runs

    claim = "" if same_project else find_claim(project)
    if claim and not as_json:
        print_text(claim, "yellow")
        same_project = sys.stdin.isatty() and click.confirm("Is it the same project?", default=False)
    if same_project:
        join_project(project)


def _run_as_json(memory: Holloway, *, yes: bool) -> None:
    """Run the steps of init without questions and print JSON; only --yes changes anything."""
    from holloway.service import past_sessions, setup  # loaded when the command runs
    from holloway.service.mirror import build_mirror, mirror_json

    harvest = memory.harvest_history()
    notes = memory.import_host_notes()
    rules = memory.import_rules(dry_run=not yes)
    sessions = past_sessions.find(memory)
    learned = past_sessions.learn(memory, sessions) if yes and sessions.sessions else past_sessions.PastLessons()
    plans = _plan_agents(memory)
    for plan in plans if yes else ():
        setup.apply_plan(plan, data_folder())
    overview = memory.map.overview()
    print_json(
        {
            "explanations": harvest.added,
            "notes": sum(notes.waiting.values()),
            "rules": len(rules.added),
            "sessions": len(sessions.sessions),
            "learned": len(learned.kept),
            "mirror": mirror_json(build_mirror(memory)),
            "agents": [
                {
                    "agent": plan.dialect.agent,
                    "files": [str(change.path) for change in plan.needed_changes],
                    "changed": yes,
                }
                for plan in plans
            ],
            "project": memory.project.name,
            "root": str(memory.project.root),
            "files": overview.files,
            "source_files": overview.source_files,
            "languages": dict(overview.languages),
            "modules": [module.name for module in overview.modules],
            "brief": memory.brief().text,
        }
    )


def _print_overview(memory: Holloway, commits: int) -> None:
    overview = memory.map.overview()
    languages = ", ".join(f"{number} {language}" for language, number in overview.languages) or "no source files"
    file_count, module_count = format_count(overview.files, "file"), format_count(len(overview.modules), "module")
    print_text(f"{memory.project.name}: {file_count} ({languages}), {module_count}", "bold green")
    if commits:
        print_text(f"history: {format_count(commits, 'commit')} read for files that often change together")
    if not memory.under_git:
        print_text(f"{memory.project.root} is not under git: every folder below it belongs to this project.", "yellow")


def _print_harvest(harvest: Harvest) -> None:
    if harvest.added:
        use = (
            "for your review, because this machine pushed nothing here"
            if harvest.for_review
            else "found by recall and ask, told to agents once you confirm them"
        )
        explanations = format_count(harvest.added, "explanation")
        print_text(f"commit messages: {explanations} kept from {format_count(harvest.commits, 'commit')}, {use}")


def _print_notes(notes: NotesImported) -> None:
    from holloway.service.setup import DIALECTS  # loaded when the command runs

    for host, count in sorted(notes.waiting.items()):
        keeper = DIALECTS[host].label if host in DIALECTS else host
        verb = "waits" if count == 1 else "wait"
        print_text(f"{format_count(count, 'note')} of {keeper} for this project {verb} for `holloway review`")


def _offer_rules(memory: Holloway, rules: RulesImported, *, yes: bool) -> None:
    from holloway.cli.rules import describe_import, print_preview  # loaded when the command runs

    if not rules.added:
        return
    print_preview(rules)
    if _confirm_step("Import these rules for your review?", yes=yes):
        print_text(describe_import(memory.import_rules()) + " Review them with `holloway review`.", "green")
    else:
        print_text("Nothing was imported; `holloway rules` imports them at any time.", "dim")


def _offer_past_sessions(memory: Holloway, past: PastSessions, *, yes: bool) -> None:
    """Offer to learn from sessions recorded before holloway was installed."""
    from holloway.cli.common import ProgressBar
    from holloway.cli.mirror import print_mirror
    from holloway.cli.sessions import print_learned  # loaded when the command runs
    from holloway.service import past_sessions
    from holloway.service.mirror import build_mirror

    if not past.sessions:
        return
    agents = sorted({session.agent for session in past.sessions})
    print_text(
        f"On this disk: {format_count(len(past.sessions), 'session')} of this project ({', '.join(agents)})", "bold"
    )
    if not _confirm_step("Learn from them? Nothing leaves this machine.", yes=yes):
        print_text("Nothing was read; `holloway learn` reads them at any time.", "dim")
        return
    with ProgressBar(hidden=False) as tell:
        learned = past_sessions.learn(memory, past, tell)
    print_learned(past, learned)
    print_mirror(build_mirror(memory))


def _offer_published(memory: Holloway, *, yes: bool) -> None:
    """Offer to import what colleagues published in the work tree; it waits for review, because anybody may write it."""
    count = memory.sharing().count_published()
    if not count:
        return
    folder = memory.sharing().published_folder
    print_text(f"{folder}: {format_count(count)} that colleagues published for review", "bold")
    if _confirm_step("Import them for your review?", yes=yes):
        added = format_count(memory.import_file(memory.project.root / folder, skip_invalid=True).added)
        print_text(f"{added} imported; no agent sees them until `holloway review`.", "green")
    else:
        print_text(f"Nothing was imported; `holloway import {folder}` does at any time.", "dim")


def _offer_to_join(memory: Holloway) -> None:
    """Offer to look at what colleagues share, if their refs were fetched; only a person at a terminal agrees."""
    from holloway.cli.share_ceremony import join_sharing  # loaded when the command runs

    sharing = memory.sharing()
    devices = sharing.count_fetched_devices() if sharing.may_be_offered else 0
    if not devices:
        return
    print_text(f"Colleagues share memories of this project ({format_count(devices, 'device')} fetched).", "bold")
    if not sys.stdin.isatty():
        print_text("`holloway share --join` reads what they share; nothing of yours leaves by that.", "dim")
    elif click.confirm("Ask the remote origin for them? Nothing of yours leaves by that.", default=True):
        join_sharing(sharing, "origin")
    else:
        print_text(
            f"You are not asked again before {sharing.snooze()[:10]}; `holloway share --join` reads them.", "dim"
        )


def _print_brief(memory: Holloway) -> None:
    print_text("An agent that starts here reads:", "bold")
    print_text()
    for brief_line in memory.brief().text.splitlines():
        print_text(f"  {brief_line}")
    print_text()


def _offer_ollama(memory: Holloway) -> None:
    """Offer the embedding model of an Ollama that runs here; only a person at a terminal chooses it."""
    from holloway.errors import HollowayError  # loaded when the command runs
    from holloway.service import embedder_switch, local_models

    if memory.settings.get_text("embedding.provider") != "builtin" or not (
        model := local_models.find_embedding_model()
    ):
        return
    print_text(f"Ollama runs here with {model}. It knows more languages than the model inside holloway.", "bold")
    if not _confirm_step("Use it to find memories by meaning?", yes=False, default=False):
        print_text(f"`holloway embedder use ollama --model {model}` chooses it at any time.", "dim")
        return
    try:
        embedder_switch.switch_embedder(memory, "ollama", {"model": model})
    except HollowayError as error:
        print_text(f"{error.message} {error.hint} The model inside holloway stays.", "yellow")
        return
    print_text("Chosen; the worker embeds the memories with it.", "green")


def _offer_agents(memory: Holloway, *, yes: bool) -> bool:
    """Offer to connect each installed agent; return whether there is one and all of them are connected."""
    from holloway.cli.setup import confirmation_question, print_plan  # loaded when the command runs
    from holloway.service import setup

    plans = _plan_agents(memory)
    declined = bool(plans) and not yes and not sys.stdin.isatty()
    for plan in () if declined else plans:
        print_plan(plan, short=yes)
        if not _confirm_step(f"{confirmation_question(plan)} It connects {plan.dialect.label}.", yes=yes):
            declined = True
            continue
        setup.apply_plan(plan, data_folder())
        print_text(f"{plan.dialect.label} is connected.", "green")
        if plan.dialect.note:
            print_text(plan.dialect.note, "yellow")
    return not declined and any(dialect.is_installed() for dialect in setup.DIALECTS.values())


def _plan_agents(memory: Holloway) -> list[InstallPlan]:
    """Plan how to connect the installed agents for all projects; leave out those connected already."""
    from holloway.errors import HollowayError  # loaded when the command runs
    from holloway.service import setup

    plans: list[InstallPlan] = []
    for dialect in setup.DIALECTS.values():
        if not dialect.is_installed():
            continue
        try:
            plan = setup.plan_setup(dialect, "user", memory.project.root, data_folder())
        except HollowayError as error:
            click.echo(f"{dialect.label} cannot be connected: {error.message} {error.hint}", err=True)
            continue
        plans += [plan] if plan.needed_changes else []
    return plans


def _print_next_steps(project: str, *, connected: bool) -> None:
    from holloway.extras import find_invocation  # loaded when the command runs

    program, project_argument = find_invocation(), "" if project == "." else f" -p {shlex.quote(project)}"
    print_text("Next steps:", "bold")
    if not connected:
        print_text("  connect the agents on this machine (shows each change, asks first):")
        print_text(f"      {program} setup{project_argument}")
    print_text("  teach a gotcha; your agent sees it when it opens that file:")
    print_text(f'      {program} remember "..." --file PATH{project_argument}')
    print_text("  check that everything works:")
    print_text(f"      {program} doctor{project_argument}")


def _confirm_step(question: str, *, yes: bool, default: bool = True) -> bool:
    """Ask at a terminal; without one only --yes agrees."""
    return yes or (sys.stdin.isatty() and click.confirm(question, default=default))
