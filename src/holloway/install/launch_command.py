"""How an agent starts holloway: the words in its configuration, by absolute path or, in a plugin, by name."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HOOK_MARK = "holloway.hooks.entry"
"""What every hook of ours has in it, and nobody else's."""

MCP_ENDING = ("-I", "-m", "holloway", "mcp")
STATUS_ENDING = ("-I", "-m", "holloway", "statusline")
"""How the words of our other entries end. Isolated, Python takes nothing from the repository it is started in."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """The words that start a hook, the MCP server and the status line, and how a command is written in a text."""

    hook: tuple[str, ...]
    mcp: tuple[str, ...]
    status: tuple[str, ...]
    spoken: str


BY_NAME = Launcher(("holloway-hook",), ("holloway", "mcp"), ("holloway", "statusline"), "holloway")
"""For a plugin, which is the same on every machine: the PATH has to know holloway."""


def by_path() -> Launcher:
    """The real interpreter, without a shim or a search of the PATH.

    A hook's program is given as text and not as a script's path, because Python exits with 2 when a script is missing,
    and 2 tells the agent to block. With holloway uninstalled this exits with 0 and says nothing.
    """
    package = Path(__file__).resolve().parents[2]
    code = (
        f"import sys\nsys.path.insert(0, {_literal(package.as_posix())})\ntry:\n from {HOOK_MARK} import main\n"
        "except Exception:\n sys.stdin and sys.stdin.buffer.read()\n sys.exit(0)\nmain()"
    )
    python = _interpreter()
    return Launcher(
        hook=(python, *_flags(package), "-c", code),
        mcp=(python, *MCP_ENDING),
        status=(python, *STATUS_ENDING),
        spoken=_spoken(python),
    )


def line(words: tuple[str, ...], *, windows: bool = os.name == "nt") -> str:
    """Join the words into one line for a shell.

    On Windows that shell is cmd.exe or Git Bash: the program's path has forward slashes and quotes, which both
    understand, and no word has a line break.
    """
    if windows:
        program = words[0].replace("\\", "/")
        arguments = [f"exec({word!r})" if "\n" in word else word for word in words[1:]]
        return f'"{program}" {subprocess.list2cmdline(arguments)}'.rstrip()
    return shlex.join(words)


def hook_line(words: tuple[str, ...], *, windows: bool = os.name == "nt") -> str:
    """Join the words of a hook into one shell line that exits 0 and prints nothing where its program is gone.

    `exec` leaves no shell between the host and the hook, so that a host's SIGTERM reaches it. Without the program,
    `cat` reads the event, so that a host that is still writing it meets no broken pipe. The shells of Windows have no
    common way to say this: there, a missing program is an error, but never one that blocks the agent.
    """
    command = line(words, windows=windows)
    return command if windows else f"test -x {shlex.quote(words[0])} && exec {command}; cat >/dev/null 2>&1 || true"


def program_of(words: list[object]) -> object:
    """Return the program that a hook starts, given the words of its line in this or an earlier form."""
    return words[2] if words[:2] == ["test", "-x"] and len(words) > 2 else words[0]


def serves_mcp() -> bool:
    """Whether the optional package is there that the MCP server needs."""
    return importlib.util.find_spec("mcp") is not None


def _literal(text: str) -> str:
    """A text as Python writes it; in double quotes where they do, because a shell's own are single ones."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain.startswith("'") and '"' not in plain else plain


def _interpreter() -> str:
    return os.path.abspath(sys.executable)  # noqa: PTH100  (a virtual environment's link must not be resolved)


def _spoken(python: str) -> str:
    """The launcher beside the interpreter, which reads well in a text; else the interpreter's own words."""
    beside = Path(python).with_name("holloway.exe" if os.name == "nt" else "holloway")
    return line((str(beside),)) if beside.exists() else line((python, "-I", "-m", "holloway"))


def _flags(package: Path) -> tuple[str, ...]:
    """Skip Python's site set-up where everything we need lies in one folder; it is a third of a hook's time."""
    found = importlib.util.find_spec("re2")
    beside = found is not None and found.origin is not None and Path(found.origin).resolve().is_relative_to(package)
    return ("-I", "-S") if beside else ("-I",)
