"""The mirror: what the sessions of a project show about its agents, counted without a language model.

Every figure is a count over recorded sessions, or a median of counts. Text of commands and errors passes the output
gate; an error that does not is named by its program only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from holloway.promotion.memory_text import strip_location
from holloway.safety import secrets
from holloway.safety.paths import path_exists
from holloway.safety.repository_text import admit
from holloway.store import lookup, recurrences
from holloway.store.lookup import Viewer
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway
    from holloway.store.recurrences import ErrorRecurrence

RECURRING_FROM = 2
"""Number of sessions from which an error came again."""
ERRORS_LISTED = 5
COMMANDS_LISTED = 5
FILES_LISTED = 5
FILE_SESSIONS_MIN = 3
"""Number of sessions from which a file is opened again and again."""
ORIENTATION_SESSIONS_MIN = 3
"""Number of sessions from which a median says something."""
MIRROR_CANDIDATES_MAX = 60
MIRROR_FIXES_MAX = 500
PROGRAM_WORDS_MAX = 2
MIRROR_LINE_CHARS_MAX = 160


@dataclass(frozen=True, slots=True)
class RecurringError:
    """An error that came again, with the proved fix that agents are told from now on, if there is one."""

    error: str
    """Empty if the output gate withholds it."""
    program: str
    sessions: int
    solved: int
    met_again: int
    """Sessions that met it although an earlier one had solved it."""
    fix: str = ""
    memory: str = ""


@dataclass(frozen=True, slots=True)
class CommandFix:
    """Another way to call a command, proved in a session: how often the command failed before."""

    fix: str
    sessions: int
    times: int
    memory: str


@dataclass(frozen=True, slots=True)
class FileUse:
    """A file that sessions open again and again."""

    path: str
    sessions: int
    edited: int


@dataclass(frozen=True, slots=True)
class Orientation:
    """Cost of orientation: medians per session that opened a file, and the files opened again, in total."""

    sessions: int
    discovery_calls: int
    steps_to_first_edit: int | None
    first_reads: int
    known_reads: int
    """Those of the first reads that an earlier session had opened, too."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """The facts about past sessions that are worth a look."""

    sessions: int
    since: str
    until: str
    errors: tuple[RecurringError, ...] = ()
    errors_in_total: int = 0
    commands: tuple[CommandFix, ...] = ()
    files: tuple[FileUse, ...] = ()
    orientation: Orientation | None = None

    @property
    def has_facts(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.errors or self.commands or self.files or self.orientation)


def build_mirror(memory: Holloway) -> Mirror:
    """Count what the sessions of a project show; without enough sessions it has no facts."""
    database = memory.store.database
    sessions, since, until = recurrences.read_period(database)
    fixes = _load_told_fixes(memory)
    recurring = recurrences.list_recurring_errors(database, RECURRING_FROM, MIRROR_CANDIDATES_MAX)
    readable = [error for error in recurring if error.fingerprint in fixes or _is_readable(error)]
    listed = sorted(readable, key=lambda error: (error.fingerprint not in fixes, -error.sessions))[:ERRORS_LISTED]
    return Mirror(
        sessions,
        since[:10],
        until[:10],
        errors=tuple(_describe_error(error, fixes) for error in sorted(listed, key=lambda error: -error.sessions)),
        errors_in_total=len(recurring),
        commands=_list_commands(memory, fixes, {error.fingerprint for error in listed}),
        files=_list_files(memory),
        orientation=_measure_orientation(memory),
    )


def mirror_json(mirror: Mirror) -> dict[str, Any]:
    """Return the mirror as JSON fields."""
    return asdict(mirror)


class _Fix:
    """A proved fix that agents are told when they meet its error."""

    def __init__(self, memory: str, details: dict[str, object]) -> None:
        self.memory = memory
        self.words = one_line(str(details.get("fix", "")), MIRROR_LINE_CHARS_MAX)
        self.fingerprint = str(details.get("fingerprint", ""))
        self.is_call = self.words.startswith(("use `", "add `", "leave `", "set "))


def _load_told_fixes(memory: Holloway) -> dict[str, _Fix]:
    """Return the fixes that agents are told at the present trust level, by the fingerprint of their error."""
    now = memory.clock.now().isoformat()
    viewer = Viewer(session="", context=0, branch=memory.branch, now=now, level=memory.trust.level)
    connection = memory.store.database.connection
    solved = recurrences.list_solved_fingerprints(memory.store.database, MIRROR_FIXES_MAX)
    rows = lookup.find_fixes(connection, solved, viewer, MIRROR_FIXES_MAX)
    details = lookup.load_details(connection, [str(row["id"]) for row in rows])
    fixes = [_Fix(memory_id, facts) for memory_id, (facts, _) in details.items()]
    return {fix.fingerprint: fix for fix in fixes if fix.fingerprint and fix.words}


def _is_readable(error: ErrorRecurrence) -> bool:
    """Whether the output gate lets through both the text of an error and the program that printed it."""
    return bool(admit("failure", error.message) and _admit_program(error.program))


def _admit_program(program: str) -> str:
    """Return a program that reads as one: known to us, or a name with at most one subcommand."""
    words = program.split()
    is_short_name = 0 < len(words) <= PROGRAM_WORDS_MAX and all(admit("name", word) for word in words)
    return program if is_short_name else admit("command", program)


def _describe_error(error: ErrorRecurrence, fixes: dict[str, _Fix]) -> RecurringError:
    message = strip_location(error.message) if error.varies else error.message
    text = secrets.redact_secrets(admit("failure", message))[0]
    fix = fixes.get(error.fingerprint)
    return RecurringError(
        one_line(text, MIRROR_LINE_CHARS_MAX),
        _admit_program(error.program),
        error.sessions,
        error.solved,
        error.met_again,
        fix.words if fix else "",
        fix.memory if fix else "",
    )


def _list_commands(memory: Holloway, fixes: dict[str, _Fix], listed: set[str]) -> tuple[CommandFix, ...]:
    """List the commands that have another way to call them, those that failed most often first."""
    calls = {fingerprint: fix for fingerprint, fix in fixes.items() if fix.is_call and fingerprint not in listed}
    meetings = recurrences.count_meetings(memory.store.database, list(calls))
    commands: dict[str, CommandFix] = {}
    for fingerprint, (sessions, times) in meetings.items():
        fix = calls[fingerprint]
        command = commands.get(fix.words, CommandFix(fix.words, 0, 0, fix.memory))
        total_sessions = max(command.sessions, sessions)
        commands[fix.words] = CommandFix(fix.words, total_sessions, command.times + times, command.memory)
    ranked = sorted(commands.values(), key=lambda command: (-command.sessions, -command.times, command.fix))
    return tuple(ranked[:COMMANDS_LISTED])


def _list_files(memory: Holloway) -> tuple[FileUse, ...]:
    """List the files of the present checkout that most sessions opened."""
    opened = recurrences.list_most_opened(memory.store.database, FILE_SESSIONS_MIN, MIRROR_CANDIDATES_MAX)
    root = str(memory.project.root)
    uses = [
        FileUse(file.path, file.sessions, file.edited)
        for file in opened
        if admit("path", file.path) and path_exists(file.path, root)
    ]
    return tuple(uses[:FILES_LISTED])


def _measure_orientation(memory: Holloway) -> Orientation | None:
    figures = recurrences.list_session_figures(memory.store.database)
    if len(figures) < ORIENTATION_SESSIONS_MIN:
        return None
    edits = [session.steps_to_first_edit for session in figures if session.steps_to_first_edit is not None]
    return Orientation(
        sessions=len(figures),
        discovery_calls=round(median(session.discovery_calls for session in figures)),
        steps_to_first_edit=round(median(edits)) if len(edits) >= ORIENTATION_SESSIONS_MIN else None,
        first_reads=sum(session.first_reads for session in figures),
        known_reads=sum(session.known_reads for session in figures),
    )
