"""The command line."""

from __future__ import annotations

import os
import sys

import click

from holloway.errors import HollowayError

COMMANDS = {
    "Start": {
        "init": ("init", "Start a memory for a project and look at its code"),
        "setup": ("setup", "Connect an agent, or disconnect it"),
        "rules": ("rules", "Read rules files into memories to review"),
        "learn": ("learn", "Learn from agent sessions that are already on this disk"),
        "doctor": ("project", "Look for what is wrong"),
    },
    "Every day": {
        "remember": ("remember", "Teach a memory: what, and where it matters"),
        "recall": ("recall", "Find memories by words and by meaning"),
        "ask": ("recall", "Answer a question from memories and map"),
        "list": ("recall", "List memories, newest first"),
        "show": ("recall", "Show one memory in full"),
        "why": ("recall", "Show where a memory comes from and where it went"),
        "review": ("review", "Go through what waits for you, a card at a time"),
        "sessions": ("sessions", "List the sessions that were watched"),
        "explain": ("sessions", "Show what came of a session, and why"),
        "status": ("project", "Show what this project's memory holds"),
    },
    "Correct": {
        "wrong": ("corrections", "Mark a memory wrong; it is gone at once"),
        "edit": ("remember", "Change a memory"),
        "pin": ("remember", "Keep a memory from fading"),
        "forget": ("corrections", "Forget memories, for thirty days or for good"),
        "restore": ("corrections", "Bring forgotten or replaced memories back"),
        "prune": ("corrections", "Set aside what nobody used for long"),
    },
    "The code": {
        "locate": ("map", "Find the files that a task is about"),
        "impact": ("map", "Show what a change reaches"),
        "modules": ("map", "List the modules of the codebase"),
        "module": ("map", "Show one module, or correct it"),
        "relate": ("map", "Say how two places belong together"),
        "index": ("map", "Bring the code map up to date"),
    },
    "What agents are told": {
        "brief": ("project", "Print what an agent reads when its session starts"),
        "trust": ("trust", "Show or set how much is said to agents unasked"),
        "pause": ("project", "Stop capturing and injecting"),
        "resume": ("project", "Go on capturing and injecting"),
    },
    "Data and settings": {
        "config": ("project", "Show and change settings"),
        "export": ("export_import", "Write memories to a file"),
        "import": ("export_import", "Read memories from a file"),
        "backup": ("export_import", "Copy the memory, list copies, bring one back"),
        "completion": ("project", "Print the completion script of a shell"),
        "uninstall": ("uninstall", "Take every trace of holloway back"),
    },
    "Started by agents": {
        "mcp": ("mcp_server", "Serve an agent over the Model Context Protocol"),
        "statusline": ("mcp_server", "Print a line for an agent's status bar"),
    },
}
"""Every command, by section: the module that holds it, loaded only when it runs, and its line in the help."""

OTHER_WORDS = {
    "add": "remember",
    "connect": "setup",
    "delete": "forget",
    "find": "recall",
    "help": "--help",
    "install": "setup",
    "search": "recall",
    "undo": "restore",
}
"""What people try first, and the command that does it; an answer to a mistake, not a second name."""

_MODULES = {name: module for section in COMMANDS.values() for name, (module, _) in section.items()}


class Commands(click.Group):
    """A group that knows its commands by name and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, for completion."""
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; a mistyped one is answered with the closest."""
        if cmd_name not in _MODULES:
            from difflib import get_close_matches  # only on the error path

            close = OTHER_WORDS.get(cmd_name) or next(iter(get_close_matches(cmd_name, _MODULES, n=1)), "")
            hint = f" Did you mean {close}?" if close else " `holloway --help` lists them."
            ctx.fail(f"There is no command {cmd_name!r}.{hint}")
        from importlib import import_module  # commands load what they need when they run

        module = import_module(f"holloway.cli.{_MODULES[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by section, without loading them."""
        for section, commands in COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl([(name, text) for name, (_, text) in commands.items()])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='\b\nFirst steps:\n  holloway init\n  holloway setup claude-code\n  holloway remember "..." --file PATH',
)
@click.version_option(package_name="holloway", prog_name="holloway")
def holloway() -> None:
    """The memory that coding agents wear into a codebase.

    Teach a trap once; it reaches your agent when it opens the file. Everything stays on this machine.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run a command; errors become a message and a hint, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without our signs gets a question mark, not a traceback
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
        click.echo("Hint: `holloway doctor` looks closer.", err=True)
        sys.exit(1)
    except Exception as error:
        if os.environ.get("HOLLOWAY_DEBUG"):
            raise
        click.echo(f"Error: an unexpected {type(error).__name__}: {error}", err=True)
        click.echo("Hint: this is a bug in holloway; HOLLOWAY_DEBUG=1 shows where it happened.", err=True)
        sys.exit(1)
