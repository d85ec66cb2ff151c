"""Commands for sets of memories: export, import, backup and restore."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from holloway.cli.common import (
    confirm_action,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_redaction_note,
    print_text,
    project_option,
    yes_option,
)

_BLOCK_MESSAGES = {
    "written": "the block was added",
    "renewed": "the block was updated",
    "unchanged": "the block is up to date",
    "removed": "the block was removed; the rest of the file is unchanged",
    "removed with its file": "the file held only the block and was deleted",
    "absent": "there is no block to remove",
}


@click.command("export")
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "markdown", "claude", "archive"]),
    default="json",
    show_default=True,
    help="json: all fields; markdown: for reading; claude: like CLAUDE.md; archive: complete, for restoring.",
)
@click.option("--replace", is_flag=True, help="Overwrite an existing file, or a block that was edited.")
@click.option(
    "--to", "rules_file", metavar="NAME", help="Write confirmed memories into a block of CLAUDE.md or AGENTS.md."
)
@click.option("--remove", is_flag=True, help="With --to: remove that block again.")
@click.option("--personal", is_flag=True, help="With --to: also your personal memories, if git tracks the file.")
@project_option
def export_command(
    file: str | None, form: str, replace: bool, rules_file: str | None, remove: bool, personal: bool, project: str
) -> None:
    """Write this project's memories to a file, or to stdout.

    With --to, only the lines between holloway's two markers are written; every other byte stays.

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
            raise InvalidInput(f"--to writes into {rules_file}, not into {file}.", "Give only one of them.")
        with open_memory(project) as memory:
            personal_count = 0 if remove or personal else memory.count_personal_rules(rules_file)
            personal = personal or _confirm_personal(personal_count, rules_file)
            path, block_result = memory.export_rules(rules_file, remove=remove, replace=replace, personal=personal)
        print_text(f"{path}: {_BLOCK_MESSAGES[block_result]}.", "green")
        if personal_count and not personal:
            left_out = format_count(personal_count, "personal memory")
            print_text(f"{left_out} left out, because others read that file; --personal writes them.", "yellow")
        return
    if remove:
        raise InvalidInput("--remove removes a block from a rules file.", "Add --to and the file's name.")
    with open_memory(project) as memory:
        data = memory.export(form)
    if file is None or file == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    if Path(file).exists() and not replace:
        raise InvalidInput(f"{file} already exists; nothing was written.", "Choose another name, or add --replace.")
    replace_file(str(Path(file).absolute()), data)
    print_text(f"Wrote {file} ({len(data):,} bytes).", "green")


def _confirm_personal(count: int, rules_file: str) -> bool:
    """Ask at a terminal whether personal memories may go into a file that others read."""
    question = f"Write {format_count(count, 'personal memory')} into {rules_file}, which others may read?"
    return bool(count) and sys.stdin.isatty() and click.confirm(question, default=False)


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option("--skip-invalid", is_flag=True, help="Import the valid memories and list the others.")
@json_option
@project_option
def import_command(file: str, skip_invalid: bool, as_json: bool, project: str) -> None:
    """Read memories from a file. An archive signed on this machine is restored; anything else waits for review.

    \b
    Examples:
      holloway import shop.holloway
      holloway import colleague.json && holloway review
    """

    with open_memory(project, create=True) as memory:
        import_result = memory.import_file(Path(file), skip_invalid=skip_invalid)
    if as_json:
        names = ("restored", "added", "known", "refused", "redacted", "skipped")
        print_json({name: getattr(import_result, name) for name in names})
    elif import_result.restored:
        print_text(f"Restored {format_count(import_result.added)}; {import_result.known} already stored.", "green")
    else:
        counts_text = f"{import_result.known} already stored, {import_result.refused} rejected before"
        print_text(f"Imported {format_count(import_result.added)} for review; {counts_text}.", "green")
        if import_result.altered:
            print_text(
                "The file claims to be an archive, but it was not signed here or was changed afterwards.", "yellow"
            )
        if import_result.added:
            print_text("No agent sees them until you approve them: `holloway review`.")
        print_redaction_note(import_result.redacted)
        for row in import_result.skipped:
            print_text(f"Skipped {row}", "yellow")
    if import_result.skipped:
        sys.exit(1)


@click.command("backup")
@click.option("--list", "listing", is_flag=True, help="List the backups.")
@click.option("--restore", "restore_name", metavar="NAME", help="Restore a backup: its name, or `latest`.")
@yes_option
@json_option
@project_option
def backup_command(listing: bool, restore_name: str | None, yes: bool, as_json: bool, project: str) -> None:
    """Back up this project's memory now. Three backups are kept; one is made daily and before every upgrade.

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

    if not listing and restore_name is None:
        known_project(project)  # a folder without a memory has nothing to copy
        with open_memory(project) as memory:
            backup_path = memory.store.create_backup()
        print_json({"backup": str(backup_path)}) if as_json else print_text(f"Backed up to {backup_path}", "green")
        return
    if listing:
        backups = list_backups(project)
        if as_json:
            print_json(
                {
                    "backups": [
                        {"name": backup.name, "path": str(backup), "bytes": backup.stat().st_size} for backup in backups
                    ]
                }
            )
            return
        for backup in backups:
            print_text(f"{backup.name}  {backup.stat().st_size // 1024:,} KB")
        if not backups:
            print_text("There is no backup yet.")
        return
    backup_name = find_backup(project, restore_name or "latest").name
    if not confirm_action(
        f"Replace the current memory with {backup_name} (the current one is kept as a backup)?", yes=yes
    ):
        print_text("Nothing was changed.")
        return
    restored_path, previous_path = restore_backup(project, backup_name)
    if as_json:
        print_json({"restored": str(restored_path), "kept": str(previous_path) if previous_path else None})
        return
    print_text(f"Restored {restored_path.name}.", "green")
    if previous_path:
        name = previous_path.name
        print_text(f"The previous memory is kept as {name}; undo with `holloway backup --restore {name}`.")
