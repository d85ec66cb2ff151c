"""Console blocks in the documentation: executed, so that they show the real output."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUNS = ("holloway ", "git ", "cat ", "cd ", "echo ")
"""Commands that a block may run; a line that begins with anything else is shown but not run."""


@dataclass(frozen=True)
class Step:
    """A command in a block and the output below it."""

    command: str
    output: str

    @property
    def runs(self) -> bool:
        """Whether it is run, or only shown."""
        return self.command.startswith(RUNS)


def parse_steps(block: str) -> list[Step]:
    """Parse the commands of a block, each with the output below it."""
    parsed_steps: list[Step] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            parsed_steps.append(Step(line[2:], ""))
        elif parsed_steps:
            last = parsed_steps.pop()
            parsed_steps.append(Step(last.command, last.output + line + "\n"))
    return parsed_steps


RUNNER = """
import hashlib, pathlib, sys
from datetime import UTC, datetime, timedelta
from holloway.domain import ports

state = pathlib.Path(__file__).with_name("count")

def new(self):
    count = int(state.read_text()) + 1 if state.exists() else 1
    state.write_text(str(count))
    return hashlib.sha256(str(count).encode()).hexdigest()[:32]

def now(self):
    commands = int(state.with_name("commands").read_text())
    return datetime(2026, 11, 15, 9, 0, tzinfo=UTC) + timedelta(minutes=commands)

ports.RandomIds.new = new
ports.SystemClock.now = now
from holloway.cli import main
main(sys.argv[1:])
"""
"""holloway with ids and a clock that are the same in every run; everything else is as a reader has it."""


class Shell:
    """A terminal in a small example project; its temporary folders do not appear in the output."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = project
        self.folder = folder
        self.commands = 0
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        (folder / "home").mkdir(exist_ok=True)
        runner = folder / "bin/runner.py"
        runner.write_text(RUNNER)
        self._launcher("holloway", str(runner))
        self._launcher("holloway-hook", "-c", "from holloway.hooks.entry import main; main()")

    def _launcher(self, name: str, *arguments: str) -> None:
        launcher = self.folder / "bin" / name
        launcher.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *arguments])} "$@"\n')
        launcher.chmod(0o755)

    def run(self, command: str) -> str:
        """Run a command and return its output, errors included."""
        self.commands += 1
        (self.folder / "bin/commands").write_text(str(self.commands))
        environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            "HOLLOWAY_HOME": str(self.folder / "home/.local/share/holloway"),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "HOLLOWAY_PATIENCE": "20",
        }
        process = subprocess.run(
            ["sh", "-c", command],
            cwd=self.project,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        output = process.stdout.replace(str(self.folder / "home"), "/home/ada").replace(
            str(self.project), "/home/ada/shop"
        )
        return output.replace(os.path.abspath(sys.executable), "/home/ada/.venv/bin/python")  # noqa: PTH100


def fill_blocks(text: str, shell: Shell) -> str:
    """Return a page with the real output below each command."""

    def block(match: re.Match[str]) -> str:
        lines = []
        for step in parse_steps(match.group(1)):
            output = shell.run(step.command) if step.runs else step.output
            lines += [f"$ {step.command}", *output.splitlines()]
        return "```console\n" + "\n".join(lines) + "\n```"

    return BLOCK.sub(block, text)


def to_plain(text: str) -> str:
    """Return output without machine-specific parts: sizes, commits, the hash in a folder's name."""
    text = re.sub(r"shop-[0-9a-f]{8}|commit [0-9a-f]{10}", "HASH", text)
    return re.sub(r"[\d,]+ (KB|MB|bytes)", r"N \1", text)
