"""The real GitHub Copilot CLI, run without a person or an account against a scripted model."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.journeys import client
from tests.journeys.scripted_model import ScriptedModel

OFFLINE = {
    "COPILOT_OFFLINE": "true",
    "COPILOT_PROVIDER_API_KEY": "a-key-for-the-scripted-model",
    "COPILOT_MODEL": "gpt-4.1",
}


@dataclass(frozen=True)
class Result:
    """How a run ended, and the events that the client reported."""

    exit_code: int
    events: tuple[Mapping[str, object], ...]
    printed: str
    stderr: str

    @property
    def text(self) -> str:
        """The model's last words, as the client reports them."""
        messages = [event.get("data") for event in self.events if event.get("type") == "assistant.message"]
        return next((str(data["content"]) for data in reversed(messages) if isinstance(data, dict)), "")

    @property
    def session_id(self) -> str:
        """The id that the client gave the session."""
        return next((str(event["sessionId"]) for event in self.events if event.get("type") == "result"), "")


def find() -> Path | None:
    """Return the client to test with."""
    return client.find("copilot", "HOLLOWAY_COPILOT")


needs_copilot = pytest.mark.skipif(
    find() is None,
    reason="Copilot CLI is not installed: `make agents` installs it, HOLLOWAY_COPILOT names another",
)


def run(
    prompt: str,
    cwd: Path,
    home: Path,
    model: ScriptedModel,
    *,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = client.TIMEOUT_S,
) -> Result:
    """Give the client one prompt in a folder that it trusts and wait until it is done."""
    found = find()
    assert found is not None, needs_copilot.kwargs["reason"]
    command = [str(found), "-p", prompt, "--allow-all-tools", "--trust-folder", "--output-format", "json"]
    variables = client.clean_environment(home, **OFFLINE, COPILOT_PROVIDER_BASE_URL=f"{model.url}/v1")
    ran = client.run(command, cwd, variables | dict(environment or {}), timeout_s)
    return Result(ran.exit_code, tuple(ran.objects()), ran.printed, ran.stderr)
