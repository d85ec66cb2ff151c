"""Command lines with which an agent starts holloway: by absolute path, or by name in a plugin."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HOOK_MARK = "holloway.hooks.entry"
"""Module name that identifies our hooks: no other hook contains it."""

MCP_ENDING = ("-I", "-m", "holloway", "mcp")
STATUS_ENDING = ("-I", "-m", "holloway", "statusline")
"""Arguments that identify our other entries. `-I` isolates Python from the repository it is started in."""

_SIGNALS = "TERM INT HUP"
"""Signals with which a host ends a hook."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """Arguments that start a hook, the MCP server and the status line, and the command to print in texts."""

    hook: tuple[str, ...]
    mcp: tuple[str, ...]
    status: tuple[str, ...]
    spoken: str


LAUNCHER_BY_NAME = Launcher(("holloway-hook",), ("holloway", "mcp"), ("holloway", "statusline"), "holloway")
"""Launcher for the plugin, which is the same on every machine: holloway must be on the PATH."""


def launch_by_path() -> Launcher:
    """Return the launcher that names the interpreter by its absolute path, without a shim or a PATH search.

    A hook's program is passed as text (`-c`) and not as a script's path, because Python exits with 2 when a script is
    missing, and 2 tells the agent to block. With holloway uninstalled it exits with 0 and prints nothing.
    """
    package = Path(__file__).resolve().parents[2]
    code = (
        f"import sys\nsys.path.insert(0, {_python_literal(package.as_posix())})\ntry:\n from {HOOK_MARK} import main\n"
        "except Exception:\n sys.stdin and sys.stdin.buffer.read()\n sys.exit(0)\nmain()"
    )
    python = _interpreter_path()
    return Launcher(
        hook=(python, *_interpreter_flags(package), "-c", code),
        mcp=(python, *MCP_ENDING),
        status=(python, *STATUS_ENDING),
        spoken=_spoken_command(python),
    )


def join_shell_line(words: tuple[str, ...], *, windows: bool = os.name == "nt") -> str:
    """Join the words into one line for a shell.

    On Windows that shell is cmd.exe or Git Bash: the program's path has forward slashes and quotes, which both
    understand, and no word has a line break.
    """
    if windows:
        program = words[0].replace("\\", "/")
        arguments = [f"exec({word!r})" if "\n" in word else word for word in words[1:]]
        return f'"{program}" {subprocess.list2cmdline(arguments)}'.rstrip()
    return shlex.join(words)


def join_hook_line(words: tuple[str, ...], *, windows: bool = os.name == "nt") -> str:
    """Join the words of a hook into one shell line that exits 0 and prints nothing if its program is missing.

    `exec` leaves no shell between the host and the hook, so that a host's SIGTERM reaches it. Until the hook handles
    signals they are ignored, which a program inherits: one that comes while Python starts would kill it. Without the
    program, `cat` reads the event, so that a host that is still writing it gets no broken pipe. The shells of Windows
    have no common syntax for this: there, a missing program is an error, but never one that blocks the agent.
    """
    command = join_shell_line(words, windows=windows)
    if windows:
        return command
    start = f"test -x {shlex.quote(words[0])} && exec {command}"
    return f"trap '' {_SIGNALS}; {start}; trap - {_SIGNALS}; cat >/dev/null 2>&1 || true"


def hook_program(words: list[object]) -> object:
    """Return the program that a hook starts, given the words of its line in this or an earlier form."""
    test = next((at for at in range(len(words) - 2) if words[at : at + 2] == ["test", "-x"]), None)
    return words[0] if test is None else words[test + 2]


def has_mcp_package() -> bool:
    """Return whether the optional package for the MCP server is installed."""
    return importlib.util.find_spec("mcp") is not None


def _python_literal(text: str) -> str:
    """Return a Python string literal, in double quotes if possible: the shell line uses single quotes."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain.startswith("'") and '"' not in plain else plain


def _interpreter_path() -> str:
    return os.path.abspath(sys.executable)  # noqa: PTH100  (a virtual environment's link must not be resolved)


def _spoken_command(python: str) -> str:
    """Return the command to print in texts: the `holloway` script next to the interpreter, or `python -m holloway`."""
    launcher_path = Path(python).with_name("holloway.exe" if os.name == "nt" else "holloway")
    return (
        join_shell_line((str(launcher_path),))
        if launcher_path.exists()
        else join_shell_line((python, "-I", "-m", "holloway"))
    )


def _interpreter_flags(package: Path) -> tuple[str, ...]:
    """Return interpreter flags; skip `site` (a third of a hook's time) if all dependencies are in one folder."""
    spec = importlib.util.find_spec("re2")
    is_in_package_folder = (
        spec is not None and spec.origin is not None and Path(spec.origin).resolve().is_relative_to(package)
    )
    return ("-I", "-S") if is_in_package_folder else ("-I",)
