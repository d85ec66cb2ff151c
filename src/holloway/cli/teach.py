"""The teach command: teach a memory about one file."""

from __future__ import annotations

import sys

import click

from holloway.cli.common import (
    base_folder,
    json_option,
    open_memory,
    print_json,
    print_memory,
    print_redaction_note,
    print_text,
    project_option,
)
from holloway.cli.remember import result_fields
from holloway.errors import InvalidInput


@click.command("teach")
@click.argument("file", metavar="FILE")
@click.option("--text", default="", metavar="TEXT", help="What agents should know; asked for on a terminal.")
@click.option("--type", "-t", "kind", default=None, metavar="TYPE", help="Its type; inferred from the text without it.")
@json_option
@project_option
def teach_command(file: str, text: str, kind: str | None, as_json: bool, project: str) -> None:
    """Teach agents something about a file: they read it when they open the file.

    \b
    Examples:
      holloway teach src/auth/tokens.py
      holloway teach src/auth/tokens.py --text "refresh() burns the token; call it once"
    """
    from holloway.service.results import memory_json  # loaded when the command runs

    with open_memory(project, create=True) as memory:
        path = memory.path_of(file, base_folder(project))
        if not (memory.project.root / path).exists():
            raise InvalidInput(f"{file} does not exist in {memory.project.name}.", "Give a file of the project.")
        if not text and not sys.stdin.isatty():
            raise InvalidInput("There is no text to teach.", "Give it with --text.")
        content = text or click.prompt(f"What should agents know about {path}?")
        remembered = memory.remember(content, files=[path], type=kind, where=memory.project.root)
        taught_memory = remembered.memory
        if taught_memory is None:
            raise InvalidInput("You rejected that text before.", "Teach it in other words.")
        if as_json:
            print_json({**memory_json(taught_memory, memory.clock.now()), **result_fields(remembered)})
            return
        print_redaction_note(remembered.redacted)
        print_text("Taught; agents read it when they open the file.", "green")
        print_memory(taught_memory, memory.clock.now())
