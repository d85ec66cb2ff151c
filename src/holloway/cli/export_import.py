"""Commands for whole sets of memories: export, import, backup."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from holloway.cli.common import (
    ask,
    emit,
    json_option,
    many,
    opened,
    project_option,
    redaction_note,
    say,
    yes_option,
)

_BLOCK_SAID = {
    "written": "the block was added",
    "renewed": "the block was renewed",
    "unchanged": "the block is up to date",
    "removed": "the block was taken out; the rest is as it was",
    "removed with its file": "the file held nothing but the block and is gone",
    "absent": "there is no block to take out",
}


@click.command("export")
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "markdown", "claude", "archive"]),
    default="json",
    show_default=True,
    help="json: complete; markdown: to read; claude: like a CLAUDE.md; archive: everything, to restore.",
)
@click.option("--replace", is_flag=True, help="Write over a file that is there, or a block that was edited.")
@click.option(
    "--to", "rules_file", metavar="NAME", help="Keep confirmed memories in a block of CLAUDE.md or AGENTS.md."
)
@click.option("--remove", is_flag=True, help="With --to: take that block out again.")
@project_option
def export_command(
    file: str | None, form: str, replace: bool, rules_file: str | None, remove: bool, project: str
) -> None:
    """Write this project's memories to a file, or to stdout.

    With --to, only the lines between holloway's two marks are written; every other byte stays as it is.

    \b
    Examples:
      holloway export memories.json
      holloway export --format claude holloway-rules.md
      holloway export --format archive shop.holloway
      holloway export --to AGENTS.md
    """
    from holloway.config import replace_file  # loaded when the command runs
    from holloway.errors import InvalidInput

    if rules_file is not None:
        if file is not None:
            raise InvalidInput(f"--to writes into {rules_file}, not into {file}.", "Give one of the two.")
        with opened(project) as memory:
            path, done = memory.export_rules(rules_file, remove=remove, replace=replace)
        say(f"{path}: {_BLOCK_SAID[done]}.", "green")
        return
    if remove:
        raise InvalidInput("--remove takes a block out of a file.", "Add --to and the file's name.")
    with opened(project) as memory:
        data = memory.export(form)
    if file is None or file == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    if Path(file).exists() and not replace:
        raise InvalidInput(f"{file} is there already; nothing was written.", "Choose another name, or add --replace.")
    replace_file(str(Path(file).absolute()), data)
    say(f"Wrote {file} ({len(data):,} bytes).", "green")


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option("--skip-invalid", is_flag=True, help="Import what is usable and name the rest.")
@json_option
@project_option
def import_command(file: str, skip_invalid: bool, as_json: bool, project: str) -> None:
    """Read memories from a file. An archive of this machine is restored as it was; anything else waits for review.

    \b
    Examples:
      holloway import shop.holloway
      holloway import colleague.json && holloway review
    """

    with opened(project, create=True) as memory:
        done = memory.import_file(Path(file), skip_invalid=skip_invalid)
    if as_json:
        names = ("restored", "added", "known", "refused", "redacted", "skipped")
        emit({name: getattr(done, name) for name in names})
    elif done.restored:
        say(f"Restored {many(done.added)}; {done.known} were there already.", "green")
    else:
        taken = f"Took in {many(done.added)} for review; {done.known} were known, {done.refused} rejected before."
        say(taken, "green")
        if done.altered:
            say("It says that it is an archive, but it was not sealed here or has been changed since.", "yellow")
        if done.added:
            say("No agent sees them until you approve them: `holloway review`.")
        redaction_note(done.redacted)
        for row in done.skipped:
            say(f"Skipped {row}", "yellow")
    if done.skipped:
        sys.exit(1)


@click.command("backup")
@click.option("--list", "listing", is_flag=True, help="List the copies.")
@click.option("--restore", "wanted", metavar="NAME", help="Bring a copy back: its name, or `latest`.")
@yes_option
@json_option
@project_option
def backup_command(listing: bool, wanted: str | None, yes: bool, as_json: bool, project: str) -> None:
    """Copy this project's memory now. Three copies are kept; one is made every day and before every upgrade.

    \b
    Examples:
      holloway backup
      holloway backup --list
      holloway backup --restore latest
    """
    from holloway.service.project_finder import (
        find_backup,
        known_project,
        list_backups,
        restore_backup,
    )  # loaded when the command runs

    if not listing and wanted is None:
        known_project(project)  # a folder without a memory has nothing to copy
        with opened(project) as memory:
            made = memory.store.backup()
        emit({"backup": str(made)}) if as_json else say(f"Copied to {made}", "green")
        return
    if listing:
        found = list_backups(project)
        if as_json:
            emit({"backups": [{"name": copy.name, "path": str(copy), "bytes": copy.stat().st_size} for copy in found]})
            return
        for copy in found:
            say(f"{copy.name}  {copy.stat().st_size // 1024:,} KB")
        if not found:
            say("There is no copy yet.")
        return
    chosen = find_backup(project, wanted or "latest").name
    if not ask(f"Put {chosen} in the place of today's memory (which is kept beside it)?", yes=yes):
        say("Nothing was changed.")
        return
    used, kept = restore_backup(project, chosen)
    if as_json:
        emit({"restored": str(used), "kept": str(kept) if kept else None})
        return
    say(f"Restored {used.name}.", "green")
    if kept:
        say(f"What stood there is kept as {kept.name}; `holloway backup --restore {kept.name}` takes this back.")
