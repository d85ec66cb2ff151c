"""Commands about a project and this machine: brief, status, pause, resume, config, doctor, completion."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from holloway.cli.common import can_print, emit, home, json_option, many, opened, project_option, say

MARKS = {"ok": "✓", "warning": "!", "failure": "✗"}
PLAIN_MARKS = {"ok": "+", "warning": "!", "failure": "x"}
"""For a terminal that has no other signs."""
STYLES = {"ok": "green", "warning": "yellow", "failure": "red"}


@click.command("brief")
@json_option
@project_option
def brief_command(as_json: bool, project: str) -> None:
    """Print what an agent reads when its session starts here.

    \b
    Example:
      holloway brief
    """
    from holloway.text.tokens import estimate  # loaded when the command runs

    with opened(project) as memory:
        made = memory.brief()
    if as_json:
        emit({"text": made.text, "memories": list(made.memories), "tokens": estimate(made.text)})
        return
    click.echo(made.text)


@click.command("status")
@json_option
@project_option
def status_command(as_json: bool, project: str) -> None:
    """Show what this project's memory holds.

    \b
    Example:
      holloway status
    """
    from holloway.service.status import status  # loaded when the command runs

    with opened(project) as memory:
        found = status(memory)
    if as_json:
        emit(found)
        return
    say(f"{found['project']}  {found['root']}", "bold")
    states = ", ".join(f"{number} {name}" for name, number in found["by_state"].items())
    say(f"  memories   {found['memories']}{f' ({states})' if states else ''}")
    for kind, number in found["by_type"].items():
        say(f"             {number} {kind.replace('_', ' ')}")
    say(f"  to review  {found['to_review']}" + ("  (holloway review)" if found["to_review"] else ""))
    say(f"  your own   {found['user_memories']} for all projects")
    watched = f"{found['sessions_watched']} of them watched and learned from"
    say(f"  sessions   {found['sessions']} seen, {watched}; trust level {found['trust_level']}")
    answers = found["answers"]
    lost = f", {answers['degraded']} shortened and {answers['dropped']} dropped"
    is_lost = answers["degraded"] or answers["dropped"]
    say(f"  answers    {answers['given']} in {answers['days']} days{lost if is_lost else ''}")
    if found["trust_offer"]:
        say(f"             {found['trust_offer']}", "yellow")
    seen = found["observer"]
    for line in _observed(seen):
        say(f"  {line}")
    if seen["strict"]:
        more = f"{seen['threshold_factor'] - 1:.0%}"
        say(f"             That is more than 30 %: it takes {more} more to be kept now.", "yellow")
    by = f"by words and by meaning ({found['model']})" if found["model"] else f"by words. {found['search_note']}"
    waiting = f", {many(found['to_embed'])} still to embed" if found["to_embed"] else ""
    say(f"  search     {by}{waiting}")
    if model := found["language_model"]:
        asked = ", ".join(f"{each['calls']} for {each['purpose']}" for each in model["calls"]) or "not asked yet"
        say(f"  model      {model['tokens']:,} of {model['cap']:,} tokens this month: {asked}")
    say(f"  paused     {found['paused'] or 'no'}")
    place = f"{found['folder']} ({found['bytes'] // 1024:,} KB)" if found["folder"] else "none yet (holloway init)"
    say(f"  data       {place}")
    say(f"  backup     {found['last_backup'] or 'none yet'}")


def _observed(seen: dict[str, Any]) -> Iterator[str]:
    """How watching went, signal by signal, and what people made of it."""
    yield f"observed   {seen['promoted']} kept, {seen['held']} held, {seen['dropped']} dropped"
    if seen["events"]:
        yield f"           {many(seen['events'], 'event')}, {seen['slow_events']} slow, {seen['failed_events']} failed"
    for name, times in seen["signals"].items():
        if times["promoted"] or times["reinforced"]:
            kept = f"{times['promoted']} kept" + (f", {times['reinforced']} seen again" if times["reinforced"] else "")
            yield f"           {name.replace('_', ' ')}: fired {many(times['fired'], 'time')}, {kept}"
    judged = seen["confirmed_by_people"] + seen["rejected_by_people"]
    if judged:
        yield f"           You rejected {seen['rejected_by_people']} of the {judged} that you judged."


@click.command("pause")
@click.argument("what", type=click.Choice(["all", "capture", "injection"]), default="all")
@click.option("--everywhere", is_flag=True, help="In every project, not only this one.")
@project_option
def pause_command(what: str, everywhere: bool, project: str) -> None:
    """Stop capturing (noting what agents do), injecting (telling them) or both, from the next event on.

    What is paused already stays so.

    \b
    Examples:
      holloway pause
      holloway pause injection --everywhere
    """
    from holloway.service.project_finder import pause  # loaded when the command runs

    what = pause(project, what, everywhere=everywhere)
    place = "everywhere" if everywhere else "here"
    back = "holloway resume --everywhere" if everywhere else "holloway resume"
    say(f"Paused {place}: {'everything' if what == 'all' else what}. `{back}` goes on.", "green")


@click.command("resume")
@click.argument("what", type=click.Choice(["all", "capture", "injection"]), default="all")
@click.option("--everywhere", is_flag=True, help="End a pause that was set everywhere.")
@project_option
def resume_command(what: str, everywhere: bool, project: str) -> None:
    """Go on capturing, injecting or both.

    \b
    Examples:
      holloway resume
      holloway resume capture
    """
    from holloway.service.project_finder import paused_where, resume  # loaded when the command runs

    was = resume(project, what, everywhere=everywhere)
    say("Going on." if was else "Nothing was paused.", "green")
    for place, still in paused_where(project).items():
        more = " --everywhere" if place == "everywhere" else ""
        say(f"Still paused {place}: {still}. `holloway resume{more}` goes on.", "yellow")


@click.command("config")
@click.argument("action", type=click.Choice(["list", "get", "set"]), default="list")
@click.argument("key", required=False)
@click.argument("value", required=False)
@click.option("--here", is_flag=True, help="For this project only.")
@json_option
@project_option
def config_command(action: str, key: str | None, value: str | None, here: bool, as_json: bool, project: str) -> None:
    """Show and change settings; `--here` changes them for this project only.

    \b
    Examples:
      holloway config
      holloway config get synchronous
      holloway config set synchronous full
    """
    from holloway import config  # loaded when the command runs
    from holloway.errors import InvalidInput
    from holloway.service.project_finder import NoMemory, known_project

    sets = action == "set"
    if sets and (key is None or value is None):
        raise InvalidInput("`config set` needs a key and a value.", "For example: holloway config set synchronous full")
    if action != "list" and key is None:
        raise InvalidInput(f"`config {action}` needs a key.", f"Known keys: {', '.join(config.SETTINGS)}.")
    shown = [config.setting(key)] if key else list(config.SETTINGS.values())
    try:
        owner = known_project(project, create=here and sets).key
    except NoMemory:
        owner = ""
    if sets:
        config.change_setting(str(key), str(value), owner if here else "", str(home()))
        if owner:
            opened(project).close()  # hooks read what the last opening left for them
    settings = config.Settings.load(owner, str(home()))
    values = {entry.key: settings.resolve(entry.key) for entry in shown}
    if as_json:
        emit({name: {"value": current, "from": origin} for name, (current, origin) in values.items()})
        return
    for entry in shown:
        current, origin = values[entry.key]
        say(f"{entry.key} = {current}  ({origin})", "bold")
        if action == "list":
            say(f"  {entry.meaning}", "dim")


@click.command("doctor")
@json_option
@project_option
def doctor_command(as_json: bool, project: str) -> None:
    """Look for what is wrong: this machine, the data, the hooks, the project. Nothing is changed.

    \b
    Example:
      holloway doctor
    """
    from dataclasses import asdict  # loaded when the command runs

    from holloway.service.setup import examine

    checks = examine(project, home())
    if as_json:
        emit({"checks": [asdict(check) for check in checks]})
    else:
        marks = MARKS if can_print("".join(MARKS.values())) else PLAIN_MARKS
        for check in checks:
            named = f" [{check.finding}]" if check.finding else ""
            say(f"{marks[check.verdict]} {check.name}: {check.seen}{named}", STYLES[check.verdict])
            if check.hint and check.verdict != "ok":
                say(f"    {check.hint}")
    if any(check.verdict == "failure" for check in checks):
        sys.exit(1)


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Examples:
      holloway completion bash >> ~/.bashrc
      holloway completion fish > ~/.config/fish/completions/holloway.fish
    """
    from click.shell_completion import get_completion_class  # loaded when the command runs

    from holloway.cli import holloway

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101  (the choice above names only shells that click knows)
    click.echo(found(holloway, {}, "holloway", "_HOLLOWAY_COMPLETE").source())
