"""Commands that delete or restore memories: wrong, forget (`--hard` deletes for good), restore, prune."""

from __future__ import annotations

from collections.abc import Sequence

import click

from holloway.cli.common import (
    confirm_action,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_memory,
    print_text,
    project_option,
    read_text_argument,
    run_maintenance,
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
@click.option("--note", default="", metavar="TEXT", help="Why it is wrong; shown by `holloway why`.")
@json_option
@project_option
def wrong_command(
    memory_id: str, instead: tuple[str, ...], reason: str, note: str, as_json: bool, project: str
) -> None:
    """Mark a memory wrong: agents stop seeing it from their next step on. Text after the id replaces it.

    \b
    Reasons:
      outdated   it was right once; the text, if any, takes its place
      partly     a part is wrong; the text is needed and corrects the memory, which keeps its id and its old text
      not-here   it does not apply in this project; a --user memory stays in the others
      incorrect  it was never right; the text, if any, takes its place

    \b
    Examples:
      holloway wrong 7f3a2c
      holloway wrong 7f3a2c --reason outdated "tests/auth uses an in-memory store now"
      holloway restore 7f3a2c        # it was right after all
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    with open_memory(project) as memory:
        text = read_text_argument(instead, "The replacement") if instead else ""
        if instead and not text.strip():
            raise InvalidInput(
                "The replacement is empty; nothing was changed.", "Leave it out if there is no replacement."
            )
        result = memory.wrong(memory_id, reason, note=note, instead=text)
        if as_json:
            print_json(memory_json(result, memory.clock.now()))
            return
        if result.is_alive and result.id == memory.get(memory_id).id and reason in ("partly", "not-here"):
            corrected_text = "Corrected; `holloway why` still shows the old text."
            excluded_text = f"{result.id} does not apply in this project any more; it stays in your others."
            print_text(corrected_text if reason == "partly" else excluded_text, "green")
            print_memory(result, memory.clock.now())
        elif instead:
            print_text("Replaced; `holloway why` still shows the old text.", "green")
            print_memory(result, memory.clock.now())
        else:
            print_text(f"{result.id} was removed. Undo within 30 days: `holloway restore {result.id}`.", "green")


@click.command("forget")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--session", default="", metavar="ID", help="All memories from this session.")
@click.option("--source", default="", metavar="SOURCE", help="All memories from this file, URL or kind of source.")
@click.option("--all", "everything", is_flag=True, help="All memories of this project.")
@click.option("--hard", is_flag=True, help="Erase permanently, from backups too.")
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
    """Forget memories. They can be restored for 30 days, unless --hard is given.

    \b
    Examples:
      holloway forget 7f3a2c
      holloway forget --session 1295b21a --yes
      holloway forget --source https://example.com/page
      holloway forget 7f3a2c --hard
    """
    with open_memory(project) as memory:
        chosen = memory.chosen(ids, session=session, source=source, everything=everything)
        if session and not chosen:
            memory.forget_session(session)
        chosen = chosen if hard else [selected_memory for selected_memory in chosen if not selected_memory.deleted_at]
        if not chosen:
            nothing = "No stored memory matches; nothing was forgotten."
            print_json(_forgotten_fields(hard=hard)) if as_json else print_text(nothing)
            return
        count_text = format_count(len(chosen))
        if hard or len(chosen) > 1 or everything:
            duration = "permanently, backups included" if hard else "(they can be restored for 30 days)"
            if not confirm_action(f"Forget {count_text} {duration}?", yes=yes):
                print_json(_forgotten_fields(hard=hard)) if as_json else print_text("Nothing was forgotten.")
                return
        forgotten = memory.forget(chosen, hard=hard)
        if session:
            memory.forget_session(session)
        if as_json:
            print_json(
                _forgotten_fields(
                    [forgotten_memory.id for forgotten_memory in forgotten.memories], forgotten.left, hard=hard
                )
            )
            return
        undo = "" if hard else " Undo with `holloway restore --last`."
        print_text(f"Forgot {count_text}.{undo}", "green")
        for leftover in forgotten.left:
            print_text(f"Not erased yet: {leftover}", "yellow")


def _forgotten_fields(ids: Sequence[str] = (), left: Sequence[str] = (), *, hard: bool) -> dict[str, object]:
    return {"forgotten": list(ids), "hard": hard, "not_cleaned": list(left)}


@click.command("restore")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--last", is_flag=True, help="All memories removed by the last forget, or by wrong without a replacement."
)
@json_option
@project_option
def restore_command(ids: tuple[str, ...], last: bool, as_json: bool, project: str) -> None:
    """Restore forgotten, decayed or replaced memories. `holloway list --deleted` lists them.

    \b
    Examples:
      holloway restore 7f3a2c
      holloway restore --last
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    with open_memory(project) as memory:
        wanted = list(ids) + ([forgotten_memory.id for forgotten_memory in memory.last_forgotten()] if last else [])
        if not wanted:
            hint = "`holloway list --deleted` lists memories that can be restored."
            raise InvalidInput("No memory was named." if not last else "No memory was forgotten recently.", hint)
        chosen = memory.chosen(wanted)
        restored_memories = [memory.restore(chosen_memory.id) for chosen_memory in chosen]
        if as_json:
            print_json(
                {"results": [memory_json(restored_memory, memory.clock.now()) for restored_memory in restored_memories]}
            )
            return
        print_text("Restored.", "green")
        for restored_memory in restored_memories:
            print_memory(restored_memory, memory.clock.now())


@click.command("prune")
@json_option
@project_option
def prune_command(as_json: bool, project: str) -> None:
    """Remove memories unused for three half-lives (restorable for 30 days), and erase those past that grace period.

    \b
    Example:
      holloway prune
    """
    with open_memory(project) as memory:
        pruned = memory.prune()
        run_maintenance(memory)
        if as_json:
            print_json({"faded": list(pruned.faded), "removed": list(pruned.removed)})
            return
        print_text(f"Decayed and removed: {len(pruned.faded)}. Erased after the grace period: {len(pruned.removed)}.")
        if pruned.faded:
            print_text(f"  decayed: {', '.join(pruned.faded)}; `holloway restore ID` restores one.", "dim")
