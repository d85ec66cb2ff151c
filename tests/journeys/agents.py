"""The real agents as a story needs them: what each calls its tools, and how it is connected and run."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from filelock import FileLock

from holloway.service import background_worker
from tests.conftest import Repository
from tests.journeys import claude_code, codex, copilot
from tests.journeys.scripted_model import ScriptedModel, ToolCall, Turn

COMMITTER = {
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.invalid",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.invalid",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}
WORKER_S = 120.0


class Agent(Protocol):
    """One real client."""

    name: str

    def read(self, path: Path) -> ToolCall:
        """Look at a file."""
        ...

    def edit(self, path: Path, old: str, new: str) -> ToolCall:
        """Replace a line of a file."""
        ...

    def shell(self, command: str) -> ToolCall:
        """Run a command."""
        ...

    def run(
        self, prompt: str, cwd: Path, home: Path, model: ScriptedModel, environment: Mapping[str, str], resume: str
    ) -> tuple[int, str, str]:
        """Give it a prompt; how it ended, the model's last words, and the id of the session."""
        ...


class ClaudeCode:
    """Reads and edits with tools of their own."""

    name = "claude-code"

    def read(self, path: Path) -> ToolCall:
        """Look at a file."""
        return ToolCall("Read", {"file_path": str(path)})

    def edit(self, path: Path, old: str, new: str) -> ToolCall:
        """Replace a line of a file; the client wants it read before."""
        return ToolCall("Edit", {"file_path": str(path), "old_string": old, "new_string": new})

    def shell(self, command: str) -> ToolCall:
        """Run a command."""
        return ToolCall("Bash", {"command": command})

    def run(
        self, prompt: str, cwd: Path, home: Path, model: ScriptedModel, environment: Mapping[str, str], resume: str
    ) -> tuple[int, str, str]:
        """Give it a prompt."""
        more = ("--resume", resume) if resume else ()
        done = claude_code.run(prompt, cwd, home, model, arguments=more, environment=environment)
        return done.exit_code, done.text, done.session_id


class Codex:
    """Reads through its shell and edits with patches."""

    name = "codex"

    def read(self, path: Path) -> ToolCall:
        """Look at a file."""
        return self.shell(f"sed -n '1,200p' {path}")

    def edit(self, path: Path, old: str, new: str) -> ToolCall:
        """Replace a line of a file."""
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"
        return ToolCall("apply_patch", {"input": patch})

    def shell(self, command: str) -> ToolCall:
        """Run a command."""
        return ToolCall("exec_command", {"cmd": command})

    def run(
        self, prompt: str, cwd: Path, home: Path, model: ScriptedModel, environment: Mapping[str, str], resume: str
    ) -> tuple[int, str, str]:
        """Give it a prompt."""
        more = ("resume", resume) if resume else ()
        done = codex.run(prompt, cwd, home, model, arguments=more, environment=environment)
        return done.exit_code, done.text, done.session_id


class Copilot:
    """Reads and edits with tools of their own; it has no setup, and reads Claude Code's in a project."""

    name = "copilot"

    def read(self, path: Path) -> ToolCall:
        """Look at a file."""
        return ToolCall("view", {"path": str(path)})

    def edit(self, path: Path, old: str, new: str) -> ToolCall:
        """Replace a line of a file."""
        return ToolCall("edit", {"path": str(path), "old_str": old, "new_str": new})

    def shell(self, command: str) -> ToolCall:
        """Run a command."""
        return ToolCall("bash", {"command": command, "description": "Run a command"})

    def run(
        self, prompt: str, cwd: Path, home: Path, model: ScriptedModel, environment: Mapping[str, str], resume: str
    ) -> tuple[int, str, str]:
        """Give it a prompt; sessions are not resumed here."""
        assert not resume
        done = copilot.run(prompt, cwd, home, model, environment=environment)
        return done.exit_code, done.text, done.session_id


@dataclass
class Desk:
    """A person at a project: their home, their holloway, their agent."""

    agent: Agent
    repository: Repository
    home: Path
    data: Path

    def holloway(self, *arguments: str) -> str:
        """Run one command as the person does."""
        code = "import sys; from holloway.cli import main; main(sys.argv[1:])"
        done = self._python("-c", code, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def session(self, prompt: str, *turns: Turn, resume: str = "") -> tuple[ScriptedModel, str]:
        """Have the agent work through these turns; the model that it spoke to, and the id of the session."""
        environment = {"HOLLOWAY_HOME": str(self.data), "HOLLOWAY_PATIENCE": "20", **COMMITTER}
        with ScriptedModel([*turns, "Done."]) as model:
            code, text, session = self.agent.run(prompt, self.repository.root, self.home, model, environment, resume)
        assert (code, text) == (0, "Done.")
        assert len(model.requests) == len(turns) + 1
        return model, session

    def learned(self) -> None:
        """Wait until the worker has done all that the last session left to do."""
        for folder in (self.data / "projects").iterdir():
            # The one that a hook has started may be at it: it holds this lock until it is done. It may have read the
            # journal before the session's last events, so another one follows it.
            with FileLock(background_worker.lock_file(str(folder)), timeout=WORKER_S):
                pass
        done = self._python("-P", "-m", "holloway.worker", str(self.repository.root))
        assert (done.returncode, done.stderr) == (0, "")

    def memories(self) -> list[dict[str, object]]:
        """All that is known, as `holloway list` tells it."""
        listed = json.loads(self.holloway("list", "--json"))["results"]
        assert isinstance(listed, list)
        return listed

    def journals(self) -> list[Path]:
        """What hooks have written down and nobody has learned from yet."""
        return sorted(self.data.rglob("*.jsonl"))

    def file(self, name: str) -> Path:
        """A file of the project."""
        return self.repository.root / name

    def _python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        environment = {"HOME": str(self.home), "HOLLOWAY_HOME": str(self.data), "PATH": os.environ["PATH"]}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.repository.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=WORKER_S,
        )


def connected(agent: Agent, repository: Repository, home: Path, data: Path) -> Desk:
    """A person who has connected their agent to a project."""
    home.mkdir(exist_ok=True)
    desk = Desk(agent, repository, home, data)
    desk.holloway("init")
    desk.holloway("setup", agent.name, "--yes")
    return desk


def steps(*calls: ToolCall) -> Sequence[Turn]:
    """One turn for each call."""
    return [[call] for call in calls]
