"""What commands share: options, opening a project, printing for people and for programs."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holloway import config
from holloway.errors import HollowayError, InvalidInput

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console
    from rich.text import Text

    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway

STDIN_BYTES_MAX = 16 * 1024 * 1024

COLUMNS = re.compile(r"^ *(?:\S+ {2,})*")
"""What a line begins with before its words: its indentation, and short entries with a gap after them."""

project_option = click.option(
    "--project",
    "-p",
    "project",
    metavar="PATH",
    default=".",
    help="A folder of the project (default: where you stand).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON with stable fields.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


def opened(project: str, *, create: bool = False) -> Holloway:
    """The memory of the project that holds a folder; only commands that put something in create one."""
    from holloway.service.project_finder import open_project  # loaded when a command runs, not for --help

    return open_project(project, create=create)


def standing(project: str) -> Path | None:
    """Where relative paths are taken from: where a person stands, unless they name another project."""
    return Path.cwd() if project == "." else None


def home() -> Path:
    """The user's data folder."""
    return Path(config.home())


@cache
def console() -> Console:
    """Where people read: colour only on a terminal, no wrapping where the output is piped."""
    from rich.console import Console  # rich is only loaded to print for people

    class Quiet(Console):
        """A console that does not call a closed pipe an error: `holloway list | head` is a fair question."""

        def on_broken_pipe(self) -> None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)

    plain = bool(os.environ.get("NO_COLOR"))
    return Quiet(
        highlight=False, soft_wrap=not sys.stdout.isatty(), emoji=False, force_terminal=False if plain else None
    )


TASK_SHOWN_CHARS = 200
"""So much of what a session was asked is shown on a line."""


def say(text: str = "", style: str = "") -> None:
    """A line for people; markup in the text is shown as it is, and nothing in it steers the terminal."""
    from rich.text import Text  # only to print for people

    for row in harmless(text).split("\n"):
        hanging(Text(row, style), len(row) - len(COLUMNS.sub("", row, count=1)))


def hanging(row: Text, column: int) -> None:
    """Print a line; what does not fit into the terminal goes on below that column, not at the margin."""
    room = console().width
    if console().soft_wrap or row.cell_len <= room or not 0 < column < room // 2:
        console().print(row)
        return
    first, *rest = row[column:].wrap(console(), room - column)
    console().print(row[:column] + first, soft_wrap=True)
    for part in rest:
        part.pad_left(column)
        console().print(part, soft_wrap=True)


def harmless(text: str) -> str:
    """The text without control and bidi characters, its indentation kept."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def can_print(signs: str) -> bool:
    """Whether the terminal has these signs."""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def emit(data: object) -> None:
    """One JSON document on stdout."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def line(memory: Memory, now: datetime) -> None:
    """A memory on a line or two: id, type, summary, and what is notable about it."""
    from rich.text import Text  # only to print for people

    head = Text()
    head.append(f"{memory.id:<8}", "bold cyan")
    head.append(f"{memory.type.label:<14} ", "magenta")
    column = head.cell_len
    hanging(head.append(harmless(memory.summary)), column)
    say(" " * 8 + notable(memory, now), "dim")


def notable(memory: Memory, now: datetime) -> str:
    """What a reader should know beside the sentence: files, state, confidence, branch."""
    from holloway.domain import confidence  # loaded when a command runs
    from holloway.safety.repository_text import only_paths

    files = only_paths(memory.files)
    parts = [", ".join(files)] if files else []
    parts.append(f"{memory.state} {confidence.current(memory, now):.2f}")
    parts += ["pinned"] if memory.pinned else []
    parts += [f"only on {branch_shown(memory.branch_only)}"] if memory.branch_only else []
    parts += [f"to review: {memory.review}"] if memory.review else []
    parts += [f"replaced by {memory.superseded_by}"] if memory.superseded_by else []
    parts += [memory.deleted_reason] if memory.deleted_at else []
    return " · ".join(parts)


def branch_shown(name: str) -> str:
    """The name of a branch, unless it reads as a sentence: agents read what commands print."""
    from holloway.safety.repository_text import is_path  # loaded when a command runs

    return name if is_path(name) else "another branch"


def ask(question: str, *, yes: bool) -> bool:
    """A yes-or-no question; `--yes` answers it, and without a terminal the answer is no."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInput(f"{question} Nobody is there to answer.", "Add --yes to go ahead.")
    return click.confirm(question, default=False)


def text_of(words: tuple[str, ...], what: str) -> str:
    """The words of a command as one text; a single `-` reads it from stdin."""
    if words != ("-",):
        return " ".join(words)
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise InvalidInput(f"{what} has more than {STDIN_BYTES_MAX:,} bytes.", "Keep to what the next session needs.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{what} is not UTF-8 text (byte {error.start}).", "Give it as UTF-8.") from None


def maintained(memory: Holloway) -> None:
    """Do the daily chores on the way out; what was asked for is done, so their failure is only told."""
    try:
        memory.maintain()
    except HollowayError as error:
        click.echo(f"No backup was made: {error.message}", err=True)


def many(number: int, of: str = "memory") -> str:
    """A number of things, in words that fit it: 1 memory, 2 memories, 3 files."""
    several = f"{of[:-1]}ies" if of.endswith("y") else f"{of}s"
    return f"{number:,} {of if number == 1 else several}"


def redaction_note(redacted: tuple[str, ...]) -> None:
    """Tell the person that a secret was cut out."""
    if redacted:
        say(f"A secret was cut out before storing: {', '.join(redacted)}.", "yellow")
