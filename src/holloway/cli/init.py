"""The init command: start a project's memory, map its code, import rules and past sessions, connect agents."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from holloway.cli.common import emit, home, json_option, many, opened, project_option, say, yes_option

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway
    from holloway.service.past_sessions import PastSessions
    from holloway.service.results import RulesImported
    from holloway.service.setup import Plan


@click.command("init")
@yes_option
@json_option
@project_option
def init_command(yes: bool, as_json: bool, project: str) -> None:
    """Start a memory for a project: map its code, import its rules files, learn from past sessions, connect agents.

    Each step after the map asks first: rules files (CLAUDE.md, AGENTS.md, .cursorrules, ...) are imported for your
    review, agent sessions on this disk are learned from, and the agents installed here are connected, with the exact
    change shown. Without a terminal only the map is built, unless you add --yes.

    \b
    Example:
      cd ~/code/shop && holloway init
    """
    from holloway.cli.progress import ProgressBar  # loaded when the command runs
    from holloway.service import past_sessions

    with opened(project, create=True) as memory:
        with ProgressBar(hidden=as_json) as tell:
            commits = memory.map.update(workers=0, progress=tell).commits
        if as_json:
            _as_program(memory, yes=yes)
            return
        _overview(memory, commits)
        _rules(memory, memory.import_rules(dry_run=True), yes=yes)
        _past(memory, past_sessions.find(memory), yes=yes)
        connected = _agents(memory, yes=yes)
        _brief(memory)
        _next(project, connected=connected)


def _as_program(memory: Holloway, *, yes: bool) -> None:
    """Run the steps of init without questions and print JSON; only --yes changes anything."""
    from holloway.service import past_sessions, setup  # loaded when the command runs

    rules = memory.import_rules(dry_run=not yes)
    sessions = past_sessions.find(memory)
    learned = past_sessions.learn(memory, sessions) if yes and sessions.sessions else past_sessions.PastLessons()
    plans = _plans(memory)
    for plan in plans if yes else ():
        setup.apply(plan, home())
    overview = memory.map.overview()
    emit(
        {
            "rules": len(rules.added),
            "sessions": len(sessions.sessions),
            "learned": len(learned.kept),
            "agents": [
                {"agent": plan.dialect.agent, "files": [str(change.path) for change in plan.needed], "changed": yes}
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


def _overview(memory: Holloway, commits: int) -> None:
    overview = memory.map.overview()
    languages = ", ".join(f"{number} {language}" for language, number in overview.languages) or "no source files"
    say(
        f"{memory.project.name}: {many(overview.files, 'file')} ({languages}), {many(len(overview.modules), 'module')}",
        "bold green",
    )
    if commits:
        say(f"history: {many(commits, 'commit')} read for files that often change together")
    if not memory.under_git:
        say(f"{memory.project.root} is not under git: every folder below it belongs to this project.", "yellow")


def _rules(memory: Holloway, rules: RulesImported, *, yes: bool) -> None:
    from holloway.cli.rules import counted, preview  # loaded when the command runs

    if not rules.added:
        return
    preview(rules)
    if _agreed("Import these rules for your review?", yes=yes):
        say(counted(memory.import_rules()) + " Review them with `holloway review`.", "green")
    else:
        say("Nothing was imported; `holloway rules` imports them at any time.", "dim")


def _past(memory: Holloway, found: PastSessions, *, yes: bool) -> None:
    """Offer to learn from sessions recorded before holloway was installed."""
    from holloway.cli.learn import told  # loaded when the command runs
    from holloway.cli.progress import ProgressBar
    from holloway.service import past_sessions

    if not found.sessions:
        return
    agents = sorted({session.agent for session in found.sessions})
    say(f"On this disk: {many(len(found.sessions), 'session')} of this project ({', '.join(agents)})", "bold")
    if not _agreed("Learn from them? Nothing leaves this machine.", yes=yes):
        say("Nothing was read; `holloway learn` reads them at any time.", "dim")
        return
    with ProgressBar(hidden=False) as tell:
        learned = past_sessions.learn(memory, found, tell)
    told(found, learned)


def _brief(memory: Holloway) -> None:
    say("An agent that starts here reads:", "bold")
    say()
    for brief_line in memory.brief().text.splitlines():
        say(f"  {brief_line}")
    say()


def _agents(memory: Holloway, *, yes: bool) -> bool:
    """Offer to connect each installed agent; return whether there is one and all of them are connected."""
    from holloway.cli.setup import question, show  # loaded when the command runs
    from holloway.service import setup

    plans = _plans(memory)
    declined = bool(plans) and not yes and not sys.stdin.isatty()
    for plan in () if declined else plans:
        show(plan, short=yes)
        if not _agreed(f"{question(plan)} It connects {plan.dialect.label}.", yes=yes):
            declined = True
            continue
        setup.apply(plan, home())
        say(f"{plan.dialect.label} is connected.", "green")
        if plan.dialect.note:
            say(plan.dialect.note, "yellow")
    return not declined and any(dialect.is_installed() for dialect in setup.DIALECTS.values())


def _plans(memory: Holloway) -> list[Plan]:
    """Plan how to connect the installed agents for all projects; leave out those connected already."""
    from holloway.errors import HollowayError  # loaded when the command runs
    from holloway.service import setup

    plans: list[Plan] = []
    for dialect in setup.DIALECTS.values():
        if not dialect.is_installed():
            continue
        try:
            plan = setup.setup(dialect, "user", memory.project.root, home())
        except HollowayError as error:
            click.echo(f"{dialect.label} cannot be connected: {error.message} {error.hint}", err=True)
            continue
        plans += [plan] if plan.needed else []
    return plans


def _next(project: str, *, connected: bool) -> None:
    from holloway.extras import find_invocation  # loaded when the command runs

    program, project_argument = find_invocation(), "" if project == "." else f" -p {shlex.quote(project)}"
    say("Next steps:", "bold")
    if not connected:
        say("  connect your agent, claude-code or codex (shows the change, asks first):")
        say(f"      {program} setup claude-code{project_argument}")
    say("  teach a gotcha; your agent sees it when it opens that file:")
    say(f'      {program} remember "..." --file PATH{project_argument}')
    say("  check that everything works:")
    say(f"      {program} doctor{project_argument}")


def _agreed(question: str, *, yes: bool) -> bool:
    """Ask at a terminal, default yes; without one only --yes agrees."""
    return yes or (sys.stdin.isatty() and click.confirm(question, default=True))
