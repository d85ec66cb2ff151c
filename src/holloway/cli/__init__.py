"""Command line of holloway: the table of commands, lazy loading, and error messages without tracebacks."""

from __future__ import annotations

import os
import sys

import click

from holloway.errors import HollowayError

CLI_COMMANDS = {
    "Start": {
        "init": ("init", "Start a memory for a project and map its code"),
        "setup": ("setup", "Connect an agent, or disconnect it"),
        "rules": ("rules", "Import rules files as memories to review"),
        "reader": ("reader", "Turn on or off the language model that reads sessions"),
        "learn": ("sessions", "Learn from agent sessions already on this disk"),
        "embedder": ("embedder", "Choose the model that search by meaning uses"),
        "doctor": ("project", "Check the installation and report problems"),
    },
    "Every day": {
        "remember": ("remember", "Teach a memory and say which files it is about"),
        "recall": ("recall", "Find memories by words and by meaning"),
        "ask": ("recall", "Answer a question from memories and the code map"),
        "list": ("recall", "List memories, newest first"),
        "show": ("recall", "Show one memory in full"),
        "why": ("recall", "Show where a memory came from and who saw it"),
        "review": ("review", "Review waiting memories, one at a time"),
        "sessions": ("sessions", "List the observed sessions"),
        "told": ("told", "Show what agents were told, word for word"),
        "explain": ("sessions", "Show what was learned from a session, and why"),
        "status": ("project", "Show what this project's memory holds"),
        "proof": ("proof", "Measure whether memory helps in this project"),
        "panel": ("panel", "Serve the web panel on this machine"),
        "teach": ("panel", "Open the panel's form for a new memory"),
    },
    "Correct": {
        "wrong": ("corrections", "Mark a memory wrong; agents stop seeing it at once"),
        "edit": ("remember", "Change a memory"),
        "pin": ("remember", "Keep a memory from decaying"),
        "mute": ("remember", "Never tell agents a memory unasked"),
        "forget": ("corrections", "Forget memories (restorable for 30 days), or for good"),
        "restore": ("corrections", "Restore forgotten or replaced memories"),
        "prune": ("corrections", "Remove memories that nobody has used for long"),
        "bulk": ("bulk", "Confirm, pin or forget all memories of a filter, with one undo"),
    },
    "The code": {
        "locate": ("map", "Find the files that a task is about"),
        "impact": ("map", "Show what a change affects"),
        "modules": ("map", "List the modules of the codebase"),
        "module": ("map", "Show one module, or correct it"),
        "relate": ("map", "Record how two files or symbols are related"),
        "index": ("map", "Update the code map"),
    },
    "What agents see": {
        "brief": ("project", "Print what an agent reads when its session starts"),
        "trust": ("project", "Show or set how much agents are shown unasked"),
        "pause": ("project", "Stop capturing and injecting"),
        "resume": ("project", "Resume capturing and injecting"),
    },
    "Share": {
        "share": ("share", "Share memories with your team or your other devices over git"),
        "publish": ("publish", "Write chosen memories as files into the work tree, for code review"),
        "sync": ("share", "Exchange shared memories now"),
        "conflicts": ("conflicts", "Decide between versions that two people wrote"),
    },
    "Data and settings": {
        "config": ("project", "Show and change settings"),
        "export": ("export_import", "Write memories to a file"),
        "import": ("export_import", "Read memories from a file"),
        "backup": ("export_import", "Back up the memory, list backups, restore one"),
        "completion": ("project", "Print a shell completion script"),
        "uninstall": ("setup", "Remove holloway from agents and rules files"),
    },
    "Started by agents": {
        "mcp": ("mcp_server", "Serve an agent over the Model Context Protocol"),
        "note": ("remember", "Note a lesson as an agent; unconfirmed until it proves right"),
        "statusline": ("mcp_server", "Print a line for an agent's status bar"),
    },
}
"""Every command by section: its module (imported only when the command runs) and its line in the help."""

COMMAND_SYNONYMS = {
    "add": "remember",
    "connect": "setup",
    "delete": "forget",
    "find": "recall",
    "help": "--help",
    "install": "setup",
    "search": "recall",
    "undo": "restore",
}
"""Command names from other tools, with ours: used for the "did you mean" hint, not as aliases."""

_MODULES = {name: module for section in CLI_COMMANDS.values() for name, (module, _) in section.items()}


class LazyCommandGroup(click.Group):
    """Click group that lists its commands from a table and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names, for shell completion."""
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; an unknown name fails with the closest match."""
        if cmd_name not in _MODULES:
            from difflib import get_close_matches  # only on the error path

            close = COMMAND_SYNONYMS.get(cmd_name) or next(iter(get_close_matches(cmd_name, _MODULES, n=1)), "")
            hint = f" Did you mean {close}?" if close else " `holloway --help` lists them."
            ctx.fail(f"There is no command {cmd_name!r}.{hint}")
        from importlib import import_module  # commands load what they need when they run

        module = import_module(f"holloway.cli.{_MODULES[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, without importing them."""
        for section, commands in CLI_COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl([(name, text) for name, (_, text) in commands.items()])


@click.group(
    cls=LazyCommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='\b\nFirst steps:\n  holloway init\n  holloway setup claude-code\n  holloway remember "..." --file PATH',
)
@click.version_option(package_name="holloway", prog_name="holloway")
def holloway() -> None:
    """The memory that coding agents wear into a codebase.

    Teach a gotcha once; your agent sees it when it opens the file. Everything stays on this machine.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run a command; print errors as a message and a hint, never as a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # print "?" for a character the terminal lacks
    try:
        holloway.main(args=arguments, prog_name="holloway")
    except HollowayError as error:
        click.echo(f"Error: {error.message}", err=True)
        if error.hint:
            click.echo(f"Hint: {error.hint}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
    except OSError as error:
        click.echo(f"Error: {error.strerror or error} ({error.filename or 'no file'})", err=True)
        click.echo("Hint: run `holloway doctor` to check the installation.", err=True)
        sys.exit(1)
    except Exception as error:
        if os.environ.get("HOLLOWAY_DEBUG"):
            raise
        click.echo(f"Error: an unexpected {type(error).__name__}: {error}", err=True)
        click.echo("Hint: this is a bug in holloway; HOLLOWAY_DEBUG=1 shows where it happened.", err=True)
        sys.exit(1)
