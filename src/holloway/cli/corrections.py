"""Commands that take back: wrong, forget, restore, prune."""

from __future__ import annotations

from collections.abc import Sequence

import click

from holloway.cli.common import (
    ask,
    emit,
    json_option,
    line,
    maintained,
    many,
    opened,
    project_option,
    say,
    text_of,
    yes_option,
)
from holloway.errors import InvalidInput


@click.command("wrong")
@click.argument("memory_id", metavar="ID")
@click.argument("instead", nargs=-1)
@click.option(
    "--reason",
    "-r",
    type=click.Choice(["outdated", "partly", "not-here", "incorrect"]),
    default="incorrect",
    show_default=True,
    help="What is wrong with it.",
)
@click.option("--note", default="", metavar="TEXT", help="Why, for whoever asks later.")
@json_option
@project_option
def wrong_command(
    memory_id: str, instead: tuple[str, ...], reason: str, note: str, as_json: bool, project: str
) -> None:
    """Mark a memory wrong: from the next step on no agent sees it. Words after the id take its place.

    \b
    Examples:
      holloway wrong 7f3a2c
      holloway wrong 7f3a2c --reason outdated "tests/auth uses an in-memory store now"
      holloway restore 7f3a2c        # it was right after all
    """
    from holloway.service.json_view import memory_json  # loaded when the command runs

    with opened(project) as memory:
        text = text_of(instead, "The replacement") if instead else ""
        if instead and not text.strip():
            raise InvalidInput(
                "The replacement is empty; nothing was changed.", "Leave it out if nothing holds instead."
            )
        now_holds = memory.wrong(memory_id, reason, note=note, instead=text)
        if as_json:
            emit(memory_json(now_holds, memory.clock.now()))
            return
        if instead:
            say("Replaced; the old words stay readable with `holloway why`.", "green")
            line(now_holds, memory.clock.now())
        else:
            say(f"{now_holds.id} is out. `holloway restore {now_holds.id}` takes that back within 30 days.", "green")


@click.command("forget")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--session", default="", metavar="ID", help="Everything that came from this session.")
@click.option("--source", default="", metavar="SOURCE", help="Everything from this file, address or kind of source.")
@click.option("--all", "everything", is_flag=True, help="Everything in this project.")
@click.option("--hard", is_flag=True, help="For good: no byte of it stays, in backups neither.")
@yes_option
@json_option
@project_option
def forget_command(
    ids: tuple[str, ...],
    session: str,
    source: str,
    everything: bool,
    hard: bool,
    yes: bool,
    as_json: bool,
    project: str,
) -> None:
    """Forget memories. They can be restored for thirty days, unless --hard is given.

    \b
    Examples:
      holloway forget 7f3a2c
      holloway forget --session 1295b21a --yes
      holloway forget --source https://example.com/page
      holloway forget 7f3a2c --hard
    """
    with opened(project) as memory:
        chosen = memory.chosen(ids, session=session, source=source, everything=everything)
        chosen = chosen if hard else [each for each in chosen if not each.deleted_at]
        if not chosen:
            nothing = "Nothing that is still there matches; nothing was forgotten."
            emit(_forgotten(hard=hard)) if as_json else say(nothing)
            return
        several = many(len(chosen))
        if hard or len(chosen) > 1 or everything:
            gone = "for good, backups included" if hard else "(they can be restored for 30 days)"
            if not ask(f"Forget {several} {gone}?", yes=yes):
                emit(_forgotten(hard=hard)) if as_json else say("Nothing was forgotten.")
                return
        done = memory.forget(chosen, hard=hard)
        if as_json:
            emit(_forgotten([each.id for each in done.memories], done.left, hard=hard))
            return
        undo = "" if hard else " `holloway restore --last` takes it back."
        say(f"Forgot {several}.{undo}", "green")
        for rest in done.left:
            say(f"Not clean yet: {rest}", "yellow")


def _forgotten(ids: Sequence[str] = (), left: Sequence[str] = (), *, hard: bool) -> dict[str, object]:
    return {"forgotten": list(ids), "hard": hard, "not_cleaned": list(left)}


@click.command("restore")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--last", is_flag=True, help="Everything that the last forget, or wrong without new words, took out.")
@json_option
@project_option
def restore_command(ids: tuple[str, ...], last: bool, as_json: bool, project: str) -> None:
    """Bring forgotten, faded or replaced memories back. `holloway list --deleted` shows them.

    \b
    Examples:
      holloway restore 7f3a2c
      holloway restore --last
    """
    from holloway.service.json_view import memory_json  # loaded when the command runs

    with opened(project) as memory:
        wanted = list(ids) + ([each.id for each in memory.last_forgotten()] if last else [])
        if not wanted:
            hint = "`holloway list --deleted` shows what can be restored."
            raise InvalidInput("Nothing was chosen." if not last else "Nothing was forgotten lately.", hint)
        chosen = memory.chosen(wanted)
        back = [memory.restore(each.id) for each in chosen]
        if as_json:
            emit({"results": [memory_json(each, memory.clock.now()) for each in back]})
            return
        say("Restored.", "green")
        for each in back:
            line(each, memory.clock.now())


@click.command("prune")
@json_option
@project_option
def prune_command(as_json: bool, project: str) -> None:
    """Set aside what nobody used for three half-lives, and remove what is past its thirty days of grace.

    \b
    Example:
      holloway prune
    """
    with opened(project) as memory:
        done = memory.prune()
        maintained(memory)
        if as_json:
            emit({"faded": list(done.faded), "removed": list(done.removed)})
            return
        say(f"Set aside: {len(done.faded)}. Removed after grace: {len(done.removed)}.")
        if done.faded:
            say(f"  faded: {', '.join(done.faded)}; `holloway restore ID` brings one back.", "dim")
