"""Shared parts of the commands: options, filters, opening a project, progress bar, terminal and JSON output."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from holloway import config
from holloway.errors import HollowayError, InvalidInput
from holloway.text.sanitize import one_line, strip_invisible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rich.console import Console
    from rich.text import Text

    from holloway.domain.memory import Memory
    from holloway.service.holloway import Holloway
    from holloway.service.memory_list import MemoryQuery
    from holloway.service.results import Filter, StoredCandidate


STDIN_BYTES_MAX = 16 * 1024 * 1024

LEADING_COLUMNS = re.compile(r"^ *(?:\S+ {2,})*")
"""Indentation and leading columns of a line: short entries, each followed by a gap."""

project_option = click.option(
    "--project",
    "-p",
    "project",
    metavar="PATH",
    default=".",
    help="Project folder (default: current directory).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON with stable fields.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
RELATION_PHRASES = {
    "conflicts_with": "contradicts",
    "required_with": "comes with",
    "validates": "confirms",
    "derived_from": "derived from",
}
"""How a memory stands to another one, for a person."""
STEPS_MIN = 12
"""Stages with fewer steps show no bar: they end before one could be read."""
json_documents: ContextVar[list[object] | None] = ContextVar("json_documents", default=None)
"""Documents that `--json` would print, for a program that runs a command in its own process."""
Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--type", "-t", "types", multiple=True, metavar="TYPE", help="Only memories of this type."),
    click.option("--file", "-f", "files", multiple=True, metavar="PATH", help="Only memories about this file."),
    click.option("--module", "-m", "modules", multiple=True, metavar="NAME", help="Only memories about this module."),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only memories with this tag."),
    click.option("--state", "states", multiple=True, metavar="STATE", help="Only memories in this state."),
    click.option(
        "--visibility", "visibility", multiple=True, metavar="WHO", help="Only memories that these people may see."
    ),
    click.option("--shared", is_flag=True, help="Only memories that you exchange with others."),
    click.option("--from", "authors", multiple=True, metavar="NAME", help="Only memories that this person shared."),
    click.option("--all-branches", is_flag=True, help="Also memories learned on other, unmerged branches."),
    click.option("--quarantined", is_flag=True, help="Also quarantined memories, which agents do not see."),
)


_SELECTIONS = (
    click.option(
        "--preset",
        type=click.Choice(["active", "unused", "conflicting", "waiting", "fading"]),
        help="A ready-made filter; see above.",
    ),
    click.option("--source", "sources", multiple=True, metavar="SOURCE", help="Only memories from this source."),
    click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="Only memories of this scope."),
    click.option("--agent", "agents", multiple=True, metavar="NAME", help="Only memories that this agent recorded."),
    click.option("--branch", "branches", multiple=True, metavar="NAME", help="Only memories learned on this branch."),
    click.option("--newer", type=click.IntRange(0), default=0, metavar="DAYS", help="Only memories of these days."),
    click.option("--older", type=click.IntRange(0), default=0, metavar="DAYS", help="Only memories older than this."),
    click.option("--pinned", is_flag=True, help="Only pinned memories."),
    click.option("--muted", is_flag=True, help="Only memories that agents are never told unasked."),
    click.option("--user", is_flag=True, help="Your user-level memories, which apply to all projects."),
)


def open_memory(project: str, *, create: bool = False) -> Holloway:
    """Open the memory of the project that contains a folder; only commands that write pass `create`."""
    from holloway.service.project_finder import open_project  # loaded when a command runs, not for --help

    return open_project(project, create=create)


def base_folder(project: str) -> Path | None:
    """Return the base of relative paths: the current directory, or None when --project names another one."""
    return Path.cwd() if project == "." else None


def data_folder() -> Path:
    """Return the user's data folder."""
    return Path(config.data_home())


@cache
def get_console() -> Console:
    """Return the console for people: colour only on a terminal, no wrapping when the output is piped."""
    from rich.console import Console  # rich is only loaded to print for people

    class QuietConsole(Console):
        """Console that exits quietly when the pipe is closed, as in `holloway list | head`."""

        def on_broken_pipe(self) -> None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)

    plain = bool(os.environ.get("NO_COLOR"))
    return QuietConsole(
        highlight=False, soft_wrap=not sys.stdout.isatty(), emoji=False, force_terminal=False if plain else None
    )


raw_option = click.option("--raw", is_flag=True, help="Show names that read as sentences too; they may be hostile.")


def print_withheld(names: Sequence[str], *, raw: bool) -> None:
    """Tell the person how many names the output gate withholds, or list them with --raw."""
    if names and raw:
        print_text("withheld from agents, because they read as sentences", "bold")
        for name in names:
            print_text(f"  {name}", "dim")
    elif names:
        print_text(f"{format_count(len(names), 'name')} withheld, --raw shows them", "dim")


TASK_SHOWN_CHARS = 200
QUOTE_SHOWN_CHARS = 300
"""Characters of a session's task that are shown on a line."""


def print_text(text: str = "", style: str = "") -> None:
    """Print text for people; markup is printed literally and control characters are removed."""
    from rich.text import Text  # only to print for people

    for row in strip_invisible(text).split("\n"):
        print_hanging(Text(row, style), len(row) - len(LEADING_COLUMNS.sub("", row, count=1)))


def print_quotes(candidate: StoredCandidate) -> None:
    """Print the quotes of a session on which a lesson rests, each with its speaker and its untrusted source."""
    quotes = candidate.draft.get("quotes")
    for quote in quotes if isinstance(quotes, list) else ():
        source = f", {quote['source']}" if quote["source"] and "pasted" not in quote["voice"] else ""
        print_text(f"    {quote['voice']}{source}: “{one_line(quote['text'], QUOTE_SHOWN_CHARS)}”", "dim")


def print_relations(memory: Holloway, card: Memory) -> None:
    """Print the memories to which a memory is related, with their text; a quarantined one by its id only."""
    for relation in card.relations:
        phrase = RELATION_PHRASES.get(str(relation.type))
        if not phrase or not relation.memory:
            continue
        try:
            other = memory.get(relation.memory)
        except InvalidInput:  # forgotten for good
            continue
        text = "" if other.state == "quarantined" or other.deleted_at else f": {other.summary}"
        print_text(f"  {phrase} {other.id}{text}", "yellow")


def print_hanging(row: Text, column: int) -> None:
    """Print a line with a hanging indent: text that does not fit continues below `column`."""
    width = get_console().width
    if get_console().soft_wrap or row.cell_len <= width or not 0 < column < width // 2:
        get_console().print(row)
        return
    first_line, *continuation_lines = row[column:].wrap(get_console(), width - column)
    get_console().print(row[:column] + first_line, soft_wrap=True)
    for continuation_line in continuation_lines:
        continuation_line.pad_left(column)
        get_console().print(continuation_line, soft_wrap=True)


def can_print(signs: str) -> bool:
    """Return whether the terminal's encoding has these characters."""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def print_json(data: object) -> None:
    """Print one JSON document on stdout, or hand it to the program that runs the command."""
    if (documents := json_documents.get()) is not None:
        documents.append(data)
        return
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def print_memory(memory: Memory, now: datetime) -> None:
    """Print a memory in two lines: id, type and summary, then its files and state."""
    from rich.text import Text  # only to print for people

    head = Text()
    head.append(f"{memory.id:<8}", "bold cyan")
    head.append(f"{memory.type.label:<14} ", "magenta")
    column = head.cell_len
    print_hanging(head.append(strip_invisible(memory.summary)), column)
    print_text(" " * 8 + describe_memory(memory, now), "dim")


def describe_memory(memory: Memory, now: datetime) -> str:
    """Return the facts of a memory besides its text: files, state, confidence, branch, review reason."""
    from holloway.domain import confidence  # loaded when a command runs
    from holloway.safety.repository_text import only_paths

    files = only_paths(memory.files)
    parts = [", ".join(files)] if files else []
    parts.append(f"{memory.state} {confidence.current_confidence(memory, now):.2f}")
    parts += ["pinned"] if memory.pinned else []
    parts += ["never told unasked"] if memory.muted else []
    parts += [f"only on {branch_label(memory.branch_only)}"] if memory.branch_only else []
    parts += [f"to review: {memory.review}"] if memory.review else []
    parts += [f"replaced by {memory.superseded_by}"] if memory.superseded_by else []
    parts += [memory.deleted_reason] if memory.deleted_at else []
    return " · ".join(parts)


def branch_label(name: str) -> str:
    """Return a branch name, or a placeholder if it reads as a sentence (prompt injection: agents read our output)."""
    from holloway.safety.repository_text import is_path  # loaded when a command runs

    return name if is_path(name) else "another branch"


def confirm_action(question: str, *, yes: bool) -> bool:
    """Ask for confirmation; `--yes` answers yes. Raises InvalidInput without a terminal."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInput(f"{question} There is no terminal to ask on.", "Add --yes to go ahead.")
    return click.confirm(question, default=False)


class TextCommand(click.Command):
    """A command that takes a text: a quoted text that begins with a dash is text, because no option has a space."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with such a text as a positional one; text after `--` is positional anyway."""
        end = args.index("--") if "--" in args else len(args)
        texts = [argument for argument in args[:end] if argument.startswith("-") and _is_text(argument)]
        options = [argument for argument in args[:end] if argument not in texts]
        return super().parse_args(ctx, [*options, *(["--", *texts, *args[end + 1 :]] if texts else args[end:])])


def _is_text(argument: str) -> bool:
    """Whether an argument with a dash is a text: a space, but not in the value of `--option=value`."""
    return any(character.isspace() for character in argument.partition("=")[0])


def read_text_argument(arguments: tuple[str, ...], label: str) -> str:
    """Join a command's arguments into one text, or read stdin for a single `-`.

    Raises InvalidInput if stdin is too long or not UTF-8.
    """
    if arguments != ("-",):
        return " ".join(arguments)
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise InvalidInput(
            f"{label} has more than {STDIN_BYTES_MAX:,} bytes.", "Shorten it to what the next session needs."
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{label} is not UTF-8 text (byte {error.start}).", "Convert it to UTF-8.") from None


def run_maintenance(memory: Holloway) -> None:
    """Run the daily maintenance jobs; the command itself has succeeded, so a failure is only reported."""
    try:
        memory.maintain()
    except HollowayError as error:
        click.echo(f"No backup was made: {error.message}", err=True)


def format_count(number: int, noun: str = "memory") -> str:
    """Format a count with its noun in the right number: 1 memory, 2 memories, 3 files."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def print_redaction_note(redacted: tuple[str, ...]) -> None:
    """Report that a secret was redacted."""
    if redacted:
        print_text(f"A secret was redacted before storing: {', '.join(redacted)}.", "yellow")


def open_mapped_memory(project: str, *, create: bool = False) -> Holloway:
    """Open the memory of a project and update its code map first, however long that takes."""
    memory = open_memory(project, create=create)
    try:
        if not memory.project.key:
            click.echo("This code map is temporary; `holloway init` stores one.", err=True)
        with ProgressBar(hidden=False) as tell:
            memory.map.update(workers=0, progress=tell)
    except BaseException:
        memory.close()
        raise
    return memory


class ProgressBar:
    """Context manager that yields a progress callback drawing a bar on a terminal, and None elsewhere."""

    def __init__(self, *, hidden: bool) -> None:
        self._shown = not hidden and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Callable[[str, int, int], None] | None:
        return self._update_bar if self._shown else None

    def _update_bar(self, stage: str, completed: int, total: int) -> None:
        if total < STEPS_MIN and self._bar is None:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description:>16}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(stage, total=total)
        self._bar.update(self._task, description=stage, completed=completed, total=total)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Values of the filter options."""

    types: tuple[str, ...]
    files: tuple[str, ...]
    modules: tuple[str, ...]
    tags: tuple[str, ...]
    states: tuple[str, ...]
    visibility: tuple[str, ...]
    shared: bool
    authors: tuple[str, ...]
    all_branches: bool
    quarantined: bool

    def build_filter(self, memory: Holloway) -> Filter:
        """Build the store filter for a project. Raises InvalidInput for an unknown type, state or path."""
        from holloway import Filter  # loaded when a command runs
        from holloway.domain.memory import MemoryType, State, Visibility, parse_choice

        return Filter(
            types=tuple(parse_choice(MemoryType, kind) for kind in self.types),
            states=tuple(parse_choice(State, state) for state in self.states),
            visibility=tuple(parse_choice(Visibility, word) for word in self.visibility),
            shared=self.shared,
            authors=self.authors,
            files=tuple(memory.path_of(path, Path.cwd()) for path in self.files),
            modules=self.modules,
            tags=self.tags,
            branch=None if self.all_branches else memory.branch,
            quarantined=self.quarantined or "quarantined" in self.states,
        )


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Values of the options that select memories in a list, besides the filter options."""

    preset: str | None
    sources: tuple[str, ...]
    scopes: tuple[str, ...]
    agents: tuple[str, ...]
    branches: tuple[str, ...]
    newer: int
    older: int
    pinned: bool
    muted: bool
    user: bool

    def build_query(self, memory: Holloway, chosen: FilterOptions) -> MemoryQuery:
        """Build the query of a list. Raises InvalidInput for an unknown choice or path."""
        from dataclasses import replace  # loaded when a command runs

        from holloway.service.memory_list import parse_query

        words = {name: getattr(self, name) for name in ("sources", "scopes", "agents", "branches")}
        words |= {
            name: getattr(chosen, name) for name in ("types", "states", "visibility", "modules", "tags", "authors")
        }
        words |= {"newer_than_days": [str(self.newer)], "older_than_days": [str(self.older)]}
        words |= {"preset": [self.preset] if self.preset else []}
        return replace(
            parse_query(words),
            files=tuple(memory.path_of(path, Path.cwd()) for path in chosen.files),
            told_on=None if chosen.all_branches or self.user else memory.branch,
            quarantined=chosen.quarantined or "quarantined" in chosen.states or self.preset == "waiting",
            shared=chosen.shared,
            pinned=self.pinned,
            muted=self.muted,
            user=self.user,
        )


def filter_options(command: Command) -> Command:
    """Decorate a command with the filter options; it receives them as `chosen`."""
    return collect_options(command, _OPTIONS, "chosen", FilterOptions)


def selection_options(command: Command) -> Command:
    """Decorate a command with the options that select memories in a list; it receives them as `selection`."""
    return collect_options(command, _SELECTIONS, "selection", SelectionOptions)


def collect_options(command: Command, options: Sequence[Any], name: str, shape: type[Any]) -> Command:
    """Decorate a command with options; it receives their values in one argument of a dataclass."""

    @wraps(command)
    def run_with_options(**values: Any) -> Any:
        collected = shape(**{field.name: values.pop(field.name) for field in fields(shape)})
        return command(**{name: collected}, **values)

    decorated: Any = run_with_options
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]
