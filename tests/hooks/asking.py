"""Asking a hook as the agent does, in a process of its own; or in this one, the same way through it and faster."""

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from holloway.hooks import entry
from tests.conftest import Repository

TRAP = "refresh() burns the token; call it once"
TRAP_FILE = "src/shop/auth/tokens.py"
CALLS = count(1)
"""Hosts give every use of a tool an id of its own."""


@dataclass(frozen=True)
class Answer:
    """How a hook's process ended and what it wrote."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def context(self) -> str:
        """The words for the agent."""
        if not self.stdout:
            return ""
        return str(json.loads(self.stdout).get("hookSpecificOutput", {}).get("additionalContext", ""))


@cache
def _installed() -> str:
    """The shell line of a hook, out of the configuration that setup writes for a person who has none."""
    with TemporaryDirectory() as folder:
        project, person = Path(folder, "project"), Path(folder, "person")
        project.mkdir()
        environment = {"HOME": str(person), "HOLLOWAY_HOME": f"{folder}/data", "PATH": os.environ["PATH"]}
        if "PYTHONPATH" in os.environ:  # of a copy of the tree: its own hook is tested, not the installed one
            environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
        setup = [sys.executable, "-m", "holloway", "setup", "claude-code", "--yes"]
        subprocess.run(setup, cwd=project, env=environment, capture_output=True, check=True, timeout=60)
        written = json.loads((person / ".claude/settings.json").read_bytes())
    return str(written["hooks"]["PostToolUse"][0]["hooks"][0]["command"])


def command(host: str = "claude-code") -> list[str]:
    """The very line that setup writes, run by a shell as hosts do, under another name of the agent if one is given."""
    line = _installed()
    assert line.count(" claude-code;") == 1
    return ["/bin/sh", "-c", line.replace(" claude-code;", f" {shlex.quote(host)};")]


def hook(
    data: bytes, *, environment: dict[str, str] | None = None, cwd: Path | None = None, host: str = "claude-code"
) -> Answer:
    """Run the hook as the agent does."""
    done = subprocess.run(
        command(host),
        input=data,
        capture_output=True,
        timeout=20,
        cwd=cwd,
        env=dict(os.environ) if environment is None else environment,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def event(repository: Repository, name: str = "PostToolUse", session: str = "s1", **fields: object) -> bytes:
    """What a host tells; a tool event is the reading of the file with the trap, unless it says otherwise."""
    payload: dict[str, object] = {
        "session_id": session,
        "transcript_path": "/nowhere.jsonl",
        "cwd": str(repository.root),
        "hook_event_name": name,
    }
    if name.startswith("PostToolUse"):
        payload |= {"tool_use_id": f"call-{next(CALLS)}"}
    if name == "PostToolUse":
        payload |= {"tool_name": "Read", "tool_input": {"file_path": str(repository.root / TRAP_FILE)}}
    return json.dumps({**payload, **fields}).encode()


class Asked:
    """What a hook printed, and what it left to do."""

    def __init__(self, printed: bytes) -> None:
        self.printed = printed
        self.said: dict[str, Any] = json.loads(printed) if printed else {}

    @property
    def context(self) -> str:
        """The words for the agent."""
        return str(self.said.get("hookSpecificOutput", {}).get("additionalContext", ""))


class Asking:
    """Hooks of one agent, as `holloway setup` wrote its name into their command."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.under("claude-code")

    def under(self, host: str) -> "Asking":
        """The same hooks under another agent."""
        self._monkeypatch.setattr("sys.argv", ["hook", host])
        return self

    def __call__(self, event: bytes) -> Asked:
        return Asked(entry.respond(event)[0])
