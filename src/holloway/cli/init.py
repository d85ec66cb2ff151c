"""The first day: init."""

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
    """Start a memory for a project: look at its code, its rules files, past sessions, and connect your agents.

    Rules files (CLAUDE.md, AGENTS.md, .cursorrules, ...) are read for your review, sessions that agents left on this
    disk are learned from, and the agents that are found here are connected: each after a question, with the exact
    change shown. Without a terminal nothing but the map is made unless you say --yes.

    \b
    Example:
      cd ~/code/shop && holloway init
    """
    from holloway.cli.progress import progress_bar  # loaded when the command runs
    from holloway.service import past_sessions

    with opened(project, create=True) as memory:
        with progress_bar(hidden=as_json) as tell:
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
    """The same without words: what was found, and with --yes what was done with it."""
    from holloway.service import (
        past_sessions,
        setup,  # loaded when the command runs
    )

    rules = memory.import_rules(dry_run=not yes)
    sessions = past_sessions.find(memory)
    done = past_sessions.learn(memory, sessions) if yes and sessions.sessions else past_sessions.PastLessons()
    plans = _plans(memory)
    for plan in plans if yes else ():
        setup.apply(plan, home())
    seen = memory.map.overview()
    emit(
        {
            "rules": len(rules.added),
            "sessions": len(sessions.sessions),
            "learned": len(done.kept),
            "agents": [
                {"agent": plan.dialect.agent, "files": [str(one.path) for one in plan.needed], "changed": yes}
                for plan in plans
            ],
            "project": memory.project.name,
            "root": str(memory.project.root),
            "files": seen.files,
            "source_files": seen.source_files,
            "languages": dict(seen.languages),
            "modules": [module.name for module in seen.modules],
            "brief": memory.brief().text,
        }
    )


def _overview(memory: Holloway, commits: int) -> None:
    seen = memory.map.overview()
    languages = ", ".join(f"{number} {language}" for language, number in seen.languages) or "no source files"
    say(
        f"{memory.project.name}: {many(seen.files, 'file')} ({languages}), {many(len(seen.modules), 'module')}",
        "bold green",
    )
    if commits:
        say(f"history: {many(commits, 'commit')}, for what changes together")
    if not memory.under_git:
        say(f"{memory.project.root} is not under git: every folder below it belongs to this project.", "yellow")


def _rules(memory: Holloway, rules: RulesImported, *, yes: bool) -> None:
    from holloway.cli.rules import counted, preview  # loaded when the command runs

    if not rules.added:
        return
    preview(rules)
    if _agreed("Take these rules in, for your review?", yes=yes):
        say(counted(memory.import_rules()) + " `holloway review` goes through them.", "green")
    else:
        say("Nothing was taken in; `holloway rules` does it any time.", "dim")


def _past(memory: Holloway, found: PastSessions, *, yes: bool) -> None:
    """Sessions from before holloway came: the first day is not cold."""
    from holloway.cli.learn import told  # loaded when the command runs
    from holloway.cli.progress import progress_bar
    from holloway.service import past_sessions

    if not found.sessions:
        return
    agents = sorted({each.agent for each in found.sessions})
    say(f"On this disk: {many(len(found.sessions), 'session')} of this project ({', '.join(agents)})", "bold")
    if not _agreed("Learn from them? Nothing leaves this machine.", yes=yes):
        say("Nothing was read; `holloway learn` does it any time.", "dim")
        return
    with progress_bar(hidden=False) as tell:
        done = past_sessions.learn(memory, found, tell)
    told(found, done)


def _brief(memory: Holloway) -> None:
    say("An agent that starts here reads:", "bold")
    say()
    for text in memory.brief().text.splitlines():
        say(f"  {text}")
    say()


def _agents(memory: Holloway, *, yes: bool) -> bool:
    """Offer to connect each agent that this machine has; whether there is one and all of them are."""
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
    return not declined and any(chosen.is_installed() for chosen in setup.DIALECTS.values())


def _plans(memory: Holloway) -> list[Plan]:
    """What it takes to connect the agents of this machine, for all projects."""
    from holloway.errors import HollowayError  # loaded when the command runs
    from holloway.service import setup

    made: list[Plan] = []
    for chosen in setup.DIALECTS.values():
        if not chosen.is_installed():
            continue
        try:
            plan = setup.setup(chosen, "user", memory.project.root, home())
        except HollowayError as error:
            click.echo(f"{chosen.label} cannot be connected: {error.message} {error.hint}", err=True)
            continue
        made += [plan] if plan.needed else []
    return made


def _next(project: str, *, connected: bool) -> None:
    from holloway.extras import find_invocation  # loaded when the command runs

    name, there = find_invocation(), "" if project == "." else f" -p {shlex.quote(project)}"
    say("What next:", "bold")
    if not connected:
        say("  connect your agent, claude-code or codex (shows the change, asks first):")
        say(f"      {name} setup claude-code{there}")
    say("  teach a trap; it arrives when that file is read:")
    say(f'      {name} remember "..." --file PATH{there}')
    say("  check that everything works:")
    say(f"      {name} doctor{there}")


def _agreed(question: str, *, yes: bool) -> bool:
    """What a person at a terminal answers; elsewhere only --yes agrees."""
    return yes or (sys.stdin.isatty() and click.confirm(question, default=True))
