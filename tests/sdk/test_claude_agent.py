"""The hooks of the Claude Agent SDK, called with payloads as its client sends them. The package brings a whole client
(350 MB), so these run where it is installed: `make nightly` does."""

import asyncio
from typing import Any

import pytest

from holloway.service.holloway import Holloway
from holloway.service.session import Session

pytest.importorskip("claude_agent_sdk")

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; call it once"
REFUSED = "Exit code 1\nredis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."


class Client:
    """Fires hooks as the SDK does, through the options that a user would make."""

    def __init__(self, session: Session) -> None:
        from examples.claude_agent import options  # only where the package is installed

        self.session = session
        self.hooks = options(session).hooks

    def fire(self, event: str, **fields: object) -> dict[str, Any]:
        common = {"session_id": "abc", "transcript_path": "", "cwd": str(self.session.memory.project.root)}
        (matcher,) = self.hooks[event]
        (callback,) = matcher.hooks
        given: Any = {**common, "hook_event_name": event, **fields}
        answer: dict[str, Any] = asyncio.run(callback(given, fields.get("tool_use_id"), {"signal": None}))
        return answer


def said(answer: dict[str, Any]) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def read(memory: Holloway, call: str) -> dict[str, object]:
    path = str(memory.project.root / FILE)
    response = {"type": "text", "file": {"filePath": path, "content": "def refresh(token):", "numLines": 1}}
    return {"tool_name": "Read", "tool_input": {"file_path": path}, "tool_response": response, "tool_use_id": call}


@pytest.mark.promise("sdk")
def test_the_brief_comes_with_the_first_prompt_and_again_after_compaction(memory: Holloway) -> None:
    memory.remember("Money is integer cents", type="decision", pin=True)
    session = memory.session()
    client = Client(session)
    first = client.fire("UserPromptSubmit", prompt="Change the totals")
    assert first["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "Money is integer cents" in said(first)
    assert client.fire("UserPromptSubmit", prompt="and then?") == {}
    assert client.fire("PreCompact", trigger="auto", custom_instructions=None) == {}
    assert "Money is integer cents" in said(client.fire("UserPromptSubmit", prompt="go on"))


def test_a_trap_comes_with_the_result_of_a_read(memory: Holloway) -> None:
    memory.remember(TRAP, files=[FILE], type="gotcha")
    session = memory.session()
    client = Client(session)
    assert TRAP in said(client.fire("PostToolUse", **read(memory, "t1")))
    assert client.fire("PostToolUse", **read(memory, "t2")) == {}
    assert [(action.kind, action.path) for action in session.pad.actions] == [("read", FILE)] * 2
    assert session.pad.actions[0].text == "def refresh(token):"


def test_a_failure_is_noted_and_brings_its_fix(memory: Holloway) -> None:
    with memory.session("before") as before:
        before.used("Edit", {"file_path": FILE, "old_string": "a", "new_string": "b"}, "ok")
        before.used("Bash", {"command": "pytest -q"}, REFUSED, ok=False)
        before.used("Bash", {"command": "REDIS_URL=fake:// pytest -q"}, "12 passed in 0.3s")
    session = memory.session()
    client = Client(session)
    failed = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "t1", "error": REFUSED}
    assert "this error was solved before" in said(client.fire("PostToolUseFailure", **failed))
    assert session.pad.actions[0].ok is False


@pytest.mark.promise("loop-goes-on")
def test_what_a_client_may_send_breaks_nothing(memory: Holloway) -> None:
    session = memory.session()
    client = Client(session)
    assert client.fire("PostToolUse", tool_name="Task", tool_input=None, tool_response=None, tool_use_id="t") == {}
    assert client.fire("PostToolUse", tool_name="Glob", tool_input={"pattern": "*"}, tool_response=[1]) == {}
    assert client.fire("Stop", stop_hook_active=False, last_assistant_message="Done.") == {}
    assert [(note.voice, note.text) for note in session.pad.notes] == [("agent", "Done.")]
