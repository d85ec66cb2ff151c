"""The publish command: chosen memories as reviewed files in the work tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holloway.cli.common import (
    confirm_action,
    format_count,
    json_option,
    open_memory,
    print_json,
    print_text,
    project_option,
    yes_option,
)

if TYPE_CHECKING:
    from holloway.service.share import Publication


@click.command("publish")
@click.option("--to", "folder", default="", metavar="FOLDER", help="Folder of the project (default: .holloway).")
@click.option("--remove", is_flag=True, help="Take your memories out of these files again.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@yes_option
@json_option
@project_option
def publish_command(folder: str, remove: bool, dry_run: bool, yes: bool, as_json: bool, project: str) -> None:
    """Write the memories whose visibility you chose as Markdown files into the work tree, for code review.

    There is one file for each module. It is an export: the files are written again from the memories, lines of
    colleagues stay, and what you no longer publish is removed. `holloway import .holloway` takes over what is in them,
    for review.

    \b
    Examples:
      holloway publish --dry-run
      holloway publish && git add .holloway
    """
    with open_memory(project) as memory:
        sharing = memory.sharing()
        publication = sharing.plan_publication(folder, removes=remove)
        if not as_json:
            _print_publication(publication)
        question = f"Write {format_count(len(publication.changes), 'file')}?"
        is_written = not dry_run and bool(publication.changes) and confirm_action(question, yes=yes)
        if is_written:
            sharing.publish(publication)
    if as_json:
        print_json(_describe_publication(publication, is_written=is_written))
    elif is_written:
        print_text("Written. Review them with `git diff` and commit them.", "green")
    elif publication.changes:
        print_text("Nothing was written.")


def _describe_publication(publication: Publication, *, is_written: bool) -> dict[str, object]:
    return {
        "folder": publication.folder,
        "memories": publication.memories,
        "foreign": publication.foreign,
        "written": is_written,
        "files": [
            {"path": file.path, "action": file.action, "added": file.count_lines()[0], "removed": file.count_lines()[1]}
            for file in publication.changes
        ],
    }


def _print_publication(publication: Publication) -> None:
    kept = f", {format_count(publication.foreign, 'line')} of others stay" if publication.foreign else ""
    print_text(f"{format_count(publication.memories)} to publish in {publication.folder}{kept}", "bold")
    for file in publication.changes:
        added, removed = file.count_lines()
        print_text(f"  {file.action:<8} {file.path}  +{added} -{removed}")
        for line in sorted(set(file.after.splitlines()) - set(file.before.splitlines())):
            if line.startswith("- "):
                print_text(f"           + {line[2:]}", "dim")
        for line in sorted(set(file.before.splitlines()) - set(file.after.splitlines())):
            if line.startswith("- "):
                print_text(f"           - {line[2:]}", "dim")
    if not publication.changes:
        print_text("  The files are up to date." if publication.memories else "  Nothing was chosen:", "dim")
    if not publication.memories:
        print_text("  `holloway edit ID --visibility project` chooses a memory.", "dim")
