"""The real Claude Code client, run without a person against a scripted model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.journeys import client
from tests.journeys.scripted_model import ScriptedModel

TOOLS = ("Read", "Edit", "Bash", "Grep", "Glob")

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}


@dataclass(frozen=True)
class Result:
    """How a run ended: `stdout` is the JSON object in what the client printed, empty if there is none."""

    exit_code: int
    stdout: Mapping[str, object]
    printed: str
    stderr: str

    @property
    def text(self) -> str:
        """The model's last words, as the client reports them."""
        return str(self.stdout.get("result", ""))

    @property
    def session_id(self) -> str:
        """What `--resume` takes to go on with this session."""
        return str(self.stdout.get("session_id", ""))


def find() -> Path | None:
    """The client to test with."""
    return client.find("claude", "HOLLOWAY_CLAUDE")


needs_claude_code = pytest.mark.skipif(
    find() is None,
    reason="Claude Code is not installed: `make agents` installs it, HOLLOWAY_CLAUDE names another",
)


def run(
    prompt: str,
    cwd: Path,
    home: Path,
    model: ScriptedModel,
    tools: Sequence[str] = TOOLS,
    *,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    timeout_s: float = client.TIMEOUT_S,
) -> Result:
    """Give the client one prompt and wait until it is done.

    Its settings are those of `home`. `arguments` are more options of the command line, such as `--resume`;
    `environment` adds to the clean environment that the client and its hooks start with.
    """
    found = find()
    assert found is not None, needs_claude_code.kwargs["reason"]
    command = [str(found), "-p", prompt, "--allowedTools", ",".join(tools), "--output-format", "json", *arguments]
    connection = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "a-key-for-the-scripted-model"}
    variables = client.clean_environment(home, **connection, **QUIET) | dict(environment or {})
    ran = client.run(command, cwd, variables, timeout_s)
    return Result(ran.exit_code, next(ran.objects(), {}), ran.printed, ran.stderr)
