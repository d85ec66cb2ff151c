"""The hook program with the payloads of further agents: brief, gotcha, fix and end of a turn, in each one's format."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import holloway
from holloway import install
from holloway.install import DIALECTS
from holloway.service.session_learning import Learning
from tests.conftest import Repository
from tests.hooks.asking import TRAP, TRAP_FILE
from tests.install.installing import holloway as command
from tests.observer.story import Story

REFUSED = "E   redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.\n1 failed"
WRAPPED = f"Command: pytest -q\nDirectory: (root)\nOutput: {REFUSED}\nExit Code: 1\nProcess Group PGID: 4711"
PROMPT = "Make the login work again"

Payload = dict[str, Any]
START: dict[str, Payload] = {
    "copilot": {"hook_event_name": "SessionStart", "source": "new", "initial_prompt": PROMPT},
    "gemini": {"hook_event_name": "SessionStart", "source": "startup"},
    "qwen": {"hook_event_name": "SessionStart", "source": "startup", "permission_mode": "yolo", "model": "any"},
    "droid": {"hook_event_name": "SessionStart", "source": "startup", "permission_mode": "off"},
}
"""The start of a session, as each agent reports it."""
READ: dict[str, tuple[Payload, str, Payload]] = {
    "copilot": (
        {"hook_event_name": "PostToolUse", "tool_name": "Read"},
        "path",
        {"tool_result": {"result_type": "success", "text_result_for_llm": "import os"}},
    ),
    "gemini": (
        {"hook_event_name": "AfterTool", "tool_name": "read_file"},
        "file_path",
        {"tool_response": {"llmContent": "import os", "returnDisplay": ""}},
    ),
    "qwen": (
        {"hook_event_name": "PostToolUse", "tool_name": "read_file", "tool_use_id": "toolu_1", "tool_call_id": "c1"},
        "file_path",
        {"tool_response": {"llmContent": "import os", "returnDisplay": ""}},
    ),
    "droid": ({"hook_event_name": "PostToolUse", "tool_name": "Read"}, "file_path", {"tool_response": "import os"}),
}
"""A file that was read: the event, the argument that names the file, and the result."""
FAILED: dict[str, Payload] = {
    "copilot": {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_result": {
            "result_type": "success",
            "text_result_for_llm": f"{REFUSED}\n<shellId: 3 completed with exit code 1>",
        },
    },
    "gemini": {
        "hook_event_name": "AfterTool",
        "tool_name": "run_shell_command",
        "tool_response": {"llmContent": f"<untrusted_context>\n{WRAPPED}\n</untrusted_context>", "returnDisplay": ""},
    },
    "qwen": {
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "run_shell_command",
        "tool_use_id": "toolu_2",
        "error": WRAPPED,
        "is_interrupt": False,
    },
}
"""A command that failed; Droid does not report it."""
STOP: dict[str, Payload] = {
    "copilot": {"hook_event_name": "Stop", "stop_reason": "end_turn", "stop_hook_active": False},
    "gemini": {"hook_event_name": "AfterAgent", "prompt": PROMPT, "prompt_response": "Done."},
    "qwen": {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "Done."},
    "droid": {"hook_event_name": "Stop", "stop_hook_active": False, "elapsed_time": 439},
}
"""The end of a turn."""
EXIT: Payload = {"hook_event_name": "SessionEnd", "reason": "exit"}


class ConnectedAgent:
    """An agent that setup has connected: it runs the command that its configuration has for an event."""

    def __init__(self, agent: str, repository: Repository) -> None:
        self.agent = agent
        self.repository = repository
        path = install.hooks_file(DIALECTS[agent], "user", repository.root)
        self.hooks = json.loads(path.read_bytes())["hooks"]

    def report(self, payload: Payload) -> Payload:
        """Report an event; return the response as JSON."""
        ((entry,),) = [group["hooks"] for group in self.hooks[payload["hook_event_name"]]]
        event = {"session_id": "s1", "cwd": str(self.repository.root), **payload}
        done = subprocess.run(
            ["/bin/sh", "-c", entry["command"]],
            input=json.dumps(event).encode(),
            capture_output=True,
            timeout=60,
            env=dict(os.environ),
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return dict(json.loads(done.stdout)) if done.stdout else {}

    def context(self, payload: Payload) -> str:
        """Report an event; return what the agent reads of the response."""
        response = self.report(payload)
        if self.agent == "copilot":
            return str(response.get("additionalContext", ""))
        output = response.get("hookSpecificOutput", {"hookEventName": payload["hook_event_name"]})
        assert output["hookEventName"] == payload["hook_event_name"]
        return str(output.get("additionalContext", ""))


@pytest.fixture(params=START)
def connected(request: pytest.FixtureRequest, repository: Repository, memory: holloway.Holloway) -> ConnectedAgent:
    """Each agent, connected for all projects of the person."""
    assert command("setup", request.param, "--yes", "--project", str(repository.root)) == 0
    return ConnectedAgent(request.param, repository)


def read_trap(connected: ConnectedAgent) -> Payload:
    """The event of reading the file with the gotcha."""
    event, argument, result = READ[connected.agent]
    return {**event, "tool_input": {argument: str(connected.repository.root / TRAP_FILE)}, **result}


@pytest.mark.promise("further-agents")
def test_a_session_starts_with_the_brief_and_a_file_comes_with_its_gotcha(
    connected: ConnectedAgent, memory: holloway.Holloway
) -> None:
    memory.remember(TRAP, files=[TRAP_FILE])
    assert "shared memory of this repository" in connected.context(START[connected.agent])
    assert TRAP in connected.context(read_trap(connected))
    assert TRAP not in connected.context(read_trap(connected))


@pytest.mark.promise("further-agents")
def test_a_failed_command_comes_with_its_known_fix(connected: ConnectedAgent, memory: holloway.Holloway) -> None:
    if connected.agent not in FAILED:
        pytest.skip("this agent does not report a failed command")
    for session in ("before-1", "before-2"):
        failing = Story(session).edit("README.md").shell("pytest -q", REFUSED, ok=False)
        Learning(memory.opened).learn(failing.shell("REDIS_URL=fake:// pytest -q", "3 passed in 0.1s").pad())
    failure = {**FAILED[connected.agent], "tool_input": {"command": "pytest -q"}}
    assert "REDIS_URL" in connected.context(failure)


@pytest.mark.promise("further-agents")
def test_the_journal_holds_a_session_from_its_start_to_its_end(
    connected: ConnectedAgent, memory: holloway.Holloway
) -> None:
    for payload in (START[connected.agent], read_trap(connected), STOP[connected.agent]):
        connected.report(payload)
    entries = read_entries(memory.project.journal_folder)
    assert [entry["event"] for entry in entries] == ["SessionStart", "PostToolUse", "Stop"]
    assert (entries[0]["host"], entries[0]["source"]) == (connected.agent, "startup")
    assert entries[1]["path"] == TRAP_FILE
    assert "SessionEnd" in connected.hooks
    connected.report(EXIT)


def read_entries(folder: Path) -> list[Payload]:
    """The entries of the one journal."""
    (log,) = folder.glob("*.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()]
