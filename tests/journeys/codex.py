"""The real Codex client, run without a person against a scripted model."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.journeys import client
from tests.journeys.scripted_model import ScriptedModel

MODEL = "gpt-5.5"
"""A model that this Codex knows: to one that it does not know it offers no tool for patches."""

SETTINGS = {
    "model": MODEL,
    "model_provider": "scripted",
    "check_for_update_on_startup": False,
    "analytics.enabled": False,
    "model_providers.scripted.name": "A scripted model",
    "model_providers.scripted.wire_api": "responses",
    "model_providers.scripted.request_max_retries": 0,
    "model_providers.scripted.stream_max_retries": 0,
}
"""Given on the command line, so that the configuration in `home` is what holloway's setup made of it."""

# Hooks stay silent until a person has trusted them in the client; nobody is there to do it.
UNATTENDED = (
    "--json",
    "--skip-git-repo-check",
    "--dangerously-bypass-hook-trust",
    "--dangerously-bypass-approvals-and-sandbox",
)


@dataclass(frozen=True)
class Result:
    """How a run ended, and the events that the client told of it."""

    exit_code: int
    events: tuple[Mapping[str, object], ...]
    printed: str
    stderr: str

    @property
    def text(self) -> str:
        """The model's last words, as the client reports them."""
        said = [item["text"] for item in self._items() if item.get("type") == "agent_message"]
        return str(said[-1]) if said else ""

    @property
    def session_id(self) -> str:
        """What `codex exec resume` takes to go on with this session."""
        return next((str(event["thread_id"]) for event in self.events if event.get("type") == "thread.started"), "")

    def _items(self) -> list[Mapping[str, object]]:
        done = [event.get("item") for event in self.events if event.get("type") == "item.completed"]
        return [item for item in done if isinstance(item, dict)]


def find() -> Path | None:
    """The client to test with."""
    return client.find("codex", "HOLLOWAY_CODEX")


needs_codex = pytest.mark.skipif(
    find() is None,
    reason="Codex is not installed: `make agents` installs it, HOLLOWAY_CODEX names another",
)


def run(
    prompt: str,
    cwd: Path,
    home: Path,
    model: ScriptedModel,
    *,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    timeout_s: float = client.TIMEOUT_S,
) -> Result:
    """Give the client one prompt and wait until it is done. `arguments` come before the prompt, such as `resume ID`."""
    found = find()
    assert found is not None, needs_codex.kwargs["reason"]
    (home / ".codex").mkdir(parents=True, exist_ok=True)
    settings = SETTINGS | {"model_providers.scripted.base_url": f"{model.url}/v1"}
    given = [word for name, value in settings.items() for word in ("-c", f"{name}={json.dumps(value)}")]
    command = [str(found), "exec", *UNATTENDED, *given, *arguments, prompt]
    ran = client.run(command, cwd, client.clean_environment(home) | dict(environment or {}), timeout_s)
    return Result(ran.exit_code, tuple(ran.objects()), ran.printed, ran.stderr)
