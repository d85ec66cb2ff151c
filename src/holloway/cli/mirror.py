"""The screen that shows what past sessions say about a project: errors that came again, commands, files, searching."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.cli.common import format_count, print_text

if TYPE_CHECKING:
    from holloway.service.mirror import CommandFix, FileUse, Mirror, Orientation, RecurringError


def print_mirror(mirror: Mirror) -> None:
    """Print the facts of the mirror, at most one screen; prints nothing if there are none."""
    if not mirror.has_facts:
        return
    days = mirror.since if mirror.since == mirror.until else f"{mirror.since} to {mirror.until}"
    print_text(f"Your agents in {format_count(mirror.sessions, 'session')}, {days}", "bold green")
    if mirror.errors:
        print_text("Errors that came again", "bold")
        for error in mirror.errors:
            _print_error(error)
        if (unlisted := mirror.errors_in_total - len(mirror.errors)) > 0:
            print_text(f"  and {format_count(unlisted, 'other error')} in two sessions or more", "dim")
    if mirror.commands:
        print_text("Commands that failed before the right one", "bold")
        for command in mirror.commands:
            _print_command(command)
    if mirror.files:
        print_text("Files that sessions open again and again", "bold")
        for file in mirror.files:
            _print_file(file, mirror.sessions)
    if mirror.orientation:
        _print_orientation(mirror.orientation)


def _print_error(error: RecurringError) -> None:
    text = error.error or "an error whose text is withheld"
    program = f"{error.program}: " if error.program else ""
    print_text(f"  {_format_sessions(error.sessions)}  {program}{text}")
    if error.fix:
        print_text(f"               from now on agents are told: {error.fix}  [{error.memory}]", "green")
    elif error.met_again:
        again = format_count(error.met_again, "session")
        print_text(f"               {again} met it after an earlier one had solved it; no fix is proved yet", "dim")
    else:
        print_text("               no fix is proved yet", "dim")


def _print_command(command: CommandFix) -> None:
    times = f" ({format_count(command.times, 'time')})" if command.times > command.sessions else ""
    print_text(f"  {_format_sessions(command.sessions)}  {command.fix}{times}")


def _print_file(file: FileUse, sessions: int) -> None:
    print_text(f"  {file.sessions:>4} of {sessions:,}  {file.path}, changed in {file.edited:,}")


def _print_orientation(orientation: Orientation) -> None:
    print_text("Finding the way", "bold")
    edit = orientation.steps_to_first_edit
    first_edit = f"; its first edit is step {edit:,}" if edit is not None else ""
    print_text(
        f"  A session makes {orientation.discovery_calls:,} searches, listings and first reads "
        f"(median of {orientation.sessions:,} sessions){first_edit}."
    )
    share = 100 * orientation.known_reads / max(1, orientation.first_reads)
    if orientation.known_reads:
        print_text(
            f"  {share:.0f} % of the {orientation.first_reads:,} files that sessions read had been opened in an "
            "earlier session."
        )


def _format_sessions(number: int) -> str:
    return f"{number:>4,} {'session ' if number == 1 else 'sessions'}"
