"""Project commands: brief, status, pause, resume, config (settings), trust, doctor (health checks), completion."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import (
    can_print,
    data_folder,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
)

if TYPE_CHECKING:
    from holloway.service.results import Standing


CHECK_MARKS = {"ok": "✓", "warning": "!", "failure": "✗"}
PLAIN_MARKS = {"ok": "+", "warning": "!", "failure": "x"}
"""Fallback marks for a terminal without Unicode."""
CHECK_STYLES = {"ok": "green", "warning": "yellow", "failure": "red"}
ATTENTION_TEXTS = {
    "stale": "{count} stale: their code has changed (`holloway list --state stale`)",
    "audit": "stale memories pile up (`holloway bulk forget --state stale` sets them aside)",
    "failed_job": "a background job failed {count} times: {detail} (`holloway doctor`)",
    "dropped_answers": "{count} answers came too late for an agent, the last at {at} (`holloway doctor`)",
}
"""Line of each kind of attention that no other line of the status says."""
LEVEL_DESCRIPTIONS = {
    1: "injects only confirmed or taught memories, and errors with an observed fix",
    2: "injects every memory above the threshold",
    3: "injects every memory above the threshold; the review lists only memories that need a decision",
    4: "injects every memory above the threshold; no session summaries",
}


@click.command("brief")
@json_option
@project_option
def brief_command(as_json: bool, project: str) -> None:
    """Print the brief: the text an agent reads when its session starts here.

    \b
    Example:
      holloway brief
    """
    from holloway.text.tokens import estimate_tokens  # loaded when the command runs

    with open_memory(project) as memory:
        brief = memory.brief()
    if as_json:
        print_json({"text": brief.text, "memories": list(brief.memories), "tokens": estimate_tokens(brief.text)})
        return
    click.echo(brief.text)


@click.command("status")
@json_option
@project_option
def status_command(as_json: bool, project: str) -> None:
    """Show what this project's memory holds: counts, sessions, search, language model, storage.

    \b
    Example:
      holloway status
    """
    from holloway.service.status import status  # loaded when the command runs

    with open_memory(project) as memory:
        project_status = status(memory)
    if as_json:
        print_json(project_status)
        return
    print_text(f"{project_status['project']}  {project_status['root']}", "bold")
    if project_status["unconfirmed"]:
        print_text(f"  {project_status['unconfirmed']}", "yellow")
    states = ", ".join(f"{number} {name}" for name, number in project_status["by_state"].items())
    print_text(f"  memories   {project_status['memories']}{f' ({states})' if states else ''}")
    for kind, number in project_status["by_type"].items():
        print_text(f"             {number} {kind.replace('_', ' ')}")
    print_text(
        f"  to review  {project_status['to_review']}" + ("  (holloway review)" if project_status["to_review"] else "")
    )
    print_text(f"  user       {project_status['user_memories']} for all projects")
    for line in _health_lines(project_status):
        print_text(f"  {line}")
    watched = f"{project_status['sessions_watched']} of them observed and learned from"
    print_text(
        f"  sessions   {project_status['sessions']} seen, {watched}; trust level {project_status['trust_level']}"
    )
    answers = project_status["answers"]
    lost_text = f", {answers['degraded']} shortened and {answers['dropped']} dropped"
    has_losses = answers["degraded"] or answers["dropped"]
    print_text(f"  answers    {answers['given']} by hooks in {answers['days']} days{lost_text if has_losses else ''}")
    if project_status["trust_offer"]:
        print_text(f"             {project_status['trust_offer']}", "yellow")
    observer = project_status["observer"]
    for line in _observer_lines(observer):
        print_text(f"  {line}")
    if observer["strict"]:
        more = f"{observer['threshold_factor'] - 1:.0%}"
        print_text(f"             That is more than 30 %: the promotion threshold is {more} higher now.", "yellow")
    method = (
        f"by words and by meaning ({project_status['model']})"
        if project_status["model"]
        else f"by words. {project_status['search_note']}"
    )
    waiting = f", {format_count(project_status['to_embed'])} still to embed" if project_status["to_embed"] else ""
    print_text(f"  search     {method}{waiting}")
    if model := project_status["language_model"]:
        calls_text = ", ".join(f"{call['calls']} for {call['purpose']}" for call in model["calls"]) or "not used yet"
        print_text(f"  model      {model['tokens']:,} of {model['cap']:,} tokens this month: {calls_text}")
    for line in describe_reader_lines(project_status["reader"]):
        print_text(f"  {line}")
    if project_status["experiment"]["on"]:
        from holloway.cli.proof import describe_experiment_in_words  # few projects measure

        print_text(f"  measuring  {describe_experiment_in_words(project_status['experiment'])} (holloway proof)")
    print_text(f"  panel      {project_status['panel'] or 'not running (holloway panel)'}")
    if sharing := project_status["sharing"]:
        print_text(f"  sharing    {sharing['state']}" + (f": {sharing['detail']}" if sharing["detail"] else ""))
    print_text(f"  paused     {project_status['paused'] or 'no'}")
    place = (
        f"{project_status['folder']} ({project_status['bytes'] // 1024:,} KB)"
        if project_status["folder"]
        else "none yet (holloway init)"
    )
    print_text(f"  data       {place}")
    print_text(f"  backup     {project_status['last_backup'] or 'none yet'}")


def _health_lines(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the health score with its parts, and what needs a person besides the review."""
    health = figures["health"]
    if health["score"] is not None:
        parts = f"confidence {health['confidence']:.2f}, {health['coverage']:.0%} of the code known"
        yield f"health     {health['score']} of 100: {parts}, {health['reviewed']:.0%} reviewed"
    if tokens := figures["last_session_tokens"]:
        yield f"saved      about {tokens['net']:,} tokens in the last session, net of {tokens['injected']:,} injected"
    for item in figures["attention"]:
        if text := ATTENTION_TEXTS.get(item["kind"]):
            yield f"attention  {text.format(**item)}"


def describe_reader_lines(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the lines about the reader: its provider and usage, why it cannot run, its last failure."""
    from holloway.service.reader import (
        describe_in_words,
        describe_proposals,
        has_failed_last,
    )  # loaded when a command runs

    yield f"reader     {describe_in_words(figures)}"
    if health := describe_proposals(figures):
        yield f"           {health}"
    if figures["problem"]:
        yield f"           {figures['problem']}"
    elif has_failed_last(figures):
        yield f"           failed {figures['last_failure']['at'][:16]}: {figures['last_failure']['message']}"


def _observer_lines(observer: dict[str, Any]) -> Iterator[str]:
    """Yield the observer's figures: candidates, events, signals, and how people judged the memories."""
    yield f"observed   {observer['promoted']} kept, {observer['held']} held, {observer['dropped']} dropped"
    if observer["events"]:
        events = format_count(observer["events"], "event")
        yield f"           {events}, {observer['slow_events']} slow, {observer['failed_events']} failed"
    for name, times in observer["signals"].items():
        if times["promoted"] or times["reinforced"]:
            kept_text = f"{times['promoted']} kept" + (
                f", {times['reinforced']} seen again" if times["reinforced"] else ""
            )
            yield f"           {name.replace('_', ' ')}: fired {format_count(times['fired'], 'time')}, {kept_text}"
    judged_count = observer["confirmed_by_people"] + observer["rejected_by_people"]
    if judged_count:
        yield f"           You rejected {observer['rejected_by_people']} of the {judged_count} that you judged."


@click.command("pause")
@click.argument("target", type=click.Choice(["all", "capture", "injection"]), default="all")
@click.option("--everywhere", is_flag=True, help="Pause in every project, not only this one.")
@project_option
def pause_command(target: str, everywhere: bool, project: str) -> None:
    """Stop capturing (recording what agents do), injecting (showing them memories) or both, from the next event on.

    Anything paused before stays paused.

    \b
    Examples:
      holloway pause
      holloway pause injection --everywhere
    """
    from holloway.service.project_finder import pause  # loaded when the command runs

    paused = pause(project, target, everywhere=everywhere)
    place = "everywhere" if everywhere else "here"
    back = "holloway resume --everywhere" if everywhere else "holloway resume"
    print_text(f"Paused {place}: {'everything' if paused == 'all' else paused}. Resume with `{back}`.", "green")


@click.command("resume")
@click.argument("target", type=click.Choice(["all", "capture", "injection"]), default="all")
@click.option("--everywhere", is_flag=True, help="End a pause that was set with --everywhere.")
@project_option
def resume_command(target: str, everywhere: bool, project: str) -> None:
    """Resume capturing, injecting or both.

    \b
    Examples:
      holloway resume
      holloway resume capture
    """
    from holloway.service.project_finder import paused_where, resume  # loaded when the command runs

    was_paused = resume(project, target, everywhere=everywhere)
    print_text("Resumed." if was_paused else "Nothing was paused.", "green")
    for place, paused_part in paused_where(project).items():
        more = " --everywhere" if place == "everywhere" else ""
        print_text(f"Still paused {place}: {paused_part}. Resume with `holloway resume{more}`.", "yellow")


@click.command("config")
@click.argument("action", type=click.Choice(["list", "get", "set"]), default="list")
@click.argument("key", required=False)
@click.argument("value", required=False)
@click.option("--here", "is_local", is_flag=True, help="For this project only.")
@json_option
@project_option
def config_command(
    action: str, key: str | None, value: str | None, is_local: bool, as_json: bool, project: str
) -> None:
    """Show and change settings; --here changes them for this project only.

    \b
    Examples:
      holloway config
      holloway config get synchronous
      holloway config set synchronous full
    """
    from holloway import config  # loaded when the command runs
    from holloway.errors import InvalidInput
    from holloway.service.project_finder import NoMemory, known_project, refresh_hook_settings

    sets = action == "set"
    if sets and (key is None or value is None):
        raise InvalidInput("`config set` needs a key and a value.", "For example: holloway config set synchronous full")
    if action != "list" and key is None:
        raise InvalidInput(f"`config {action}` needs a key.", f"Known keys: {', '.join(config.SETTINGS)}.")
    entries = [config.find_setting(key)] if key else list(config.SETTINGS.values())
    try:
        owner = known_project(project, create=is_local and sets).key
    except NoMemory:
        owner = ""
    if sets:
        config.change_setting(str(key), str(value), owner if is_local else "", str(data_folder()))
        refresh_hook_settings()
        if owner:
            open_memory(project).close()  # opening writes the trust level where hooks read it
    settings = config.Settings.load_settings(owner, str(data_folder()))
    values = {entry.key: settings.resolve_value(entry.key) for entry in entries}
    if as_json:
        print_json({name: {"value": current, "from": origin} for name, (current, origin) in values.items()})
        return
    for entry in entries:
        current, origin = values[entry.key]
        print_text(f"{entry.key} = {current}  ({origin})", "bold")
        if action == "list":
            print_text(f"  {entry.meaning}", "dim")


@click.command("doctor")
@json_option
@project_option
def doctor_command(as_json: bool, project: str) -> None:
    """Check this machine, the data, the hooks and the project, and report problems. Nothing is changed.

    \b
    Example:
      holloway doctor
    """
    from dataclasses import asdict  # loaded when the command runs

    from holloway.service.setup import examine

    checks = examine(project, data_folder())
    if as_json:
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        marks = CHECK_MARKS if can_print("".join(CHECK_MARKS.values())) else PLAIN_MARKS
        for check in checks:
            named = f" [{check.finding}]" if check.finding else ""
            print_text(f"{marks[check.verdict]} {check.name}: {check.seen}{named}", CHECK_STYLES[check.verdict])
            if check.hint and check.verdict != "ok":
                print_text(f"    {check.hint}")
    if any(check.verdict == "failure" for check in checks):
        sys.exit(1)


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print a shell completion script.

    \b
    Examples:
      holloway completion bash >> ~/.bashrc
      holloway completion fish > ~/.config/fish/completions/holloway.fish
    """
    from click.shell_completion import get_completion_class  # loaded when the command runs

    from holloway.cli import holloway

    completion_class = get_completion_class(shell)
    assert completion_class is not None  # noqa: S101  (the choice above lists only shells that click supports)
    click.echo(completion_class(holloway, {}, "holloway", "_HOLLOWAY_COMPLETE").source())


@click.command("trust")
@click.argument("level", required=False)
@json_option
@project_option
def trust_command(level: str | None, as_json: bool, project: str) -> None:
    """Show or set this project's trust level: how much agents are shown unasked, why, and what would change it.

    LEVEL is 1 cautious, 2 standard, 3 confident, 4 autonomous, or auto: cautious first, standard once earned.

    \b
    Examples:
      holloway trust
      holloway trust confident
      holloway trust auto
    """
    with open_memory(project, create=level is not None) as memory:
        standing = memory.trust.choose(level) if level else memory.trust.standing()
    if as_json:
        print_json(standing_json(standing))
    else:
        _print_standing(standing)


def standing_json(standing: Standing) -> dict[str, object]:
    """Return a trust level as JSON fields."""
    from holloway.config import INJECTION_THRESHOLDS

    return {
        "level": standing.level,
        "name": standing.name,
        "above_confidence": INJECTION_THRESHOLDS[standing.level],
        "from": standing.origin,
        "why": standing.why,
        "advance": standing.advance or None,
        "offered": standing.offered or None,
        "offer": standing.offer or None,
        **asdict(standing.regard),
        "flagged_in_a_session": standing.flagged,
    }


def _print_standing(standing: Standing) -> None:
    from holloway.config import INJECTION_THRESHOLDS

    counts = standing.regard
    print_text(f"Trust level {standing.level}, {standing.name}: {standing.why}.", "bold")
    print_text(f"  {LEVEL_DESCRIPTIONS[standing.level]}; confidence above {INJECTION_THRESHOLDS[standing.level]:.2f}")
    counts_text = (
        f"{format_count(counts.shown)} shown, {counts.confirmed} of them confirmed, {counts.corrected} corrected"
    )
    print_text(f"  {format_count(counts.sessions, 'session')}; {counts_text}")
    if standing.advance:
        print_text(f"  next: {standing.advance}.", "dim")
    if standing.offer:
        print_text(f"  {standing.offer}.", "yellow")
