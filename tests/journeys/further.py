"""Further real agents, each a row: how it is run against a scripted model, and what it calls its tools."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.journeys import client
from tests.journeys.scripted_model import ScriptedModel, ToolCall

FIRST_START_S = 300.0
"""OpenCode installs a package when it first finds a plugin."""
PROMPT, URL, NAME = "{prompt}", "{url}", "scripted"


@dataclass
class FurtherAgent:
    """An agent that speaks the Chat Completions or the Gemini API, named as in `holloway setup`."""

    name: str
    arguments: tuple[str, ...]
    """Its arguments; PROMPT stands for the prompt."""
    path: str
    """Argument of its tools that names a file."""
    old: str
    new: str
    read_tool: str = "read"
    shell_tool: str = "bash"
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables; URL stands for the model's address."""
    settings: tuple[str, str] = ("", "")
    """A file below the home folder, and a JSON object that is added to it: setup may have written the file."""
    edit_tool: str = "edit"
    base_path: str = "/v1"
    """Path of the model's API."""

    def find(self) -> Path | None:
        """Return the client to test with."""
        return client.find(self.name, f"HOLLOWAY_{self.name.upper()}")

    def read(self, path: Path) -> ToolCall:
        """Look at a file."""
        return ToolCall(self.read_tool, {self.path: str(path)})

    def edit(self, path: Path, old: str, new: str) -> ToolCall:
        """Replace a line of a file; pi takes a list of edits."""
        texts: dict[str, object] = {self.old: old, self.new: new}
        return ToolCall(self.edit_tool, {self.path: str(path), **({"edits": [texts]} if self.name == "pi" else texts)})

    def shell(self, command: str) -> ToolCall:
        """Run a command."""
        return ToolCall(self.shell_tool, {"command": command, "description": "Run a command"})

    def run(
        self, prompt: str, cwd: Path, home: Path, model: ScriptedModel, environment: Mapping[str, str], resume: str
    ) -> tuple[int, str, str]:
        """Give it a prompt; sessions are not resumed here."""
        program = self.find()
        assert program is not None
        assert not resume
        file, text = self.settings
        if file:
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            before = json.loads((home / file).read_bytes()) if (home / file).exists() else {}
            added = json.loads(text.replace(URL, model.url + self.base_path))
            (home / file).write_text(json.dumps(before | added))
        own = {name: value.replace(URL, model.url + self.base_path) for name, value in self.environment.items()}
        command = [str(program), *(prompt if word == PROMPT else word for word in self.arguments)]
        variables = client.clean_environment(home, **own) | dict(environment)
        ran = client.run(command, cwd, variables, FIRST_START_S)
        last_word = "Done." if "Done." in ran.printed else ran.printed + ran.stderr
        return ran.exit_code, last_word, ""


_PROVIDER = {
    "npm": "@ai-sdk/openai-compatible",
    "options": {"baseURL": URL, "apiKey": "a-key-for-the-scripted-model"},
    "models": {NAME: {"name": NAME}},
}
_PI_PROVIDER = {"baseUrl": URL, "api": "openai-completions", "apiKey": "a-key", "models": [{"id": NAME}]}
_DROID_MODEL = {
    "model": NAME,
    "displayName": NAME,
    "baseUrl": URL,
    "apiKey": "a-key",
    "provider": "generic-chat-completion-api",
    "maxOutputTokens": 4_096,
}
FURTHER_AGENTS = (
    FurtherAgent(
        "opencode",
        ("run", PROMPT),
        "filePath",
        "oldString",
        "newString",
        settings=(
            ".config/opencode/opencode.json",
            json.dumps({"provider": {NAME: _PROVIDER}, "model": f"{NAME}/{NAME}"}),
        ),
    ),
    FurtherAgent(
        "kilo",
        ("run", "--auto", PROMPT),
        "filePath",
        "oldString",
        "newString",
        settings=(
            ".config/kilo/kilo.json",
            json.dumps({"provider": {NAME: _PROVIDER}, "model": f"{NAME}/{NAME}"}),
        ),
    ),
    FurtherAgent(
        "qwen",
        ("--yolo", "--auth-type", "openai", PROMPT),
        "file_path",
        "old_string",
        "new_string",
        read_tool="read_file",
        shell_tool="run_shell_command",
        environment={"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": URL, "OPENAI_MODEL": NAME},
    ),
    FurtherAgent(
        "gemini",
        ("-m", "gemini-2.5-pro", "--yolo", "--skip-trust", "-p", PROMPT),
        "file_path",
        "old_string",
        "new_string",
        read_tool="read_file",
        edit_tool="replace",
        shell_tool="run_shell_command",
        environment={"GEMINI_API_KEY": "a-key", "GOOGLE_GEMINI_BASE_URL": URL},
        settings=(
            ".gemini/settings.json",
            json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}),
        ),
        base_path="",
    ),
    FurtherAgent(
        "droid",
        ("exec", "--auto", "high", "-m", f"custom:{NAME}", PROMPT),
        "file_path",
        "old_str",
        "new_str",
        read_tool="Read",
        edit_tool="Edit",
        shell_tool="Execute",
        settings=(".factory/settings.json", json.dumps({"customModels": [_DROID_MODEL]})),
    ),
    FurtherAgent(
        "pi",
        ("--provider", NAME, "--model", NAME, "-p", PROMPT),
        "path",
        "oldText",
        "newText",
        settings=(".pi/agent/models.json", json.dumps({"providers": {NAME: _PI_PROVIDER}})),
    ),
)


def needs(agent: FurtherAgent) -> None:
    """Skip a test whose agent is not installed."""
    if agent.find() is None:
        pytest.skip(f"{agent.name} is not installed: `make further` installs it")
