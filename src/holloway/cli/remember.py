"""Commands that write memories: remember, note, edit, pin."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    TextCommand,
    base_folder,
    branch_label,
    json_option,
    open_memory,
    print_json,
    print_memory,
    print_redaction_note,
    print_text,
    project_option,
    read_text_argument,
    run_maintenance,
)
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway
    from holloway.service.memory_editor import Remembered


@click.command("remember", cls=TextCommand)
@click.argument("text", nargs=-1, required=True)
@click.option("--type", "-t", "kind", metavar="TYPE", help="gotcha, decision, preference, ... (default: inferred).")
@click.option("--file", "-f", "files", multiple=True, metavar="PATH", help="File or folder it is about; repeatable.")
@click.option("--module", "-m", "modules", multiple=True, metavar="NAME", help="Module it is about.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Free-form tag.")
@click.option(
    "--detail", "details", multiple=True, metavar="KEY=VALUE", help="Typed detail; repeat a key to make a list."
)
@click.option("--summary", default="", metavar="TEXT", help="Line that agents see (default: the first sentence).")
@click.option("--pin", is_flag=True, help="Keep it from decaying, and show it first.")
@click.option("--everywhere", is_flag=True, help="Show it on every branch at once.")
@click.option("--user", is_flag=True, help="For all your projects, not only this one.")
@click.option("--visibility", metavar="WHO", help="personal (default), project, team or organisation.")
@click.option("--requires", "required_ids", multiple=True, metavar="ID", help="Memory that always comes along with it.")
@click.option("--validates", "validated_ids", multiple=True, metavar="ID", help="Memory that it confirms.")
@json_option
@project_option
def remember_command(
    text: tuple[str, ...],
    kind: str | None,
    files: tuple[str, ...],
    modules: tuple[str, ...],
    tags: tuple[str, ...],
    details: tuple[str, ...],
    summary: str,
    pin: bool,
    everywhere: bool,
    user: bool,
    visibility: str | None,
    required_ids: tuple[str, ...],
    validated_ids: tuple[str, ...],
    as_json: bool,
    project: str,
) -> None:
    """Store a memory. Type, files and module are inferred from the text unless you give them.

    \b
    Examples:
      holloway remember "tests/auth hangs without REDIS_URL" --file tests/auth
      holloway remember "We chose JWT over server sessions: the API is used by apps" --pin
      holloway remember "Redis for test sessions" --type dead_end \\
          --detail approach="Redis in tests" --detail reason="not available in CI"
      holloway remember "I prefer small commits" --user
      git log -1 --format=%b | holloway remember -
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    with open_memory(project, create=True) as memory:
        for other in required_ids + validated_ids:
            memory.get(other)  # an unknown id is an error before anything is stored
        remembered = memory.remember(
            read_text_argument(text, "The memory"),
            type=kind,
            files=files or None,
            modules=modules,
            tags=tags,
            details=parse_details(details) or None,
            summary=summary,
            pin=pin,
            everywhere=everywhere,
            user=user,
            visibility=visibility,
            where=Path.cwd(),
        )
        assert remembered.memory is not None  # noqa: S101  (a person's memory is never refused)
        related_memory = _relate(memory, remembered.memory, required_ids, validated_ids)
        remembered = replace(remembered, memory=related_memory)
        assert remembered.memory is not None  # noqa: S101  (as above)
        now = memory.clock.now()
        if as_json:
            print_json({**memory_json(remembered.memory, now), **_result_fields(remembered)})
        else:
            owner_text = "for all your projects" if user else f"in {memory.project.name}"
            root_text = "" if user or memory.under_git else f" ({memory.project.root}, not under git)"
            print_text(
                f"Remembered {owner_text}{root_text}."
                if remembered.outcome == "added"
                else "Already stored; its confidence was raised.",
                "green",
            )
            print_memory(remembered.memory, now)
            _print_notes(remembered, remembered.memory, inferred_module="" if modules else remembered.inferred.module)
        run_maintenance(memory)


def _relate(memory: Holloway, related: Memory, required_ids: tuple[str, ...], validated_ids: tuple[str, ...]) -> Memory:
    """Relate a memory to those that it requires and validates; returns it with its relations."""
    for kind, ids in (("required_with", required_ids), ("validates", validated_ids)):
        for other in ids:
            related = memory.relate(related.id, kind, other)
    return related


def _result_fields(remembered: Remembered) -> dict[str, object]:
    """Return the JSON fields of a result that are not part of the memory itself."""
    inferred = {
        "type": str(remembered.inferred.type) if remembered.inferred.type else None,
        "files": list(remembered.inferred.files),
        "module": remembered.inferred.module or None,
    }
    close = [{"id": related.memory.id, "verdict": str(related.verdict)} for related in remembered.close]
    return {"outcome": remembered.outcome, "redacted": list(remembered.redacted), "inferred": inferred, "close": close}


def _print_notes(remembered: Remembered, memory: Memory, *, inferred_module: str) -> None:
    """Print notes on a memory that was just stored: inferred fields, its branch, duplicates, redactions.

    A duplicate keeps its type and files, so an inferred value is only printed if the stored memory has it.
    """
    guessed = [f"type {memory.type.label}"] if remembered.inferred.type is memory.type else []
    guessed += [f"file {path}" for path in remembered.inferred.files if path in memory.files]
    guessed += [f"module {inferred_module}"] if inferred_module in memory.modules else []
    if guessed:
        print_text(f"        inferred: {', '.join(guessed)}. Change it with `holloway edit {memory.id}`.", "dim")
    if memory.branch_only:
        lift_hint = f"`holloway edit {memory.id} --everywhere` shows it on every branch."
        print_text(
            f"        Visible only on {branch_label(memory.branch_only)} until that is merged; {lift_hint}", "dim"
        )
    for related in remembered.close:
        relation_text = "Duplicate of" if related.verdict == "same" else "Contradicts"
        fix_hint = f"`holloway wrong {related.memory.id}` if that one is outdated."
        print_text(f"        {relation_text} {related.memory.id}: {related.memory.summary}. {fix_hint}", "yellow")
    print_redaction_note(remembered.redacted)


@click.command("note")
@click.argument("text", nargs=-1, required=True)
@click.option("--why", "-w", default="", metavar="TEXT", help="Why it holds.")
@click.option("--quote", "-q", default="", metavar="TEXT", help="Words of the user or output that show it.")
@click.option("--kind", "-k", default="gotcha", metavar="TYPE", help="gotcha (default), decision, dead_end, ...")
@click.option("--file", "-f", "files", multiple=True, metavar="PATH", help="File it is about; repeatable.")
@json_option
@project_option
def note_command(
    text: tuple[str, ...], why: str, quote: str, kind: str, files: tuple[str, ...], as_json: bool, project: str
) -> None:
    """Note a lesson as an agent: it becomes a memory only if the session's work proves right, or after review.

    People use `holloway remember`, which is believed at once.

    \b
    Example:
      holloway note "The refresh token is burned by the first use" --why "the provider rotates it" \\
        --quote "invalid_grant on the second call" --file src/shop/auth/tokens.py
    """
    from holloway.domain.memory import MemoryType, parse_choice  # loaded when the command runs
    from holloway.service import agent_notes, agents
    from holloway.text.agent_note import compose_note

    memory_type = parse_choice(MemoryType, kind)
    with open_memory(project) as memory:
        is_kept = bool(memory.project.key) and not agents.read_pauses(memory)[1]
        redacted: tuple[str, ...] = ()
        if is_kept:
            paths = [agents.resolve_file(memory, path, base_folder(project)) for path in files]
            note = compose_note(" ".join(text), why, quote)
            redacted = agent_notes.record_once(memory, note, kind=memory_type, files=paths)
    if as_json:
        print_json({"recorded": is_kept, "redacted": list(redacted)})
    elif is_kept:
        print_text("Noted. It becomes a memory if the session's work proves right, or after review.", "green")
        print_redaction_note(redacted)
    else:
        print_text("Not noted: this folder has no memory (`holloway init`), or capturing is paused.", "yellow")


@click.command("edit")
@click.argument("memory_id", metavar="ID")
@click.argument("text", nargs=-1)
@click.option("--type", "-t", "kind", metavar="TYPE", help="New type.")
@click.option("--summary", metavar="TEXT", help="New line that agents see.")
@click.option("--file", "-f", "files", multiple=True, metavar="PATH", help="Files it is about; replaces the old ones.")
@click.option("--no-files", is_flag=True, help="Remove all its files.")
@click.option("--module", "-m", "modules", multiple=True, metavar="NAME", help="Modules; replaces the old ones.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tags; replaces the old ones.")
@click.option("--detail", "details", multiple=True, metavar="KEY=VALUE", help="Details; replaces the old ones.")
@click.option("--visibility", metavar="WHO", help="personal, project, team or organisation.")
@click.option("--half-life", "half_life_days", type=float, metavar="DAYS", help="Days after which it is half as sure.")
@click.option("--requires", "required_ids", multiple=True, metavar="ID", help="Memory that always comes along with it.")
@click.option("--validates", "validated_ids", multiple=True, metavar="ID", help="Memory that it confirms.")
@click.option("--everywhere", is_flag=True, help="Show it on every branch at once.")
@json_option
@project_option
def edit_command(
    memory_id: str,
    text: tuple[str, ...],
    kind: str | None,
    summary: str | None,
    files: tuple[str, ...],
    no_files: bool,
    modules: tuple[str, ...],
    tags: tuple[str, ...],
    details: tuple[str, ...],
    visibility: str | None,
    half_life_days: float | None,
    required_ids: tuple[str, ...],
    validated_ids: tuple[str, ...],
    everywhere: bool,
    as_json: bool,
    project: str,
) -> None:
    """Change a memory. The old text stays in `holloway why`. Without text and options, your editor opens.

    \b
    Examples:
      holloway edit 7f3a2c "tests/auth hangs without REDIS_URL=fake://"
      holloway edit 7f3a2c --type requirement --file src/auth/tokens.py
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    if no_files and files:
        raise InvalidInput("--no-files and --file contradict each other.", "Give only one of them.")
    with open_memory(project) as memory:
        content = read_text_argument(text, "The memory") if text else None
        field_options = (kind, summary, visibility, half_life_days, files, modules, tags, details)
        relation_ids = required_ids + validated_ids
        if content is None and not any((*field_options, relation_ids, no_files, everywhere)):
            content = _edit_text(memory.get(memory_id).content)
            if content is None:
                print_text("Nothing was changed.")
                return
        changed, redacted = memory.edit(
            memory_id,
            content=content,
            type=kind,
            summary=summary,
            files=() if no_files else files or None,
            modules=modules or None,
            tags=tags or None,
            details=parse_details(details) or None,
            visibility=visibility,
            half_life_days=half_life_days,
            where=Path.cwd(),
            everywhere=everywhere,
        )
        changed = _relate(memory, changed, required_ids, validated_ids)
        if as_json:
            print_json({**memory_json(changed, memory.clock.now()), "redacted": list(redacted)})
            return
        print_text("Changed.", "green")
        print_memory(changed, memory.clock.now())
        print_redaction_note(redacted)


def _edit_text(old: str) -> str | None:
    if not sys.stdin.isatty() and not os.environ.keys() & {"VISUAL", "EDITOR"}:
        raise InvalidInput("There is no terminal for an editor.", "Give the new text after the id.")
    return click.edit(old)


@click.command("pin")
@click.argument("memory_id", metavar="ID")
@click.option("--off", is_flag=True, help="Let it decay again.")
@json_option
@project_option
def pin_command(memory_id: str, off: bool, as_json: bool, project: str) -> None:
    """Keep a memory from decaying, and show it first; --off unpins it.

    \b
    Example:
      holloway pin 7f3a2c
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    with open_memory(project) as memory:
        changed = memory.pin(memory_id, on=not off)
        if as_json:
            print_json(memory_json(changed, memory.clock.now()))
            return
        print_text("Unpinned." if off else "Pinned.", "green")
        print_memory(changed, memory.clock.now())


@click.command("mute")
@click.argument("memory_id", metavar="ID")
@click.option("--off", is_flag=True, help="Tell it to agents again.")
@json_option
@project_option
def mute_command(memory_id: str, off: bool, as_json: bool, project: str) -> None:
    """Never tell agents a memory unasked; searches and questions still find it. --off ends that.

    \b
    Example:
      holloway mute 7f3a2c
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    with open_memory(project) as memory:
        changed = memory.mute(memory_id, on=not off)
        if as_json:
            print_json(memory_json(changed, memory.clock.now()))
            return
        print_text("Agents are told it again." if off else "Agents are not told it unasked any more.", "green")
        print_memory(changed, memory.clock.now())


def parse_details(details: tuple[str, ...]) -> dict[str, object]:
    """Parse KEY=VALUE options into details; a repeated key makes a list. Raises InvalidInput."""
    parsed: dict[str, object] = {}
    for detail in details:
        key, separator, value = detail.partition("=")
        if not separator or not key.strip():
            raise InvalidInput(f"{detail!r} is not KEY=VALUE.", 'For example --detail reason="not available in CI".')
        name = key.strip().lower().replace("-", "_")
        if name in parsed:
            earlier = parsed[name]
            parsed[name] = [*earlier, value] if isinstance(earlier, list) else [earlier, value]
        else:
            parsed[name] = value
    return parsed
